#pragma once

#include "tools/report_page/html.h"

namespace ofindex {

/// The style of a page: light or dark as the reader's system is, and for paper.
[[nodiscard]] HtmlWord PageStyle();

}  // namespace ofindex

#pragma once

#include <string>

#include "base/result.h"
#include "index/build/map_builder.h"
#include "query/filter/selection.h"
#include "tools/shell/context.h"

namespace ofindex {

/// The records of the index `opened` for which `expression` holds, on all processors; ended by Ctrl-C. Errors: those of
/// Where() and of opening the index.
[[nodiscard]] Result<Selection> SelectRecords(const OpenedIndex& opened, const std::string& expression,
                                              const Context& context);

}  // namespace ofindex

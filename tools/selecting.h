#pragma once

#include <string>

#include "base/result.h"
#include "index/map_builder.h"
#include "query/selection.h"
#include "tools/context.h"

namespace ofindex {

/// The records of the index `opened` for which `expression` holds, on all processors; ended by Ctrl-C. Errors: those of
/// Where() and of opening the index.
[[nodiscard]] Result<Selection> SelectRecords(const OpenedIndex& opened, const std::string& expression,
                                              const Context& context);

}  // namespace ofindex

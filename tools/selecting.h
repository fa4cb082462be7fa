#pragma once

#include <string>

#include "base/result.h"
#include "query/selection.h"
#include "tools/context.h"

namespace ofindex {

/// The records of the index `name` for which `expression` holds, on all processors; ended by Ctrl-C. Errors: those of
/// Where() and of opening the index.
[[nodiscard]] Result<Selection> SelectRecords(const std::string& name, const std::string& expression,
                                              const Context& context);

}  // namespace ofindex

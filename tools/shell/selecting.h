#pragma once

#include <string>

#include "base/result.h"
#include "query/columns/snapshot.h"
#include "query/filter/selection.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Returns the records of `snapshot` for which `expression` holds. Uses all processors; Ctrl-C ends it. Errors:
/// those of Where() and of opening the index.
[[nodiscard]] Result<Selection> SelectRecords(const Snapshot& snapshot, const std::string& expression,
                                              const Context& context);

}  // namespace ofindex

#pragma once

#include <string>

#include "base/result.h"

namespace ofindex {

// Tasks of a child process (bench/child_tasks.h) that query the columns of an index, for comparison with programs in
// other languages. Each waits for a line of input, runs the query, and prints three numbers: the nanoseconds that the
// query took, the number of rows, and a sum over the rows. Then it waits for the next line, until the input ends.

/// Finds the ordinals of the records that match an expression. With `reopen`, each query opens the index, and its time
/// includes that; otherwise the columns are already decoded and cached.
[[nodiscard]] Result<void> AskWhere(const std::string& index, const std::string& expression, bool reopen);

/// Groups the records by column `by`, with the mean of `column` in each group; the columns are already decoded and
/// cached. The sum is the number of records in all groups.
[[nodiscard]] Result<void> AskGroups(const std::string& index, const std::string& by, const std::string& column);

}  // namespace ofindex

#pragma once

#include <string>

#include "base/result.h"

namespace ofindex {

// Tasks of a child process (bench/child_tasks.h) that query the columns of an index, for comparison with programs in
// other languages. Each waits for a word, runs the query, and prints three numbers: the nanoseconds that it took, the
// number of rows, and a sum over them. Then it waits for the next word, until the input ends.

/// Finds the ordinals of the records that match an expression. With `reopen`, each query opens the index, and its time
/// includes that; otherwise the columns are already decoded and kept.
[[nodiscard]] Result<void> AskWhere(const std::string& index, const std::string& expression, bool reopen);

/// Groups the records by column `by`, with the mean of `column` in each group; the columns are already decoded and
/// kept. The sum is over the records of all groups.
[[nodiscard]] Result<void> AskGroups(const std::string& index, const std::string& by, const std::string& column);

}  // namespace ofindex

#pragma once

#include <string>

#include "base/result.h"

namespace ofindex {

// Tasks of a child process (bench/child_tasks.h) that query the columns of an index, for comparison with programs in
// other languages. Each waits for a word, runs the query, and prints three numbers: the nanoseconds that it took, the
// number of rows, and a sum over them. Then it waits for the next word, until the input ends.

/// From an expression to the ordinals of its records. `anew`: the index is opened for each question, which is included
/// in the time; otherwise its columns are already decoded and kept.
[[nodiscard]] Result<void> AskWhere(const std::string& index, const std::string& expression, bool anew);

/// From names to the groups of column `by`, with the mean of `column` in each; columns are already decoded and kept.
/// The sum is over the records of all groups.
[[nodiscard]] Result<void> AskGroups(const std::string& index, const std::string& by, const std::string& column);

}  // namespace ofindex

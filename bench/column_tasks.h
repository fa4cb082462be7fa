#pragma once

#include <string>

#include "base/result.h"

namespace ofindex {

// Tasks of a child process (bench/child_tasks.h) that ask the columns of an index, for programs in other languages to
// be compared with. Each waits for a word, asks, and prints three numbers: nanoseconds that the answer took, how many
// rows it has, and a sum over them. Then it waits for the next word, until there is none.

/// From an expression to the ordinals of its records. `anew`: of an index that is opened for each question, which is
/// part of the time; else of one whose columns are decoded and kept.
[[nodiscard]] Result<void> AskWhere(const std::string& index, const std::string& expression, bool anew);

/// From names to the groups of column `by`, with the mean of `column` in each; columns decoded and kept. The sum is
/// over the records of all groups.
[[nodiscard]] Result<void> AskGroups(const std::string& index, const std::string& by, const std::string& column);

}  // namespace ofindex

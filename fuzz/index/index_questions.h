#pragma once

#include <cstddef>
#include <string>

namespace ofindex {

/// How often an index has answered, and how often it gave an error.
struct IndexAnswers {
  int answers = 0;
  int errors = 0;
  std::string first_error = {};
};

/// Asks the index at `path`, of SmallDataset, one of the questions that `info`, `get`, `sql`, `stats`, `where`,
/// `sample`, `verify` and `merge` ask; `question` is any number. Ends the process if an answer cannot be right: a
/// record that is not in the files, an ordinal that does not exist.
[[nodiscard]] IndexAnswers AskIndex(const std::string& path, size_t question);

}  // namespace ofindex

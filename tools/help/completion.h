#pragma once

#include <string>
#include <vector>

#include "tools/help/command_table.h"

namespace ofindex {

/// What may stand in the place of the last word of a command line.
struct Completion {
  enum class Kind {
    kWords,    ///< the candidates, and nothing else
    kPaths,    ///< the candidates, which are paths
    kFiles,    ///< any file or folder; there are no candidates
    kFolders,  ///< any folder; there are no candidates
  };
  struct Candidate {
    std::string text;       ///< the whole word
    std::string note = {};  ///< one line; may be empty
  };

  Kind kind = Kind::kWords;
  bool goes_on = false;  ///< the word may be continued, as a list may: no space belongs after it
  std::vector<Candidate> candidates = {};
};

/// Completes the last of `words`, which follow the name of the program. It may be empty; candidates begin with it. For
/// the names of columns, the index that the command line names is read; if that fails, there are no candidates.
[[nodiscard]] Completion Complete(const CommandTable& table, const std::vector<std::string>& words);

/// Returns the answer that the scripts of the shells expect: a line `words`, `paths`, `files` or `folders`, which is
/// followed by ` +` if the word may be continued, and then a line `TEXT<tab>NOTE` for each candidate. Control
/// characters in names make a candidate useless on a line, so those candidates are left out.
[[nodiscard]] std::string AnswerOf(const Completion& completion);

}  // namespace ofindex

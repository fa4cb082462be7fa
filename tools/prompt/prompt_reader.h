#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// What a user has entered.
struct LineInput {
  enum class Kind {
    kLine,         ///< a line, without its end
    kInterrupted,  ///< Ctrl-C: the line is dropped
    kEnd,          ///< Ctrl-D, or the terminal is gone
  };
  Kind kind = Kind::kEnd;
  std::string line;
};

/// How the word before the cursor may go on.
struct WordCompletion {
  size_t begin = 0;                     ///< the byte of the line at which the word begins
  std::vector<std::string> candidates;  ///< whole words, for what is between `begin` and the cursor
};

/// Returns the completion of a line, given its bytes before the cursor.
using Completer = std::function<WordCompletion(std::string_view)>;

/// Reads lines from the terminal. Needs PromptSignals. Not thread-safe.
class PromptReader {
 public:
  PromptReader() = default;
  PromptReader(const PromptReader&) = delete;
  PromptReader& operator=(const PromptReader&) = delete;
  virtual ~PromptReader() = default;

  /// Shows `prompt` and reads a line.
  [[nodiscard]] virtual LineInput Read(const std::string& prompt) = 0;

  /// Adds an entry to those that the arrow keys bring back, if this reader has such keys.
  virtual void Remember(const std::string& entry) = 0;
};

}  // namespace ofindex

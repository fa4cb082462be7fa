#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// The statements that a user enters line by line. Not thread-safe.
class StatementInput {
 public:
  /// Adds a line. Returns the statements that it completes, without the semicolons at their ends.
  [[nodiscard]] std::vector<std::string> Add(std::string_view line);

  /// Returns what was entered since the last completed statement; empty if that is only whitespace and comments.
  [[nodiscard]] const std::string& unfinished() const { return unfinished_; }

  /// Drops the unfinished statement.
  void Clear();

  /// Returns, once no statement is unfinished, all that was entered since the last call, as one line without the
  /// comments of several; nothing if a string has a line end.
  [[nodiscard]] std::string TakeEntry();

 private:
  std::string unfinished_;
  std::string entered_;
};

}  // namespace ofindex

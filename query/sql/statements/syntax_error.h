#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// A statement that SQLite refuses before it looks at names, in our words.
struct SyntaxError {
  std::string text;
  std::string hint;
  size_t at = 0;  ///< byte of the statement
};

/// A statement as its author wrote it.
struct WrittenSql {
  std::string_view text;
  bool is_expression = false;  ///< as after WHERE, rather than a whole query
};

/// Explains the error `message`, which SQLite reports at byte `at` of `sql`, at its end, or behind it: where the SQL
/// ends too early, a string that is not closed, a word of SQL that is misspelt, or one of `names`, the
/// columns whose names must be in double quotes. Returns
/// nothing if the message is about something else, or about a # in a name.
[[nodiscard]] std::optional<SyntaxError> ExplainSyntax(std::string_view message, const WrittenSql& sql, size_t at,
                                                       const std::vector<std::string>& names);

}  // namespace ofindex

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/sql/statements/sql_tokens.h"

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

/// Returns the one of `columns` whose name has the words of tokens `i` and `i` + 1, divided by a space; empty if there
/// is none.
[[nodiscard]] std::string ColumnOfTwoWords(const std::vector<SqlToken>& tokens, size_t i,
                                           const std::vector<std::string>& columns);

/// Returns the hint to write `column` in double quotes.
[[nodiscard]] std::string QuoteHint(std::string_view column);

/// Explains the error `message`, which SQLite reports at byte `at` of `sql`, at its end, or behind it: where the SQL
/// ends too early, a string or a comment that is not closed, a word of SQL that is misspelt, or one of `names`, the
/// columns whose names must be in double quotes. Returns nothing if the message is about something else, or about a #
/// in a name.
[[nodiscard]] std::optional<SyntaxError> ExplainSyntax(std::string_view message, const WrittenSql& sql, size_t at,
                                                       const std::vector<std::string>& names);

}  // namespace ofindex

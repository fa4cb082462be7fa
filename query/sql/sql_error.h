#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

struct sqlite3;

namespace ofindex {

class SqlAuthorizer;

/// Converts byte position `at` in a statement to a position in the user's text, which begins at byte `written_from`.
[[nodiscard]] constexpr size_t Shown(size_t at, size_t written_from) {
  return at < written_from ? 0 : at - written_from;
}

/// The end of a statement that wraps an expression of the user. The line ends before the parenthesis, so that a comment
/// in the expression cannot hide it.
inline constexpr std::string_view kExpressionEnd = "\n)";

/// The text of a statement, if it is known. SQLite was given it from byte `begin` on; the user's own text begins at
/// byte `written_from`.
struct StatementSource {
  std::string_view text = {};
  size_t begin = 0;
  size_t written_from = 0;
};

/// Returns the error for the last call that `db` refused or failed. For a name that does not exist, the error says what
/// was probably meant: the nearest names, a name or a string in the wrong quotes, a feature without a column.
[[nodiscard]] Error SqlError(sqlite3* db, const SqlAuthorizer& authorizer, const StatementSource& source);

}  // namespace ofindex

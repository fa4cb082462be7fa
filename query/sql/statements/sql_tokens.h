#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// A token of an SQL statement, as SQLite divides it. Operators of several characters are several tokens.
struct SqlToken {
  enum class Kind : uint8_t {
    kWord,     ///< a keyword, or a name without quotes
    kName,     ///< a name in double quotes, backquotes or brackets
    kNumber,   ///< without sign
    kSymbol,   ///< one character
    kLiteral,  ///< a string, or a parameter
  };
  Kind kind = Kind::kSymbol;
  size_t begin = 0;  ///< in the statement
  size_t end = 0;
  int depth = 0;          ///< in how many parentheses it is; they belong to what is outside
  std::string text = {};  ///< a word in lower case, a name without quotes, anything else as written

  [[nodiscard]] bool IsWord(std::string_view word) const { return kind == Kind::kWord && text == word; }
  [[nodiscard]] bool IsSymbol(char symbol) const { return kind == Kind::kSymbol && text[0] == symbol; }
};

[[nodiscard]] inline bool IsSqlName(const SqlToken& token) {
  return token.kind == SqlToken::Kind::kWord || token.kind == SqlToken::Kind::kName;
}

/// Divides `sql` into tokens, without whitespace and comments. A string or name that is not closed ends with `sql`.
[[nodiscard]] std::vector<SqlToken> TokensOf(std::string_view sql);

/// Returns true if the expression of `tokens` may read one of `tables`, which are named in lower case: it has the name,
/// and SELECT or IN.
[[nodiscard]] bool MayReadTable(const std::vector<SqlToken>& tokens, std::span<const std::string_view> tables);

/// Returns the names between the parentheses after USING, in lower case.
[[nodiscard]] std::vector<std::string> NamesAfterUsing(const std::vector<SqlToken>& tokens);

/// Returns those of `tables`, which are named in lower case, that the statement of `tokens` reads without the name of a
/// schema in front of them. Those that it defines itself, in WITH, are none.
[[nodiscard]] std::vector<std::string> UnqualifiedTables(const std::vector<SqlToken>& tokens,
                                                         std::span<const std::string_view> tables);

}  // namespace ofindex

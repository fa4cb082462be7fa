#include "query/sql/statements/quoted_columns.h"

#include <algorithm>

#include "base/text.h"
#include "query/sql/statements/sql_tokens.h"

namespace ofindex {
namespace {

using Tokens = std::vector<SqlToken>;

// Returns token `i`; one that means nothing if there is none.
const SqlToken& At(const Tokens& tokens, size_t i) {
  static const SqlToken none{.kind = SqlToken::Kind::kSymbol, .text = ";"};
  return i < tokens.size() ? tokens[i] : none;
}

bool IsConstant(const SqlToken& token) {
  return token.kind == SqlToken::Kind::kNumber || token.kind == SqlToken::Kind::kLiteral || token.IsSymbol('-');
}

bool IsComparison(const SqlToken& token) {
  return token.kind == SqlToken::Kind::kSymbol && std::string_view("=<>!").find(token.text[0]) != std::string::npos;
}

// Returns whether token `i` is compared with a constant. Operators of two characters are two tokens.
bool IsComparedWithConstant(const Tokens& tokens, size_t i) {
  size_t after = i + 1;
  while (IsComparison(At(tokens, after))) ++after;
  if (after > i + 1 && IsConstant(At(tokens, after))) return true;
  size_t before = i - 1;
  while (IsComparison(At(tokens, before))) --before;
  return before != i - 1 && IsConstant(At(tokens, before));
}

// Returns whether token `i` is the one argument of a function, or a term by itself.
bool StandsAlone(const Tokens& tokens, size_t i) {
  const SqlToken& before = At(tokens, i - 1);
  const SqlToken& after = At(tokens, i + 1);
  if (before.IsWord("select") || before.IsWord("by") || before.IsWord("distinct")) {
    return !after.IsWord("as") && !after.IsSymbol('|');
  }
  const SqlToken& function = At(tokens, i - 2);
  return before.IsSymbol('(') && after.IsSymbol(')') && function.kind == SqlToken::Kind::kWord &&
         !function.IsWord("in");
}

// Returns the text between the quotes of a string; other literals have none.
std::string TextOf(const SqlToken& token) {
  std::string text;
  for (size_t i = 1; i + 1 < token.text.size(); ++i) {
    text += token.text[i];
    if (token.text[i] == '\'') ++i;  // a quote is doubled
  }
  return text;
}

}  // namespace

std::vector<std::string> ColumnsInSingleQuotes(std::string_view sql, const std::vector<std::string>& columns) {
  std::vector<std::string> found;
  const Tokens tokens = TokensOf(sql);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != SqlToken::Kind::kLiteral || !tokens[i].text.starts_with('\'')) continue;
    if (!IsComparedWithConstant(tokens, i) && !StandsAlone(tokens, i)) continue;
    const std::string name = TextOf(tokens[i]);
    const bool is_column = std::find(columns.begin(), columns.end(), name) != columns.end();
    if (is_column && std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
  }
  return found;
}

}  // namespace ofindex

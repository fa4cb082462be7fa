#include "query/sql/statements/quoted_columns.h"

#include <algorithm>
#include <iterator>

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
  return token.kind == SqlToken::Kind::kNumber || token.kind == SqlToken::Kind::kLiteral || token.IsSymbol('-') ||
         token.IsWord("null");
}

bool IsComparison(const SqlToken& token) {
  return token.kind == SqlToken::Kind::kSymbol && std::string_view("=<>!").find(token.text[0]) != std::string::npos;
}

// Returns whether `token` is an operator of what stands after it, so that this alone is not what is tested for NULL, as
// in `name = 'label' IS NULL`.
bool IsOperator(const SqlToken& token) {
  if (token.kind == SqlToken::Kind::kSymbol) return std::string_view("(,;").find(token.text[0]) == std::string::npos;
  constexpr std::string_view kWords[] = {"like", "glob", "regexp", "match", "is", "between"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return token.IsWord(word); });
}

// Returns whether the list whose parenthesis is token `open` has a text as token `text` is: then both are meant as
// text.
bool ListHas(const Tokens& tokens, size_t open, const SqlToken& text) {
  for (size_t k = open + 1; k < tokens.size() && tokens[k].depth > tokens[open].depth; ++k) {
    if (tokens[k].kind == SqlToken::Kind::kLiteral && tokens[k].text == text.text) return true;
  }
  return false;
}

// Returns whether the words after token `i` compare it with a constant, or test it for NULL.
bool ComparesWithConstant(const Tokens& tokens, size_t i) {
  size_t at = i + 1;
  const SqlToken& first = At(tokens, at);
  if (first.IsWord("isnull") || first.IsWord("notnull")) return true;
  if (first.IsWord("is")) return IsConstant(At(tokens, at + (At(tokens, at + 1).IsWord("not") ? 2 : 1)));
  if (first.IsWord("not")) ++at;
  const SqlToken& word = At(tokens, at);
  if (word.IsWord("null")) return first.IsWord("not");
  if (word.IsWord("in")) {
    return At(tokens, at + 1).IsSymbol('(') && IsConstant(At(tokens, at + 2)) && !ListHas(tokens, at + 1, tokens[i]);
  }
  const bool compares = word.IsWord("like") || word.IsWord("glob") || word.IsWord("regexp") || word.IsWord("between");
  return compares && IsConstant(At(tokens, at + 1));
}

// Returns whether token `i` is compared with a constant. Operators of two characters are two tokens.
bool IsComparedWithConstant(const Tokens& tokens, size_t i) {
  if (At(tokens, i - 1).IsSymbol('|')) return false;  // a part of a longer text
  if (!IsOperator(At(tokens, i - 1)) && ComparesWithConstant(tokens, i)) return true;
  size_t after = i + 1;
  while (IsComparison(At(tokens, after))) ++after;
  if (after > i + 1 && IsConstant(At(tokens, after))) return true;
  size_t before = i - 1;
  while (IsComparison(At(tokens, before))) --before;
  return before != i - 1 && IsConstant(At(tokens, before));
}

// Returns whether token `i`, a term of a SELECT that is the name of `column`, is meant as the label of its rows: they
// have one if several SELECTs are united, or if another term reads the column.
bool IsLabel(const Tokens& tokens, size_t i, const std::string& column) {
  if (std::any_of(tokens.begin(), tokens.end(), [](const SqlToken& one) { return one.IsWord("union"); })) return true;
  const int depth = tokens[i].depth;
  for (size_t k = i + 1; k < tokens.size() && tokens[k].depth >= depth; ++k) {
    if (tokens[k].depth == depth && tokens[k].IsWord("from")) return false;
    if (IsSqlName(tokens[k]) && Folded(tokens[k].text) == Folded(column)) return true;
  }
  return false;
}

// Returns whether token `i`, the name of `column`, is the one argument of a function, or a term by itself.
bool StandsAlone(const Tokens& tokens, size_t i, const std::string& column) {
  const SqlToken& before = At(tokens, i - 1);
  const SqlToken& after = At(tokens, i + 1);
  const bool selects = before.IsWord("select") || (before.IsWord("distinct") && At(tokens, i - 2).IsWord("select"));
  if (selects && IsLabel(tokens, i, column)) return false;
  if (selects || before.IsWord("by") || before.IsWord("distinct")) return !after.IsWord("as") && !after.IsSymbol('|');
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
    const std::string name = TextOf(tokens[i]);
    if (!IsComparedWithConstant(tokens, i) && !StandsAlone(tokens, i, name)) continue;
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const std::string& one) { return Folded(one) == Folded(name); });
    if (column == columns.end() || std::find(found.begin(), found.end(), *column) != found.end()) continue;
    found.push_back(*column);
  }
  return found;
}

}  // namespace ofindex

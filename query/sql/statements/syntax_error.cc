#include "query/sql/statements/syntax_error.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/nearest_names.h"
#include "base/text.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/tables/values/table_module.h"

namespace ofindex {
namespace {

using SqlTokens = std::vector<SqlToken>;

constexpr std::string_view kUnknownToken = "unrecognized token: \"";
constexpr std::string_view kNearToken = "near \"";
constexpr std::string_view kSyntaxErrorEnd = "\": syntax error";
constexpr size_t kMaxShownBefore = 40;

// Words that people misspell, as the hint writes them.
const std::vector<std::string>& CommonWords() {
  static const std::vector<std::string> words = {"SELECT",  "FROM", "WHERE",    "GROUP", "ORDER", "HAVING", "LIMIT",
                                                 "BETWEEN", "LIKE", "DISTINCT", "UNION", "JOIN",  "WITH"};
  return words;
}

// Words that follow an expression in a query.
constexpr std::string_view kAfterExpression[] = {"where", "group", "order", "having", "limit", "from", "union"};

// Symbols of other languages, and what SQL writes.
constexpr std::pair<std::string_view, const char*> kSymbolHints[] = {
    {"&", "write AND, OR and NOT for &&, || and !"},
    {"!", "write AND, OR and NOT for &&, || and !"},
    {";", "leave out the semicolon"},
};
constexpr std::string_view kComparing = "=<>!";
constexpr char kComparisonHint[] = "write comparisons as =, <>, <, <=, > and >=";

// Returns the end of `text`, without whitespace at either end, to show between quotes.
std::string EndOf(std::string_view text) {
  const auto trim = [&text] {
    const size_t last = text.find_last_not_of(" \t\r\n");
    text = last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
  };
  trim();
  if (text.size() <= kMaxShownBefore)
    return Printable(text.substr(std::min(text.size(), text.find_first_not_of(" \t\r\n"))));
  size_t begin = text.size() - kMaxShownBefore;
  if (const size_t space = text.find(' ', begin); space != std::string_view::npos) begin = space + 1;
  return StrCat("... ", Printable(text.substr(begin)));
}

bool IsComparing(const SqlToken& token) {
  return token.kind == SqlToken::Kind::kSymbol && kComparing.find(token.text[0]) != std::string_view::npos;
}

// Returns where in `text`, which has only whitespace and comments from byte `from` on, a comment begins that does not
// end; npos if none does.
size_t OpenComment(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (!rest.starts_with("--") && !rest.starts_with("/*")) continue;
    const bool is_line = rest.starts_with("--");
    const size_t end = text.find(is_line ? "\n" : "*/", at + 2);
    if (end == std::string_view::npos) return is_line ? end : at;
    at = is_line ? end : end + 1;
  }
  return std::string_view::npos;
}

const char* NounFor(const WrittenSql& sql) { return sql.is_expression ? "the expression" : "the statement"; }

SyntaxError EndsEarly(const WrittenSql& sql, const SqlTokens& tokens) {
  const size_t comment = OpenComment(sql.text, tokens.empty() ? 0 : tokens.back().end);
  if (comment != std::string_view::npos) return {"a comment begins here and does not end", "close it with */", comment};
  if (tokens.empty()) {
    return {"the expression is empty; expected one, as after WHERE", "write one, such as `_length > 1000`", 0};
  }
  const size_t end = tokens.back().end;
  const int open = tokens.back().depth + (tokens.back().IsSymbol('(') ? 1 : 0);
  SyntaxError error{StrCat(NounFor(sql), " ends too early, after `", EndOf(sql.text.substr(0, end)), "`"), {}, end};
  error.hint = open > 0 ? "close each parenthesis that is open"
                        : "write what is missing at its end, such as the value that a column is compared with";
  return error;
}

// Returns whether `tokens` compare what begins at byte `at` with what stands before it, as a string may be.
bool IsComparedAt(const SqlTokens& tokens, size_t at) {
  const auto after = std::find_if(tokens.begin(), tokens.end(), [at](const SqlToken& one) { return one.begin >= at; });
  if (after == tokens.begin()) return false;
  const SqlToken& before = *std::prev(after);
  return IsComparing(before) || before.IsWord("like") || before.IsWord("glob") || before.IsWord("regexp");
}

// Explains a token that is none of SQL.
SyntaxError UnknownToken(std::string_view message, std::string_view token, size_t at, const SqlTokens& tokens) {
  const char first = token.empty() ? ' ' : token[0];
  if (first == '\'') {
    return {"a string begins here and does not end",
            "close it with a single quote; one inside of it is doubled: 'it''s'", at};
  }
  if (first == '"' || first == '`' || first == '[') {
    const std::string hint = StrCat("close it with ", first == '[' ? ']' : first);
    return {"a name begins here and does not end",
            IsComparedAt(tokens, at) ? StrCat("write a string in single quotes; if it is a name, ", hint) : hint, at};
  }
  if (first >= '0' && first <= '9') {
    return {std::string(message), "write a name that begins with a digit in double quotes, a string in single quotes",
            at};
  }
  for (const auto& [symbol, hint] : kSymbolHints) {
    if (token == symbol) return {std::string(message), hint, at};
  }
  return {std::string(message), "write names in double quotes, strings in single quotes", at};
}

// Returns the one of `columns`, which must be in double quotes, that `tokens` mean around token `i`, at which the
// parser stops; empty if there is none.
std::string ColumnMeant(const SqlTokens& tokens, size_t i, const std::vector<std::string>& columns) {
  if (std::string name = i > 0 ? ColumnOfTwoWords(tokens, i - 1, columns) : ""; !name.empty()) return name;
  // A word such as CASE begins an expression, which ends where it is compared; one such as KEY is well placed there.
  const size_t k = i > 0 && IsComparing(tokens[i]) ? i - 1 : i;
  if (tokens[k].kind != SqlToken::Kind::kWord) return {};
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return Folded(one) == tokens[k].text; });
  return found == columns.end() ? std::string() : *found;
}

bool EndsString(const SqlToken& token) { return token.kind == SqlToken::Kind::kLiteral && token.text.ends_with('\''); }

// Returns a hint on the symbol that token `i` is; empty if it is another one.
std::string SymbolHint(const WrittenSql& sql, const SqlTokens& tokens, size_t i) {
  const SqlToken& token = tokens[i];
  if (token.IsSymbol(')') && token.depth < 0) return "open the parenthesis that is closed here, or leave it out";
  if (i > 0 && IsComparing(token) && IsComparing(tokens[i - 1])) return kComparisonHint;
  if (token.IsSymbol(';') && (!sql.is_expression || token.depth != 0)) return {};
  for (const auto& [symbol, hint] : kSymbolHints) {
    if (token.kind == SqlToken::Kind::kSymbol && token.text == symbol) return hint;
  }
  return {};
}

// Returns a hint on a word of SQL that is misspelt at token `i`, or before it; empty if there is none.
std::string MisspeltWord(const SqlTokens& tokens, size_t i) {
  for (const size_t k : {i, i - 1}) {
    if (k >= tokens.size() || tokens[k].kind != SqlToken::Kind::kWord) continue;
    const std::vector<std::string> nearest = NearestNames(tokens[k].text, CommonWords());
    if (nearest.empty() || Folded(nearest.front()) == tokens[k].text) continue;
    return StrCat("write ", nearest.front(), " instead of ", Printable(tokens[k].text));
  }
  return {};
}

std::string HintAt(const WrittenSql& sql, const SqlTokens& tokens, size_t i, const std::vector<std::string>& names) {
  const SqlToken& token = tokens[i];
  const bool goes_on = sql.is_expression && std::any_of(std::begin(kAfterExpression), std::end(kAfterExpression),
                                                        [&](std::string_view word) { return token.IsWord(word); });
  const bool is_clause = goes_on && i + 1 < tokens.size() && tokens[i + 1].IsWord("by");
  if (std::string hint = SymbolHint(sql, tokens, i); !hint.empty()) return hint;
  if (i > 0 && (tokens[i - 1].IsWord("order") || tokens[i - 1].IsWord("group"))) {
    return StrCat("write BY after ", tokens[i - 1].IsWord("order") ? "ORDER" : "GROUP");
  }
  if (const std::string column = ColumnMeant(tokens, i, names); !column.empty() && !is_clause) {
    return QuoteHint(column);
  }
  if (goes_on && i == 0) return "leave it out, and give the expression alone";
  if (goes_on) return "give the expression alone, as after WHERE; `ofindex sql` answers whole queries";
  if (std::string hint = MisspeltWord(tokens, i); !hint.empty()) return hint;
  if (i > 0 && EndsString(tokens[i - 1]) && tokens[i - 1].end == token.begin) {
    return "double a single quote inside a string: 'it''s'";
  }
  if (i == 0) return sql.is_expression ? "begin with a column or a value" : "begin a statement with SELECT";
  return StrCat("check what follows `", EndOf(sql.text.substr(0, token.begin)), "`");
}

}  // namespace

std::string ColumnOfTwoWords(const std::vector<SqlToken>& tokens, size_t i, const std::vector<std::string>& columns) {
  if (i + 1 >= tokens.size() || tokens[i].kind != SqlToken::Kind::kWord || !IsSqlName(tokens[i + 1])) return {};
  const std::string both = StrCat(tokens[i].text, " ", Folded(tokens[i + 1].text));
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const std::string& one) { return Folded(one).find(both) != std::string::npos; });
  return found == columns.end() ? std::string() : *found;
}

std::string QuoteHint(std::string_view column) {
  return StrCat("write the column in double quotes: ", Printable(QuotedName(column)));
}

std::optional<SyntaxError> ExplainSyntax(std::string_view message, const WrittenSql& sql, size_t at,
                                         const std::vector<std::string>& names) {
  if (at < sql.text.size() && sql.text[at] == '#') return std::nullopt;
  const SqlTokens tokens = TokensOf(sql.text);
  if (message.starts_with(kUnknownToken)) {
    const std::string_view token = at < sql.text.size() ? sql.text.substr(at, 1) : "";
    return UnknownToken(message.substr(0, message.find('\n')), token, at, tokens);
  }
  if (message == "incomplete input") return EndsEarly(sql, tokens);
  if (!message.starts_with(kNearToken) || !message.ends_with(kSyntaxErrorEnd)) return std::nullopt;
  const auto surplus = std::find_if(tokens.begin(), tokens.end(), [](const SqlToken& one) { return one.depth < 0; });
  auto wrong = std::find_if(tokens.begin(), tokens.end(), [at](const SqlToken& one) { return one.begin == at; });
  if (at >= sql.text.size() && surplus != tokens.end()) wrong = surplus;
  if (wrong == tokens.end()) return EndsEarly(sql, tokens);
  return SyntaxError{
      StrCat("near \"", Printable(sql.text.substr(wrong->begin, wrong->end - wrong->begin)), kSyntaxErrorEnd),
      HintAt(sql, tokens, static_cast<size_t>(wrong - tokens.begin()), names), wrong->begin};
}

}  // namespace ofindex

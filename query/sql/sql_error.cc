#include "query/sql/sql_error.h"

#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_names.h"
#include "base/text.h"
#include "query/columns/missing_column.h"
#include "query/sql/functions/regexp_function.h"
#include "query/sql/sql_authorizer.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/sql/statements/syntax_error.h"
#include "query/tables/values/has_function.h"

namespace ofindex {
namespace {

constexpr char kNamesHint[] = "`SELECT name, \"column\" FROM features` lists the features and their columns";
constexpr char kQuotesHint[] =
    "a name that is not a plain word is in double quotes; `ofindex schema` lists the columns";
constexpr char kPatternHint[] = "write the pattern as for Perl or Python: `\\d+`, `^(train|val)_`, `(?i)cat`";
constexpr char kRefusedHint[] =
    "a statement may only read the tables of its session, and call functions without side effects";
constexpr char kPathHint[] = "write a path as '$.name', '$[0]' or '$.list[0].name'";

// Messages of SQLite, and what to do about them.
constexpr std::pair<std::string_view, const char*> kSqliteHints[] = {
    {"integer overflow", "total() adds numbers of any size, as floating-point numbers"},
    {"LIKE or GLOB pattern too complex", "write a shorter pattern"},
    {"ESCAPE expression must be a single character", "write the character in single quotes, as in ESCAPE '#'"},
};

// Beginnings of others.
constexpr std::pair<std::string_view, const char*> kSqliteBeginnings[] = {
    {"ambiguous column name", "write the name of the table before that of the column: records._id"},
    {"misuse of aggregate", "write aggregates after SELECT or HAVING, or in a subquery: (SELECT avg(x) FROM records)"},
    {"row value misused", "compare one value with one; join conditions with AND or OR"},
    {"misuse of window function", "write window functions after SELECT or ORDER BY"},
    {"aggregate functions are not allowed", "write aggregates after SELECT, HAVING or ORDER BY"},
    {"JSON path error", kPathHint},
    {"bad JSON path", kPathHint},
    {"malformed JSON", "`json_valid(x)` is 1 if x is JSON: CASE WHEN json_valid(x) THEN json_extract(x, '$.name') END"},
    {"wrong number of arguments to function",
     "see what each function takes: https://www.sqlite.org/lang_corefunc.html"},
    {"no such collation sequence", "the collations are BINARY, NOCASE and RTRIM"},
};
// Of messages that have none of their own.
constexpr char kExpressionHint[] = "see how SQLite writes expressions: https://www.sqlite.org/lang_expr.html";
constexpr char kStatementHint[] = "see how SQLite writes a SELECT: https://www.sqlite.org/lang_select.html";

ErrorCode CodeOf(int result) {
  if (result == SQLITE_IOERR_DATA) return ErrorCode::kStale;
  switch (result & 0xff) {
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG: return ErrorCode::kLimit;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorCode::kIndex;
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN: return ErrorCode::kIo;
    case SQLITE_INTERRUPT: return ErrorCode::kInterrupted;
    default: return ErrorCode::kUsage;
  }
}

Hint HintOf(ErrorCode code, std::string_view message, bool is_expression) {
  if (message == kNoList) return "`ofindex build --columns NAME` stores lists whole";
  if (message.starts_with(kRegexpError)) return kPatternHint;
  if (message.ends_with("may not be modified")) return "write a SELECT";
  for (const auto& [text, hint] : kSqliteHints) {
    if (message == text) return std::string(hint);
  }
  for (const auto& [text, hint] : kSqliteBeginnings) {
    if (message.starts_with(text)) return std::string(hint);
  }
  switch (code) {
    case ErrorCode::kLimit: return "query less at a time; values are limited to 64 MiB, statements to 100,000 bytes";
    case ErrorCode::kIndex: return "rebuild the index with `ofindex build --force`";
    case ErrorCode::kStale: return "open the dataset again";
    case ErrorCode::kIo: return "check that the index can still be read";
    default: break;
  }
  if (is_expression) return kExpressionHint;
  return kStatementHint;
}

std::string Meant(std::string_view wrong, const std::vector<std::string>& names) {
  const std::string meant = DidYouMean(NearestNames(wrong, names), "\"");
  return meant.empty() ? "" : "; " + meant;
}

// Returns `name` without the advice that SQLite 3.46 adds to names in double quotes.
std::string_view WithoutAdvice(std::string_view name) {
  constexpr std::string_view kAdvice = "\" - should this be a string literal in single-quotes?";
  if (!name.starts_with('"') || !name.ends_with(kAdvice) || name.size() <= kAdvice.size()) return name;
  return name.substr(1, name.size() - kAdvice.size() - 1);
}

// What was wrong with a statement, in place of SQLite's message; without text if the message is to stay.
struct Explained {
  std::string text = {};
  Hint hint = kNamesHint;
};

// Returns whether `c` is part of a name, as a person who does not know that it needs quotes writes it. These are all
// bytes of an SQL word, and more.
bool IsOfName(char c) {
  constexpr std::string_view kOthers = "_$/.:#-";
  const char folded = Folded(c);
  return (folded >= 'a' && folded <= 'z') || (c >= '0' && c <= '9') || static_cast<uint8_t>(c) >= 0x80 ||
         kOthers.find(c) != std::string_view::npos;
}

// Returns such a name at `at` in `text`.
std::string_view NameAt(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  text.remove_prefix(at);
  const auto end = std::find_if_not(text.begin(), text.end(), IsOfName);
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

// Returns whether token `i` is an element of a list after IN.
bool IsInList(const std::vector<SqlToken>& tokens, size_t i) {
  if (!tokens[i - 1].IsSymbol('(') && !tokens[i - 1].IsSymbol(',')) return false;
  size_t open = i - 1;
  while (open > 0 && tokens[open].depth >= tokens[i].depth) --open;
  return open > 0 && tokens[open].IsSymbol('(') && tokens[open - 1].IsWord("in");
}

// Returns whether token `i` is one of the bounds after BETWEEN.
bool IsBound(const std::vector<SqlToken>& tokens, size_t i) {
  if (tokens[i - 1].IsWord("between")) return true;
  if (!tokens[i - 1].IsWord("and")) return false;
  for (size_t k = i - 1; k-- > 0 && tokens[k].depth >= tokens[i].depth;) {
    if (tokens[k].depth > tokens[i].depth) continue;
    if (tokens[k].IsWord("between")) return true;
    if (tokens[k].IsWord("and") || tokens[k].IsWord("or")) return false;
  }
  return false;
}

// Returns whether token `i` is compared with what stands before it, as a string may be.
bool IsCompared(const std::vector<SqlToken>& tokens, size_t i) {
  if (i == 0 || tokens[i].kind != SqlToken::Kind::kWord) return false;
  const SqlToken& before = tokens[i - 1];
  if (IsInList(tokens, i) || IsBound(tokens, i)) return true;
  if (before.kind == SqlToken::Kind::kSymbol) return std::string_view("=<>").find(before.text[0]) != std::string::npos;
  if (before.IsWord("not")) return i > 1 && tokens[i - 2].IsWord("is");
  return before.IsWord("like") || before.IsWord("glob") || before.IsWord("regexp") || before.IsWord("is");
}

// Returns whether `name`, in lower case, is that of a table, of an index, or one that the statement gives a table.
bool NamesTable(const std::string& name, const std::vector<SqlToken>& tokens, const std::vector<std::string>& tables) {
  const bool known = std::any_of(tables.begin(), tables.end(), [&](const std::string& table) {
    const std::string folded = Folded(table);
    return folded == name || folded.starts_with(name + ".") || folded.ends_with("." + name);
  });
  if (known) return true;
  for (size_t i = 1; i < tokens.size(); ++i) {
    const bool qualifies = i + 1 < tokens.size() && tokens[i + 1].IsSymbol('.');
    const SqlToken& before = tokens[i - 1];
    const bool follows = IsSqlName(before) || before.IsSymbol(')');  // a table, AS or FROM; or a subquery
    if (IsSqlName(tokens[i]) && Folded(tokens[i].text) == name && !qualifies && follows) return true;
  }
  return false;
}

// Returns whether the name at byte `at` of `text`, which is no column, is probably meant to be a string.
bool IsMeantAsString(std::string_view text, size_t at, const SqlAuthorizer& authorizer) {
  const std::vector<SqlToken> tokens = TokensOf(text);
  const auto word = std::find_if(tokens.begin(), tokens.end(), [at](const SqlToken& one) { return one.begin == at; });
  if (word == tokens.end() || !IsCompared(tokens, static_cast<size_t>(word - tokens.begin()))) return false;
  const bool is_qualified = std::next(word) != tokens.end() && std::next(word)->IsSymbol('.');
  return !is_qualified || !NamesTable(word->text, tokens, authorizer.tables());
}

// Returns the text of the user, and whether it is an expression in a statement.
WrittenSql WrittenBy(const StatementSource& source) {
  std::string_view text = source.text.substr(std::min(source.written_from, source.text.size()));
  const std::string_view before = source.text.substr(0, std::min(source.written_from, source.text.size()));
  const bool is_expression = before.find("WHERE") != std::string_view::npos;
  if (is_expression && text.ends_with(kExpressionEnd)) text.remove_suffix(kExpressionEnd.size());
  return {text, is_expression};
}

// Returns the names of columns that must be in double quotes, since they are no plain words, or are words of SQL.
std::vector<std::string> NamesToQuote(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& name : columns) {
    const std::vector<SqlToken> tokens = TokensOf(name);
    const bool is_word = tokens.size() == 1 && tokens[0].kind == SqlToken::Kind::kWord;
    if (!is_word || sqlite3_keyword_check(name.data(), static_cast<int>(name.size())) != 0) names.push_back(name);
  }
  return names;
}

// Returns the user's statement with quotes around the `bytes` bytes at `at`; without the rest if it is long.
std::string WithString(const StatementSource& source, size_t at, size_t bytes) {
  constexpr size_t kMaxShown = 80;
  std::string string = StrCat("'", source.text.substr(at, bytes), "'");
  const size_t begin = std::max(source.begin, source.written_from);
  std::string_view after = source.text.substr(at + bytes);
  if (after.ends_with(kExpressionEnd)) after.remove_suffix(kExpressionEnd.size());
  while (after.ends_with('\n')) after.remove_suffix(1);
  if (begin > at || at - begin + after.size() + string.size() > kMaxShown) return string;
  std::string whole = StrCat(source.text.substr(begin, at - begin), string, after);
  return whole.find('"') == std::string::npos ? StrCat("\"", whole, "\"") : whole;
}

// Returns whether a statement of `tokens` names `table`, perhaps with its schema.
bool IsNamed(std::string_view table, const std::vector<SqlToken>& tokens) {
  const std::string name = Folded(table.substr(table.find('.') + 1));
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const SqlToken& token) { return IsSqlName(token) && Folded(token.text) == name; });
}

// Returns the columns that may be meant by `missed` in the statement `text`: those of the tables that it names.
std::vector<std::string> ColumnsInReach(std::string_view missed, std::string_view text,
                                        const SqlAuthorizer& authorizer) {
  const std::vector<SqlToken> tokens = TokensOf(text);
  const std::vector<std::string>& tables = authorizer.tables();
  const bool names_any =
      std::any_of(tables.begin(), tables.end(), [&](const std::string& table) { return IsNamed(table, tokens); });
  std::vector<std::string> columns;
  std::set<std::string> taken = {Folded(missed)};
  for (size_t i = 0; i < tables.size(); ++i) {
    if (names_any && !IsNamed(tables[i], tokens)) continue;
    for (const std::string& column : authorizer.columns_of(i)) {
      if (taken.insert(Folded(column)).second) columns.push_back(column);
    }
  }
  return columns;
}

// Explains `wrong`, with or without the name of a table before a dot.
MissingColumn MissingIn(const std::vector<std::string>& columns, std::string_view wrong,
                        const SqlAuthorizer& authorizer) {
  const auto explain = [&](std::string_view name) {
    return ExplainMissing(name, columns, authorizer.features(), "\"");
  };
  MissingColumn missing = explain(wrong);
  const size_t dot = wrong.find('.');
  return missing.instead.empty() && dot != std::string_view::npos ? explain(wrong.substr(dot + 1)) : missing;
}

// Lists the columns of the one table that the statement `text` names, if it is not a table of records.
Hint NamesHint(std::string_view text, const SqlAuthorizer& authorizer) {
  const std::vector<SqlToken> tokens = TokensOf(text);
  std::vector<const SqlTable*> named;
  for (const SqlTable& table : authorizer.registered()) {
    if (IsNamed(table.name, tokens)) named.push_back(&table);
  }
  if (named.size() != 1 || named[0]->name.ends_with("records")) return kNamesHint;
  std::string names;
  for (const SqlTable::Column& column : named[0]->columns) names += StrCat(names.empty() ? "" : ", ", column.name);
  return StrCat("the columns of ", named[0]->name, " are ", Printable(names));
}

Hint ColumnHint(const MissingColumn& missing, bool is_part, bool in_double_quotes, std::string_view wrong, Hint names) {
  if (is_part) return kQuotesHint;
  if (missing.without_column) return missing.hint;
  if (!missing.instead.empty() || !in_double_quotes) return names;
  return StrCat("a string is in single quotes: '", Printable(wrong), "'; `ofindex schema` lists the columns");
}

// Returns the one of `columns` that the name at byte `at` of `text` and the word after it would be in double quotes, as
// `first name`, in which SQLite takes `name` for an alias; empty if there is none.
std::string ColumnWithSpace(std::string_view text, size_t at, const std::vector<std::string>& columns) {
  const std::vector<SqlToken> tokens = TokensOf(text);
  const auto word = std::find_if(tokens.begin(), tokens.end(), [at](const SqlToken& one) { return one.begin == at; });
  return ColumnOfTwoWords(tokens, static_cast<size_t>(word - tokens.begin()), NamesToQuote(columns));
}

Explained NoColumn(std::string_view wrong, const StatementSource& source, size_t at, const SqlAuthorizer& authorizer) {
  const std::string_view text = source.text;
  // `image/height` without quotes is a division to SQLite, which misses `image` alone.
  const std::string_view whole = NameAt(text, at);
  const bool is_part = whole.size() > wrong.size() && whole.find('/') != std::string_view::npos;
  const std::vector<std::string> columns = ColumnsInReach(wrong, text, authorizer);
  if (const std::string column = ColumnWithSpace(text, at, columns); !column.empty()) {
    return {StrCat("no such column: \"", Printable(wrong), "\"; ", DidYouMean({column}, "\"")), QuoteHint(column)};
  }
  MissingColumn missing = is_part ? MissingIn(columns, whole, authorizer) : MissingColumn();
  if (missing.instead.empty()) missing = MissingIn(columns, wrong, authorizer);
  const bool in_double_quotes = at < text.size() && text[at] == '"';
  if (missing.instead.empty() && IsMeantAsString(text, at, authorizer)) {
    return {StrCat("no such column: \"", Printable(wrong), "\""),
            StrCat("a string is in single quotes, within the quotes of the shell or of Python: ",
                   Printable(WithString(source, at, whole.size())))};
  }
  return {StrCat("no such column: \"", Printable(wrong), "\"", missing.instead.empty() ? "" : "; ", missing.instead),
          ColumnHint(missing, is_part, in_double_quotes, wrong, NamesHint(text, authorizer))};
}

Explained NoTable(std::string_view wrong, const SqlAuthorizer& authorizer) {
  std::string tables;
  for (const std::string& table : authorizer.known_tables()) tables += (tables.empty() ? "" : ", ") + table;
  return {StrCat("no such table: \"", Printable(wrong), "\"", Meant(wrong, authorizer.known_tables())),
          "the tables are " + tables};
}

Explained NoFunction(std::string_view wrong) {
  return {StrCat("no such function: \"", Printable(wrong), "\"", Meant(wrong, SqlAuthorizer::Functions())),
          "functions of SQLite without side effects may be called, such as count(), round() and json_each()"};
}

// Explains a # outside of quotes, as in the name of a column such as "clip#count".
Explained NoToken(std::string_view message, std::string_view text, const SqlAuthorizer& authorizer) {
  const std::vector<SqlToken> tokens = TokensOf(text);
  const auto sign = std::find_if(tokens.begin(), tokens.end(), [](const SqlToken& one) { return one.IsSymbol('#'); });
  if (sign == tokens.end()) return {};
  size_t begin = sign->begin;
  while (begin > 0 && IsOfName(text[begin - 1])) --begin;
  const std::string_view name = NameAt(text, begin);
  return {StrCat(Printable(message), Meant(name, authorizer.columns())), kQuotesHint};
}

// Explains a message about an unknown name, which is at byte `at` of the statement, if SQLite knows where.
Explained Explain(std::string_view message, const StatementSource& source, size_t at, const SqlAuthorizer& authorizer) {
  const auto after = [&](std::string_view words) {
    return message.starts_with(words) ? message.substr(words.size()) : std::string_view();
  };
  if (const std::string_view column = after("no such column: "); !column.empty()) {
    return NoColumn(WithoutAdvice(column), source, at, authorizer);
  }
  if (const std::string_view table = after("no such table: "); !table.empty()) return NoTable(table, authorizer);
  if (const std::string_view function = after("no such function: "); !function.empty()) return NoFunction(function);
  const bool is_sign = message.starts_with("near \"#") || message.starts_with("unrecognized token: \"#");
  if (is_sign) return NoToken(message, source.text, authorizer);
  return {};
}

}  // namespace

Error SqlError(sqlite3* db, const SqlAuthorizer& authorizer, const StatementSource& source) {
  const int result = sqlite3_extended_errcode(db);
  const std::string message = sqlite3_errmsg(db);
  const int offset = sqlite3_error_offset(db);
  const size_t at = offset < 0 ? std::string::npos : source.begin + static_cast<size_t>(offset);
  const std::string place = offset < 0 ? std::string("SQL: ") : StrCat("SQL@", Shown(at, source.written_from), ": ");
  if ((result & 0xff) == SQLITE_AUTH) {
    return {ErrorCode::kUsage, StrCat(place, "refused: ", Printable(message)), kRefusedHint};
  }
  const ErrorCode code = CodeOf(result);
  const WrittenSql written = WrittenBy(source);
  if (code == ErrorCode::kUsage) {
    const size_t shown = offset < 0 ? std::string::npos : Shown(at, source.written_from);
    std::optional<SyntaxError> wrong = ExplainSyntax(message, written, shown, NamesToQuote(authorizer.columns()));
    if (wrong) return {code, StrCat("SQL@", wrong->at, ": ", wrong->text), std::move(wrong->hint)};
  }
  Explained explained = code == ErrorCode::kUsage ? Explain(message, source, at, authorizer) : Explained();
  if (!explained.text.empty()) return {code, place + explained.text, std::move(explained.hint)};
  return {code, StrCat(place, Printable(message)), HintOf(code, message, written.is_expression)};
}

}  // namespace ofindex

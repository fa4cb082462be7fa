#include "tools/prompt/sql_completion.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "query/sql/sql_authorizer.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/tables/records_table.h"

namespace ofindex {
namespace {

// The keywords of SQLite that a SELECT can have (sqlite.org/lang_keywords.html).
constexpr auto kKeywords = std::to_array<std::string_view>({
    "ALL",   "AND",      "AS",      "ASC",       "BETWEEN", "BY",        "CASE",   "CAST",      "COLLATE", "CROSS",
    "DESC",  "DISTINCT", "ELSE",    "END",       "ESCAPE",  "EXCEPT",    "EXISTS", "EXPLAIN",   "FILTER",  "FROM",
    "GLOB",  "GROUP",    "HAVING",  "IN",        "INNER",   "INTERSECT", "IS",     "ISNULL",    "JOIN",    "LEFT",
    "LIKE",  "LIMIT",    "NATURAL", "NOT",       "NOTNULL", "NULL",      "NULLS",  "OFFSET",    "ON",      "OR",
    "ORDER", "OUTER",    "OVER",    "PARTITION", "PLAN",    "QUERY",     "RANGE",  "RECURSIVE", "ROWS",    "SELECT",
    "THEN",  "UNION",    "USING",   "VALUES",    "WHEN",    "WHERE",     "WINDOW", "WITH",
});

// The keywords that SQLite 3.40 takes for no name without quotes.
// clang-format off
constexpr auto kReserved = std::to_array<std::string_view>({
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "cast", "check", "collate", "commit",
    "constraint", "create", "current_date", "current_time", "current_timestamp", "default", "deferrable", "delete",
    "distinct", "drop", "else", "escape", "except", "exists", "foreign", "from", "group", "having", "in", "index",
    "insert", "intersect", "into", "is", "isnull", "join", "limit", "not", "nothing", "notnull", "null", "on", "or",
    "order", "primary", "raise", "references", "returning", "select", "set", "table", "then", "to", "transaction",
    "union", "unique", "update", "using", "values", "when", "where"
});
// clang-format on

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         (c & 0x80) != 0;
}

// Bytes of names that need quotes, but that a user may enter without them: image/class/label, x[].
bool IsNameByte(char c) { return IsWordByte(c) || std::string_view("/#[]-").find(c) != std::string_view::npos; }

size_t BeginOfWord(std::string_view sql, bool (*is_word_byte)(char)) {
  size_t begin = sql.size();
  while (begin > 0 && is_word_byte(sql[begin - 1])) --begin;
  return begin;
}

bool HasPrefix(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && Folded(text.substr(0, prefix.size())) == Folded(prefix);
}

bool IsPlainWord(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && name[0] != '$' &&
         std::all_of(name.begin(), name.end(), IsWordByte) &&
         std::find(kReserved.begin(), kReserved.end(), Folded(name)) == kReserved.end();
}

// Returns the byte at which a name in double quotes begins that `sql` does not end; npos if there is none. Returns the
// size of `sql` if a string or another quoted name is open.
size_t OpenQuote(std::string_view sql, const std::vector<SqlToken>& tokens) {
  if (tokens.empty() || tokens.back().end != sql.size()) return std::string_view::npos;
  const SqlToken& last = tokens.back();
  const char quote = sql[last.begin];
  if (quote != '"' && quote != '\'' && quote != '`') return std::string_view::npos;
  const std::string_view text = sql.substr(last.begin);
  const bool closed = std::count(text.begin(), text.end(), quote) % 2 == 0;
  if (closed) return std::string_view::npos;
  return quote == '"' ? last.begin : sql.size();
}

// The schema of a table, empty if it has none, and its name in there.
std::pair<std::string_view, std::string_view> PartsOf(const SqlTable& table) {
  const std::string_view name = table.name;
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

// What can stand at the cursor.
struct CompletionPlace {
  bool tables = true;
  bool columns = true;
  bool words = true;                // keywords and functions
  const SqlTable* table = nullptr;  // whose columns; null: of all tables
  std::string schema = {};          // whose tables, if not empty
};

CompletionPlace PlaceAfterDot(const std::vector<SqlToken>& tokens, const std::vector<SqlTable>& tables) {
  const std::string name = Folded(tokens[tokens.size() - 2].text);
  const bool has_schema = tokens.size() >= 4 && tokens[tokens.size() - 3].IsSymbol('.');
  const std::string before = has_schema ? Folded(tokens[tokens.size() - 4].text) : "";
  CompletionPlace place{.tables = false, .words = false};
  for (const SqlTable& table : tables) {
    const auto [schema, table_name] = PartsOf(table);
    if (Folded(table_name) == name && Folded(schema) == before) place.table = &table;
    if (!has_schema && !schema.empty() && Folded(schema) == name) place.schema = schema;
  }
  // Without its schema, a table is that of the first index that has it.
  for (size_t i = tables.size(); i > 0 && place.table == nullptr && !has_schema; --i) {
    if (Folded(PartsOf(tables[i - 1]).second) == name) place.table = &tables[i - 1];
  }
  if (!place.schema.empty()) place.tables = true, place.columns = false;
  return place;
}

CompletionPlace PlaceAfter(const std::vector<SqlToken>& tokens, const std::vector<SqlTable>& tables) {
  if (tokens.empty()) return {.tables = false, .columns = false};
  const SqlToken& last = tokens.back();
  if (last.IsWord("from") || last.IsWord("join")) return {.columns = false, .words = false};
  if (!last.IsSymbol('.') || tokens.size() < 2) return {};
  return PlaceAfterDot(tokens, tables);
}

// Returns the columns that begin with `prefix`, each once: those of the first table come first.
std::vector<std::string> ColumnsWith(std::string_view prefix, const CompletionPlace& place,
                                     const std::vector<SqlTable>& tables) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  for (const SqlTable& table : tables) {
    if (!place.columns || (place.table != nullptr && place.table != &table)) continue;
    const size_t before = found.size();
    for (const SqlTable::Column& column : table.columns) {
      if (HasPrefix(column.name, prefix) && seen.insert(column.name).second) found.push_back(column.name);
    }
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
  }
  return found;
}

// Returns the tables that begin with `prefix`, as SQL takes them; in quotes if `quoted`. A name in quotes has no
// schema: b.records is two names, and "records" the table of the first index that has it.
std::vector<std::string> TablesWith(std::string_view prefix, const CompletionPlace& place,
                                    const std::vector<SqlTable>& tables, bool quoted = false) {
  std::set<std::string> found;
  for (const SqlTable& table : tables) {
    const auto [schema, name] = PartsOf(table);
    if (!place.tables || (!place.schema.empty() && schema != place.schema)) continue;
    const bool own_name = quoted || !place.schema.empty();
    if (!HasPrefix(own_name ? name : std::string_view(table.name), prefix)) continue;
    found.insert(quoted ? QuotedName(std::string(name)) : own_name ? SqlNameText(name) : SqlTableText(table));
  }
  return {found.begin(), found.end()};
}

// Returns the keywords and functions that begin with `prefix`, in its case.
std::vector<std::string> SqlWordsWith(std::string_view prefix) {
  std::vector<std::string> found;
  const bool lower = !prefix.empty() && prefix[0] >= 'a' && prefix[0] <= 'z';
  for (const std::string_view keyword : kKeywords) {
    if (HasPrefix(keyword, prefix)) found.push_back(lower ? Folded(keyword) : std::string(keyword));
  }
  for (const std::string& function : SqlAuthorizer::Functions()) {
    if (HasPrefix(function, prefix) && IsWordByte(function[0])) found.push_back(function + "(");
  }
  return found;
}

WordCompletion CompleteQuoted(std::string_view sql, size_t begin, const std::vector<SqlTable>& tables) {
  WordCompletion completion{begin, {}};
  const CompletionPlace place = PlaceAfter(TokensOf(sql.substr(0, begin)), tables);
  const std::string_view prefix = sql.substr(begin + 1);
  for (const std::string& name : ColumnsWith(prefix, place, tables)) completion.candidates.push_back(QuotedName(name));
  for (std::string& name : TablesWith(prefix, place, tables, true)) completion.candidates.push_back(std::move(name));
  return completion;
}

}  // namespace

std::string SqlNameText(std::string_view name) { return IsPlainWord(name) ? std::string(name) : QuotedName(name); }

std::string SqlTableText(const SqlTable& table) {
  const auto [schema, name] = PartsOf(table);
  return schema.empty() ? SqlNameText(name) : StrCat(SqlNameText(schema), ".", SqlNameText(name));
}

std::vector<std::string> WordsWith(std::string_view prefix, const std::vector<std::string>& words) {
  std::vector<std::string> found;
  std::copy_if(words.begin(), words.end(), std::back_inserter(found),
               [&](const std::string& word) { return HasPrefix(word, prefix); });
  return found;
}

WordCompletion CompleteSql(std::string_view sql, const std::vector<SqlTable>& tables) {
  if (const size_t quote = OpenQuote(sql, TokensOf(sql)); quote != std::string_view::npos) {
    return quote == sql.size() ? WordCompletion{} : CompleteQuoted(sql, quote, tables);
  }
  // A name such as image/height is one word, if there is such a name; otherwise the slash divides.
  for (const auto is_word_byte : {IsNameByte, IsWordByte}) {
    const size_t begin = BeginOfWord(sql, is_word_byte);
    const std::string_view word = sql.substr(begin);
    const CompletionPlace place = PlaceAfter(TokensOf(sql.substr(0, begin)), tables);
    WordCompletion completion{begin, {}};
    std::vector<std::string>& found = completion.candidates;
    for (const std::string& name : ColumnsWith(word, place, tables)) found.push_back(SqlNameText(name));
    for (std::string& name : TablesWith(word, place, tables)) found.push_back(std::move(name));
    if (place.words && !word.empty()) {
      const std::vector<std::string> words = SqlWordsWith(word);
      found.insert(found.end(), words.begin(), words.end());
    }
    if (!found.empty()) return completion;
  }
  return {};
}

}  // namespace ofindex

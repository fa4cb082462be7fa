#include "query/sql/sql_error.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_names.h"
#include "base/text.h"
#include "query/sql/functions/regexp_function.h"
#include "query/sql/sql_authorizer.h"
#include "query/tables/values/has_function.h"

namespace ofindex {
namespace {

constexpr char kNamesHint[] = "`SELECT name, \"column\" FROM features` lists the features and their columns";
constexpr char kPatternHint[] = "write the pattern as for Perl or Python: `\\d+`, `^(train|val)_`, `(?i)cat`";
constexpr char kRefusedHint[] =
    "a statement may only read the tables records, shards, features, bad and damage, and call functions without side "
    "effects";

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

Hint HintOf(ErrorCode code, std::string_view message) {
  if (message == kNoList) return "`ofindex build --columns NAME` stores lists whole";
  if (message.starts_with(kRegexpError)) return kPatternHint;
  switch (code) {
    case ErrorCode::kLimit: return "query less at a time; values are limited to 64 MiB, statements to 100,000 bytes";
    case ErrorCode::kIndex: return "rebuild the index with `ofindex build --force`";
    case ErrorCode::kStale: return "open the dataset again";
    case ErrorCode::kIo: return "check that the index can still be read";
    default: return "`ofindex schema INDEX` lists the columns";
  }
}

/// SQLite's words in front of an unknown name, and the kind of names that exist.
struct UnknownName {
  std::string_view words;
  std::vector<std::string> (*names)(const SqlAuthorizer&);
};

const std::array<UnknownName, 3> kUnknownNames = {{
    {"no such column: ", [](const SqlAuthorizer& authorizer) { return authorizer.columns(); }},
    {"no such table: ", [](const SqlAuthorizer& authorizer) { return authorizer.tables(); }},
    {"no such function: ", [](const SqlAuthorizer&) { return SqlAuthorizer::Functions(); }},
}};

// Returns the nearest names, also for the part after a table's name and a dot. Feature names contain dots too.
std::vector<std::string> Nearest(std::string_view wrong, const std::vector<std::string>& names) {
  std::vector<std::string> nearest = NearestNames(wrong, names);
  if (const size_t dot = wrong.find('.'); nearest.empty() && dot != std::string_view::npos) {
    nearest = NearestNames(wrong.substr(dot + 1), names);
  }
  return nearest;
}

// Returns `name` without the advice that SQLite 3.46 adds to names in double quotes.
std::string_view WithoutAdvice(std::string_view name) {
  constexpr std::string_view kAdvice = "\" - should this be a string literal in single-quotes?";
  if (!name.starts_with('"') || !name.ends_with(kAdvice) || name.size() <= kAdvice.size()) return name;
  return name.substr(1, name.size() - kAdvice.size() - 1);
}

// Returns `message` with what was probably meant, if it is about an unknown name, otherwise nothing.
std::string WithNearest(std::string_view message, const SqlAuthorizer& authorizer) {
  for (const UnknownName& kind : kUnknownNames) {
    if (!message.starts_with(kind.words)) continue;
    const std::string_view wrong = WithoutAdvice(message.substr(kind.words.size()));
    const std::string meant = DidYouMean(Nearest(wrong, kind.names(authorizer)), "\"");
    return StrCat(kind.words, "\"", Printable(wrong), "\"", meant.empty() ? "" : "; ", meant);
  }
  return {};
}

std::string Place(sqlite3* db, size_t begin, size_t written_from) {
  const int offset = sqlite3_error_offset(db);
  return offset < 0 ? std::string("SQL: ")
                    : StrCat("SQL@", Shown(begin + static_cast<size_t>(offset), written_from), ": ");
}

}  // namespace

Error SqlError(sqlite3* db, const SqlAuthorizer& authorizer, size_t begin, size_t written_from) {
  const int result = sqlite3_extended_errcode(db);
  const std::string message = sqlite3_errmsg(db);
  const std::string place = Place(db, begin, written_from);
  if ((result & 0xff) == SQLITE_AUTH) {
    return {ErrorCode::kUsage, StrCat(place, "refused: ", Printable(message)), kRefusedHint};
  }
  const ErrorCode code = CodeOf(result);
  const std::string named = code == ErrorCode::kUsage ? WithNearest(message, authorizer) : std::string();
  if (!named.empty()) return {code, place + named, kNamesHint};
  return {code, StrCat(place, Printable(message)), HintOf(code, message)};
}

}  // namespace ofindex

#include "query/sql/functions/regexp_function.h"

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "query/sql/functions/pattern.h"

namespace ofindex {
namespace {

constexpr int kPatternArgument = 0;

// Returns the text of a value that is not NULL. Errors: kLimit if SQLite has no memory.
Result<std::string_view> TextIn(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return Fail(ErrorCode::kLimit, "out of memory for a text");
  return std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(value)));
}

// Compiles the pattern. SQLite keeps it for the next call if the argument is a constant, and may drop it at once:
// `owned` holds it then.
Result<Pattern*> PatternOf(sqlite3_context* context, sqlite3_value* value, std::unique_ptr<Pattern>& owned) {
  auto* const kept = static_cast<Pattern*>(sqlite3_get_auxdata(context, kPatternArgument));
  if (kept != nullptr) return kept;
  OFINDEX_ASSIGN(const std::string_view text, TextIn(value));
  OFINDEX_ASSIGN(owned, Pattern::Compile(text));
  return owned.get();
}

Result<bool> Search(sqlite3_context* context, sqlite3_value** values) {
  const auto& limits = *static_cast<const WorkLimits*>(sqlite3_user_data(context));
  std::unique_ptr<Pattern> owned;
  OFINDEX_ASSIGN(Pattern* const pattern, PatternOf(context, values[0], owned));
  OFINDEX_ASSIGN(const std::string_view text, TextIn(values[1]));
  Result<bool> found = pattern->FoundIn(text, limits);
  if (owned != nullptr) {
    sqlite3_set_auxdata(context, kPatternArgument, owned.release(),
                        [](void* old) { delete static_cast<Pattern*>(old); });
  }
  return found;
}

void ReportSearch(sqlite3_context* context, const Error& error) {
  if (error.code == ErrorCode::kInterrupted) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  if (error.code == ErrorCode::kLimit) return sqlite3_result_error_nomem(context);
  sqlite3_result_error(context, StrCat(kRegexpError, error.message).c_str(), -1);
}

}  // namespace

void Regexp(sqlite3_context* context, int, sqlite3_value** values) {
  for (int i = 0; i < 2; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return;
  }
  if (sqlite3_value_type(values[0]) == SQLITE_BLOB || sqlite3_value_type(values[1]) == SQLITE_BLOB) {
    return sqlite3_result_int(context, 0);
  }
  bool found = false;
  const Result<void> searched = WithMemory("a regular expression", [&]() -> Result<void> {
    OFINDEX_ASSIGN(found, Search(context, values));
    return {};
  });
  if (searched) return sqlite3_result_int(context, found ? 1 : 0);
  // There may be no memory for the message.
  const Result<void> reported = WithMemory("a message", [&]() -> Result<void> {
    ReportSearch(context, searched.error());
    return {};
  });
  if (!reported) sqlite3_result_error_nomem(context);
}

}  // namespace ofindex

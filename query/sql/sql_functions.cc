#include "query/sql/sql_functions.h"

#include <sqlite3.h>
#include <string.h>

#include <optional>
#include <string_view>

#include "query/filter/like_pattern.h"
#include "query/sql/statement_monitor.h"

namespace ofindex {
namespace {

constexpr uint64_t kBytesBetweenChecks = 1 << 20;

// Asks the monitor of the running statement.
bool MayContinue(sqlite3_context* context) {
  StatementMonitor* const monitor = *static_cast<StatementMonitor* const*>(sqlite3_user_data(context));
  return monitor == nullptr || monitor->MayContinue();
}

void Stop(sqlite3_context* context) { sqlite3_result_error_code(context, SQLITE_INTERRUPT); }

// Returns the value as text, or as the bytes of a blob; nothing, and an error in `context`, if memory ran out.
std::optional<std::string_view> TextOf(sqlite3_context* context, sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
  if (text == nullptr && size > 0) {
    sqlite3_result_error_nomem(context);
    return std::nullopt;
  }
  return std::string_view(text == nullptr ? "" : text, size);
}

bool AnyNull(int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return true;
  }
  return false;
}

bool Continues(char c) { return (c & 0xc0) == 0x80; }

size_t Find(std::string_view text, std::string_view part) {
  const void* found = ::memmem(text.data(), text.size(), part.data(), part.size());
  return found == nullptr ? std::string_view::npos : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// Returns the number of characters before byte `at`, which begins one.
sqlite3_int64 CharactersBefore(std::string_view text, size_t at) {
  sqlite3_int64 count = at > 0 ? 1 : 0;
  for (size_t i = 1; i < at; ++i) count += Continues(text[i]) ? 0 : 1;
  return count;
}

// instr(X, Y): the position of Y in X, in characters or, for blobs, in bytes; from 1, and 0 if Y does not occur.
void Instr(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const bool blobs = sqlite3_value_type(values[0]) == SQLITE_BLOB && sqlite3_value_type(values[1]) == SQLITE_BLOB;
  const auto text = TextOf(context, values[0]);
  const auto part = TextOf(context, values[1]);
  if (!text || !part) return;
  for (size_t from = 0; MayContinue(context);) {
    const size_t found = Find(text->substr(from), *part);
    if (found == std::string_view::npos) return sqlite3_result_int(context, 0);
    const size_t at = from + found;
    if (blobs) return sqlite3_result_int64(context, static_cast<sqlite3_int64>(at) + 1);
    if (at == 0 || at == text->size() || !Continues((*text)[at])) {
      return sqlite3_result_int64(context, CharactersBefore(*text, at) + 1);
    }
    from = at + 1;
  }
  Stop(context);
}

// replace(X, Y, Z): X with each Y replaced by Z.
void Replace(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(2, values)) return;
  auto text = TextOf(context, values[0]);
  const auto part = TextOf(context, values[1]);
  if (!text || !part) return;
  if (part->empty() || part->front() == '\0') return sqlite3_result_value(context, values[0]);
  if (AnyNull(count, values)) return;
  const auto instead = TextOf(context, values[2]);
  if (!instead) return;
  sqlite3_str* const out = sqlite3_str_new(sqlite3_context_db_handle(context));
  const auto append = [&](std::string_view piece) {
    sqlite3_str_append(out, piece.data(), static_cast<int>(piece.size()));
  };
  bool going = true;
  for (uint64_t since = 0; going && sqlite3_str_errcode(out) == SQLITE_OK;) {
    const size_t found = Find(*text, *part);
    append(text->substr(0, found));
    if (found == std::string_view::npos) break;
    append(*instead);
    text->remove_prefix(found + part->size());
    since += found + part->size();
    if (since < kBytesBetweenChecks) continue;
    since = 0;
    going = MayContinue(context);
  }
  const int error = sqlite3_str_errcode(out);
  const auto size = static_cast<sqlite3_uint64>(sqlite3_str_length(out));
  char* const result = sqlite3_str_finish(out);
  if (error == SQLITE_OK && going) {
    if (result == nullptr) return sqlite3_result_text(context, "", 0, SQLITE_STATIC);
    return sqlite3_result_text64(context, result, size, sqlite3_free, SQLITE_UTF8);
  }
  sqlite3_free(result);
  if (!going) return Stop(context);
  sqlite3_result_error_code(context, error);
}

// A text to trim at its ends, and the characters to remove, none of them empty.
class Trimmed {
 public:
  Trimmed(sqlite3_context* context, std::string_view text, std::string_view characters)
      : context_(context), text_(text), characters_(characters) {}

  // These return false if they were stopped.
  bool Front() {
    for (std::string_view one = AtEnd(true); !one.empty(); one = AtEnd(true)) text_.remove_prefix(one.size());
    return !stopped_;
  }
  bool Back() {
    for (std::string_view one = AtEnd(false); !one.empty(); one = AtEnd(false)) text_.remove_suffix(one.size());
    return !stopped_;
  }

  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  // Returns the character at the start or end of the text, if it must be removed, otherwise an empty string.
  std::string_view AtEnd(bool front) {
    spent_ += characters_.size() + 1;
    if (spent_ >= kBytesBetweenChecks) {
      spent_ = 0;
      stopped_ = !MayContinue(context_);
    }
    if (stopped_) return {};
    for (std::string_view rest = characters_; !rest.empty();) {
      size_t n = 1;
      while (static_cast<unsigned char>(rest[0]) >= 0xc0 && n < rest.size() && Continues(rest[n])) ++n;
      const std::string_view one = rest.substr(0, n);
      if (front ? text_.starts_with(one) : text_.ends_with(one)) return one;
      rest.remove_prefix(n);
    }
    return {};
  }

  sqlite3_context* const context_;
  std::string_view text_;
  const std::string_view characters_;
  uint64_t spent_ = 0;
  bool stopped_ = false;
};

// trim(X), trim(X, Y) and the one-sided forms: X without spaces, or characters of Y, at its ends.
template <bool kFront, bool kBack>
void Trim(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const auto text = TextOf(context, values[0]);
  const auto characters = count > 1 ? TextOf(context, values[1]) : std::string_view(" ");
  if (!text || !characters) return;
  Trimmed trimmed(context, *text, characters->substr(0, characters->find('\0')));
  if ((kFront && !trimmed.Front()) || (kBack && !trimmed.Back())) return Stop(context);
  sqlite3_result_text64(context, trimmed.text().data(), trimmed.text().size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void ResultOfMatch(sqlite3_context* context, sqlite3_value* text_value, sqlite3_value* pattern_value,
                   const PatternRules& rules) {
  const auto text = TextOf(context, text_value);
  const auto pattern = TextOf(context, pattern_value);
  if (!text || !pattern) return;
  const int limit = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
  if (pattern->size() > static_cast<size_t>(limit)) {
    return sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
  }
  bool going = true;
  // SQLite's own functions stop at the first NUL.
  const bool matches = Matches(text->substr(0, text->find('\0')), pattern->substr(0, pattern->find('\0')), rules,
                               [&] { return going = MayContinue(context); });
  if (!going) return Stop(context);
  sqlite3_result_int(context, matches ? 1 : 0);
}

// X LIKE Y is like(Y, X), X GLOB Y is glob(Y, X). A blob matches nothing, as in Debian's SQLite.
template <bool kLike>
void Match(sqlite3_context* context, int count, sqlite3_value** values) {
  PatternRules rules = kLike ? kLikeRules : kGlobRules;
  if (sqlite3_value_type(values[0]) == SQLITE_BLOB || sqlite3_value_type(values[1]) == SQLITE_BLOB) {
    return sqlite3_result_int(context, 0);
  }
  if (AnyNull(count, values)) return;
  if (count > 2) {
    const auto escape = TextOf(context, values[2]);
    if (!escape) return;
    if (escape->empty() || CharactersBefore(*escape, escape->size()) != 1) {
      return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    }
    rules.escape = *escape;
  }
  ResultOfMatch(context, values[1], values[0], rules);
}

}  // namespace

bool RegisterSqlFunctions(sqlite3* db, StatementMonitor* const* running) {
  using Function = void (*)(sqlite3_context*, int, sqlite3_value**);
  struct Row {
    const char* name;
    int arguments;
    Function function;
  };
  static constexpr Row kRows[] = {
      {"instr", 2, Instr},
      {"replace", 3, Replace},
      {"trim", 1, Trim<true, true>},
      {"trim", 2, Trim<true, true>},
      {"ltrim", 1, Trim<true, false>},
      {"ltrim", 2, Trim<true, false>},
      {"rtrim", 1, Trim<false, true>},
      {"rtrim", 2, Trim<false, true>},
      {"like", 2, Match<true>},
      {"like", 3, Match<true>},
      {"glob", 2, Match<false>},
  };
  for (const Row& row : kRows) {
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    auto* const data = const_cast<StatementMonitor**>(running);
    if (sqlite3_create_function_v2(db, row.name, row.arguments, flags, data, row.function, nullptr, nullptr, nullptr) !=
        SQLITE_OK) {
      return false;
    }
  }
  return true;
}

}  // namespace ofindex

#include "query/sql/statements/statement_text.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace ofindex {
namespace {

// Returns the end of the whitespace or comment that begins at `at`; `at` itself if none does. SQLite takes a byte order
// mark for a space.
size_t EndOfSpace(std::string_view sql, size_t at) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (IsSpace(sql[at])) return at + 1;
  const std::string_view rest = sql.substr(at);
  if (rest.starts_with(kByteOrderMark)) return at + kByteOrderMark.size();
  const std::string_view close = rest.starts_with("--") ? "\n" : "*/";
  if (!rest.starts_with("--") && !rest.starts_with("/*")) return at;
  const size_t end = sql.find(close, at + 2);
  return end == std::string_view::npos ? sql.size() : end + close.size();
}

}  // namespace

size_t SkipSpace(std::string_view sql, size_t from) {
  while (from < sql.size()) {
    const size_t end = EndOfSpace(sql, from);
    if (end == from) break;
    from = end;
  }
  return from;
}

size_t SkipBlank(std::string_view sql, size_t from) {
  from = SkipSpace(sql, from);
  while (from < sql.size() && sql[from] == ';') from = SkipSpace(sql, from + 1);
  return from;
}

std::string_view WithoutExplain(std::string_view sql) {
  const auto skip = [](std::string_view from, std::string_view word) {
    const size_t begin = SkipBlank(from, 0);
    const bool found = Folded(from.substr(begin, word.size())) == word;
    const std::string_view rest = found ? from.substr(begin + word.size()) : from;
    return found && SkipBlank(rest, 0) > 0 ? rest : from;
  };
  const std::string_view explained = skip(sql, "explain");
  const std::string_view query = explained.size() == sql.size() ? sql : skip(explained, "query");
  const std::string_view plan = query.size() == explained.size() ? query : skip(query, "plan");
  return plan.size() == query.size() ? explained : plan;
}

bool MayAggregate(std::string_view sql) {
  constexpr std::array<std::string_view, 8> kWords = {"group", "distinct", "count", "sum",
                                                      "total", "avg",      "min",   "max"};
  const std::string text = Folded(sql);
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return text.find(word) != text.npos; });
}

}  // namespace ofindex

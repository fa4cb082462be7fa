#include "query/sql/statement_text.h"

namespace ofindex {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Returns the end of the whitespace or comment that begins at `at`; `at` itself if none does.
size_t EndOfSpace(std::string_view sql, size_t at) {
  if (IsSpace(sql[at])) return at + 1;
  const std::string_view rest = sql.substr(at);
  const std::string_view close = rest.starts_with("--") ? "\n" : "*/";
  if (!rest.starts_with("--") && !rest.starts_with("/*")) return at;
  const size_t end = sql.find(close, at + 2);
  return end == std::string_view::npos ? sql.size() : end + close.size();
}

}  // namespace

size_t SkipBlank(std::string_view sql, size_t from) {
  while (from < sql.size()) {
    const size_t end = sql[from] == ';' ? from + 1 : EndOfSpace(sql, from);
    if (end == from) break;
    from = end;
  }
  return from;
}

}  // namespace ofindex

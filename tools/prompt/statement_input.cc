#include "tools/prompt/statement_input.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "query/sql/statements/sql_tokens.h"
#include "query/sql/statements/statement_text.h"

namespace ofindex {
namespace {

// Returns `sql` on one line: line ends and comments become a space.
std::string OnOneLine(const std::string& sql) {
  std::string line;
  size_t end = 0;
  for (const SqlToken& token : TokensOf(sql)) {
    const std::string_view gap = std::string_view(sql).substr(end, token.begin - end);
    line += gap.find('\n') == std::string_view::npos ? gap : " ";
    line += sql.substr(token.begin, token.end - token.begin);
    end = token.end;
  }
  line.erase(0, line.find_first_not_of(' '));
  return line.find('\n') == std::string::npos ? line : "";
}

}  // namespace

std::vector<std::string> StatementInput::Add(std::string_view line) {
  entered_ += StrCat(line, "\n");
  unfinished_ += StrCat(line, "\n");
  std::vector<std::string> statements;
  size_t begin = 0;
  for (const SqlToken& token : TokensOf(unfinished_)) {
    if (!token.IsSymbol(';')) continue;
    const size_t first = SkipSpace(unfinished_, begin);
    if (first < token.begin) statements.push_back(unfinished_.substr(first, token.begin - first));
    begin = token.end;
  }
  unfinished_.erase(0, begin);
  if (SkipBlank(unfinished_, 0) == unfinished_.size()) unfinished_.clear();
  return statements;
}

void StatementInput::Clear() {
  unfinished_.clear();
  entered_.clear();
}

std::string StatementInput::TakeEntry() {
  std::string entered = std::exchange(entered_, "");
  if (entered.ends_with('\n')) entered.pop_back();
  return entered.find('\n') == std::string::npos ? entered : OnOneLine(entered);
}

}  // namespace ofindex

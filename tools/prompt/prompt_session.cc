#include "tools/prompt/prompt_session.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "base/allocation.h"
#include "base/text.h"
#include "tools/options/statement_notes.h"
#include "tools/prompt/pager.h"
#include "tools/shell/messages.h"
#include "tools/shell/value_text.h"
#include "tools/terminal/terminal.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxPromptRows = 1000;  // of a table, which is kept in memory
constexpr size_t kUnknownPromptWidth = 80;
constexpr std::string_view kExplain = "EXPLAIN QUERY PLAN ";
constexpr RestAdvice kRestAdvice = {.columns = "`.mode line` shows all",
                                    .rows = "`ofindex sql` with --max-rows N shows more"};

std::string SecondsText(std::chrono::steady_clock::duration duration) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3f s", std::chrono::duration<double>(duration).count());
  return text.data();
}

// Writes the steps of a plan, each indented by two more than the step to which it belongs.
Result<void> WritePlan(SqlRows& rows, Output& out) {
  constexpr size_t kId = 0;
  constexpr size_t kParent = 1;
  constexpr size_t kDetail = 3;
  std::map<int64_t, size_t> depths;
  OFINDEX_ASSIGN(bool more, rows.Next());
  while (more) {
    const auto parent = depths.find(rows.At(kParent).integer);
    const size_t depth = parent == depths.end() ? 0 : parent->second + 1;
    depths[rows.At(kId).integer] = depth;
    OFINDEX_TRY(out.Line(StrCat(std::string(2 * depth, ' '), ShownValue(rows.At(kDetail), kUncut))));
    OFINDEX_ASSIGN(more, rows.Next());
  }
  return out.Flush();
}

}  // namespace

size_t PromptSession::Width() const {
  return settings_.width ? *settings_.width : TerminalWidth(STDOUT_FILENO).value_or(kUnknownPromptWidth);
}

SqlLimits PromptSession::Limits() const {
  SqlLimits limits = options_.limits;
  if (!limits.rows && settings_.form == RowForm::kTable) limits.rows = kMaxPromptRows;
  return limits;
}

bool PromptSession::Run(std::string_view sql) const {
  const SqlLimits limits = Limits();
  WrittenRows written;
  Paged([&](Output& out) -> Result<void> {
    const Statement statement{sql, options_.parameters, limits, {settings_.form, Width()}};
    OFINDEX_ASSIGN(written, WriteRows(session_, statement, out));
    return {};
  });
  if (written.complete) NoteOnStatement(sql, session_, context_);
  PrintNotesOn(written, limits, kRestAdvice, context_);
  if (settings_.timer && written.complete) Show(StrCat("time: ", SecondsText(written.taken), "\n"));
  return written.complete;
}

void PromptSession::Explain(std::string_view sql) const {
  SqlLimits limits = options_.limits;
  limits.rows.reset();
  Paged([&](Output& out) -> Result<void> {
    OFINDEX_ASSIGN(SqlRows rows, session_.Query(StrCat(kExplain, sql), options_.parameters, limits, kExplain.size()));
    return WritePlan(rows, out);
  });
}

void PromptSession::Show(const Table& table, std::string_view before) const {
  Paged([&](Output& out) -> Result<void> {
    OFINDEX_TRY(out.Write(before));
    OFINDEX_TRY(table.Print(out, Width()));
    return out.Flush();
  });
}

void PromptSession::Show(std::string_view text) const {
  Paged([&](Output& out) -> Result<void> {
    OFINDEX_TRY(out.Write(text));
    return out.Flush();
  });
}

// Shows what `write` writes and flushes, then its error. An error ends nothing but the result.
void PromptSession::Paged(const std::function<Result<void>(Output&)>& write) const {
  Pager pager(context_);
  Output out([&](std::string_view text) { return pager.Write(text); });
  const Result<void> outcome = WithMemory("this statement", [&] { return write(out); });
  const Result<void> ended = pager.End();
  if (pager.left() || (outcome && ended)) return;
  const Error& error = outcome ? ended.error() : outcome.error();
  if (error.code == ErrorCode::kInterrupted) {
    PrintNote("interrupted", context_);
  } else {
    PrintError(error, context_);
  }
}

}  // namespace ofindex

#include "tools/rows/statement.h"

#include "base/text.h"
#include "tools/shell/messages.h"

namespace ofindex {
namespace {

// Adds the time that `work` takes to `taken`.
template <typename Work>
auto Timed(std::chrono::steady_clock::duration& taken, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  auto outcome = work();
  taken += std::chrono::steady_clock::now() - begin;
  return outcome;
}

}  // namespace

Result<WrittenRows> WriteRows(SqlSession& session, const Statement& statement, Output& out) {
  WrittenRows written;
  OFINDEX_ASSIGN(SqlRows rows, Timed(written.taken, [&] {
                   return session.Query(statement.sql, statement.parameters, statement.limits);
                 }));
  RowWriter writer(statement.style, rows.columns(), out);
  const auto next = [&] { return Timed(written.taken, [&] { return rows.Next(); }); };
  OFINDEX_ASSIGN(bool more, next());
  OFINDEX_TRY(writer.Begin());
  while (more) {
    OFINDEX_TRY(writer.Row(rows));
    OFINDEX_ASSIGN(more, next());
  }
  OFINDEX_TRY(writer.End(rows.truncated()));
  OFINDEX_TRY(out.Flush());
  written.complete = true;
  written.truncated = rows.truncated();
  written.columns_left_out = writer.columns_left_out();
  return written;
}

void PrintNotesOn(const WrittenRows& written, const SqlLimits& limits, const RestAdvice& advice,
                  const Context& context) {
  if (written.columns_left_out > 0) {
    PrintNote(StrCat(Counted(written.columns_left_out, "more column"), " did not fit; ", advice.columns), context);
  }
  if (written.truncated) {
    PrintNote(StrCat("truncated: there are more than ", Counted(*limits.rows, "row"), "; ", advice.rows), context);
  }
}

}  // namespace ofindex

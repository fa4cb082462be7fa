#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "query/sql/sql_session.h"
#include "tools/rows/row_writer.h"
#include "tools/shell/context.h"

namespace ofindex {

/// A statement, and how to run it.
struct Statement {
  std::string_view sql;
  const std::vector<SqlParameter>& parameters;
  const SqlLimits& limits;
  RowStyle style;
};

/// What WriteRows has written.
struct WrittenRows {
  bool complete = false;                        ///< the statement has not failed
  bool truncated = false;                       ///< there are more rows than `limits` allowed
  size_t columns_left_out = 0;                  ///< for which a table had no place
  std::chrono::steady_clock::duration taken{};  ///< by the statement, without the time of the output
};

/// Runs a statement on `session` and writes its rows to `out`, which it flushes. Nothing is written before the first
/// row exists, so that a statement that fails at once prints no data. Errors: those of SqlSession::Query, SqlRows::Next
/// and Output.
[[nodiscard]] Result<WrittenRows> WriteRows(SqlSession& session, const Statement& statement, Output& out);

/// Advice on how to see the columns and rows that were left out.
struct RestAdvice {
  std::string_view columns;
  std::string_view rows;
};

/// Prints a note on columns that were not written, and one on rows.
void PrintNotesOn(const WrittenRows& written, const SqlLimits& limits, const RestAdvice& advice,
                  const Context& context);

}  // namespace ofindex

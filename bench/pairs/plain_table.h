#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "index/database/sqlite.h"
#include "query/sql/sql_session.h"

namespace ofindex {

/// A query on `records`, whose rows have this many numbers.
struct Question {
  std::string sql;
  int columns = 0;
};

/// The table that a program would have if it copied the columns into SQLite: an ordinary table `records` with label,
/// height, width, score, and _id as its rowid. Movable, not copyable; not thread-safe.
class PlainTable {
 public:
  /// Copies the records of `session` into a table in a new file at `path`, whose pages all stay in SQLite's own cache.
  /// Errors: kIo, and those of SqlSession::Query.
  [[nodiscard]] static Result<PlainTable> Copy(SqlSession& session, const std::string& path);

  /// Runs the query, and returns a sum over the numbers in all rows, reals truncated to integers.
  [[nodiscard]] Result<uint64_t> SumOver(const Question& question);

 private:
  explicit PlainTable(sqlite::Database database) : database_(std::move(database)) {}

  sqlite::Database database_;
};

/// Returns the same sum over the rows that `session` returns.
[[nodiscard]] Result<uint64_t> SumOver(SqlSession& session, const Question& question);

}  // namespace ofindex

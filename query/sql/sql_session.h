#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/columns/column_store.h"
#include "query/sql/sql_guard.h"
#include "query/tables/work_limits.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ofindex {

class SqlGate;

/// A value for a parameter of a statement: `name` is "label" for :label, @label and $label, and "1" for ?1 and the
/// first ?.
struct SqlParameter {
  std::string name;
  ColumnValue value;
};

/// A value of a row. Bytes are valid until the next step.
using SqlValue = Chunk::Value;

/// The rows of one statement, one after the other. Moves, does not copy; not thread-safe; must not outlive its session.
class SqlRows {
 public:
  SqlRows(SqlRows&& other) noexcept;
  SqlRows& operator=(SqlRows&& other) noexcept;
  ~SqlRows();

  /// Names of the columns, which need not differ.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  /// Steps to the next row. Returns false after the last, or after as many as the limits allow; see truncated().
  /// Errors: kUsage        the statement is wrong for what the row holds
  ///         kLimit        time or memory ran out, or a value is too large
  ///         kInterrupted  the statement was cancelled
  ///         kIndex, kIo   the index is damaged, or cannot be read
  [[nodiscard]] Result<bool> Next();

  /// Column `column` of the row that Next came to, from 0.
  [[nodiscard]] SqlValue At(size_t column) const;

  /// True if Next returned false and there were more rows.
  [[nodiscard]] bool truncated() const { return truncated_; }

 private:
  friend class SqlSession;
  SqlRows(sqlite3_stmt* statement, SqlGate& gate, std::unique_ptr<SqlGuard> guard, std::optional<uint64_t> most_rows);

  [[nodiscard]] Result<void> Bind(const std::vector<SqlParameter>& parameters);

  sqlite3_stmt* statement_;
  SqlGate* gate_;
  std::unique_ptr<SqlGuard> guard_;
  std::vector<std::string> columns_;
  std::optional<uint64_t> rows_left_;
  bool truncated_ = false;
};

/// A connection on which strangers may ask of one index: it reads the index's tables and nothing else. It has no file,
/// so there is nothing to write; an allow-list of what a statement may do, so that it opens no file and loads no code;
/// and limits on size, depth, time and memory. Moves, does not copy; not thread-safe, and must not cross a fork.
class SqlSession {
 public:
  /// Opens a session on the index `name`, or on the one of the DATA `name`.
  /// Errors: kNotFound  there is no index; kIndex, kIo.
  [[nodiscard]] static Result<SqlSession> Open(const std::string& name, ColumnStoreOptions options = {});

  /// Opens a session on an index that is open. Errors: kIndex, kIo; kStale  it was rewritten in place.
  [[nodiscard]] static Result<SqlSession> Open(OpenedIndex opened, ColumnStoreOptions options = {});

  /// Opens a session on tables that `add` registers as eponymous virtual tables called `tables`, with the limits that
  /// their work must ask. After that, the connection refuses everything else.
  using AddTables = std::function<Result<void>(sqlite3*, const WorkLimits&)>;
  [[nodiscard]] static Result<SqlSession> Open(const AddTables& add, std::vector<std::string> tables);

  SqlSession(SqlSession&& other) noexcept;
  SqlSession& operator=(SqlSession&& other) noexcept;
  ~SqlSession();

  /// Runs one SELECT, VALUES or EXPLAIN. Each parameter of the statement needs a value, and each value a parameter.
  /// Errors: kUsage  the statement is wrong, refused, or more than one (the text has the byte at which, where SQLite
  ///                 knows it, counted from byte `written_from`, at which what the user wrote begins; and the nearest
  ///                 names that exist); the parameters do not fit it
  ///         kLimit  the statement is too long or too involved; and those of SqlRows::Next
  [[nodiscard]] Result<SqlRows> Query(std::string_view sql, const std::vector<SqlParameter>& parameters = {},
                                      const SqlLimits& limits = {}, size_t written_from = 0);

 private:
  SqlSession(sqlite3* db, std::unique_ptr<SqlGate> gate);

  [[nodiscard]] Result<sqlite3_stmt*> Prepare(std::string_view sql, SqlGuard& guard, size_t written_from);

  sqlite3* db_;
  std::unique_ptr<SqlGate> gate_;
};

}  // namespace ofindex

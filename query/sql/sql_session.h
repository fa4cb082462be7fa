#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/sql/sql_table.h"
#include "query/sql/statement_monitor.h"
#include "query/tables/values/work_limits.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ofindex {

class ColumnStore;
class SqlAuthorizer;

/// A value for a parameter of a statement: `name` is "label" for :label, @label and $label, and "1" for ?1 and the
/// first ?.
struct SqlParameter {
  std::string name;
  ColumnValue value;
  bool required = true;  ///< a statement that does not have it is refused
};

/// A value of a row. Bytes are valid until the next step.
using SqlValue = Chunk::Value;

/// The rows of one statement, in order. Moves, does not copy; not thread-safe; must not outlive its session.
class SqlRows {
 public:
  SqlRows(SqlRows&& other) noexcept;
  SqlRows& operator=(SqlRows&& other) noexcept;
  ~SqlRows();

  /// Names of the columns; duplicates are possible.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  /// Renames each column whose name contains `mark` to its entry in `names`, if it has one.
  void Rename(std::string_view mark, const std::vector<std::optional<std::string>>& names);

  /// Returns whether column `column` is one of floats of the index, unchanged: its values are doubles, each the value
  /// of a float.
  [[nodiscard]] bool holds_floats(size_t column) const { return holds_floats_[column]; }

  /// Steps to the next row. Returns false after the last row, or when the row limit is reached; see truncated().
  /// Errors: kUsage if the statement fails on the values of the row (integer overflow, malformed JSON); kLimit if time
  /// or memory ran out, or a value is too large; kInterrupted if the statement was cancelled; kIndex if the index is
  /// damaged; kIo if it cannot be read.
  [[nodiscard]] Result<bool> Next();

  /// Returns column `column`, from 0, of the current row.
  [[nodiscard]] SqlValue At(size_t column) const;

  /// Returns true if Next returned false although there were more rows.
  [[nodiscard]] bool truncated() const { return truncated_; }

 private:
  friend class SqlSession;
  SqlRows(sqlite3_stmt* statement, SqlAuthorizer& authorizer, std::unique_ptr<StatementMonitor> monitor,
          std::optional<uint64_t> max_rows);

  [[nodiscard]] Result<void> Bind(const std::vector<SqlParameter>& parameters);
  [[nodiscard]] Result<void> CheckBlobs() const;

  sqlite3_stmt* statement_;
  SqlAuthorizer* authorizer_;
  std::unique_ptr<StatementMonitor> monitor_;
  std::vector<std::string> columns_;
  std::vector<bool> holds_floats_;
  std::optional<uint64_t> rows_left_;
  bool truncated_ = false;
};

/// A connection for untrusted queries on one index: it reads the tables of the index and nothing else. It has no file,
/// so there is nothing to write; an allow-list keeps statements from opening files and loading code; and size, depth,
/// time and memory are limited. Moves, does not copy; not thread-safe, and must not cross a fork.
class SqlSession {
 public:
  /// Opens a session on the tables `tables`, which `add` makes: virtual tables, whose modules have the same names, and
  /// temporary ones. Their work must obey the limits that `add` receives, and SQLite may hold `memory_bytes` for them
  /// at first. Once they are made, the connection refuses everything else. A table of another schema than main and temp
  /// is named `schema.table`.
  using AddTables = std::function<Result<void>(sqlite3*, const WorkLimits&)>;
  [[nodiscard]] static Result<SqlSession> Open(const AddTables& add, std::vector<std::string> tables,
                                               uint64_t memory_bytes = UINT64_MAX);

  SqlSession(SqlSession&& other) noexcept;
  SqlSession& operator=(SqlSession&& other) noexcept;
  ~SqlSession();

  /// Runs one SELECT, VALUES or EXPLAIN. Each parameter of the statement needs a value, and each required value a
  /// parameter.
  /// Errors: kUsage if the statement is wrong, refused, or more than one (the text gives the nearest existing names
  /// and, if SQLite knows it, the byte, counted from byte `written_from`, where the user's text begins); or if the
  /// parameters do not match it; kLimit if the statement is too long or too complex; those of SqlRows::Next.
  [[nodiscard]] Result<SqlRows> Query(std::string_view sql, const std::vector<SqlParameter>& parameters = {},
                                      const SqlLimits& limits = {}, size_t written_from = 0);

  /// Lets errors about a table that does not exist name `others`, too.
  void KnowTables(const std::vector<std::string>& others);

  /// An index whose tables a session has: the name of its `records`, and their columns.
  struct Index {
    std::string records;
    std::shared_ptr<const ColumnStore> columns;
  };

  /// Says which indexes the session reads. Errors about a column that does not exist then name the features of the
  /// first one that have none.
  void KnowIndexes(std::vector<Index> indexes);
  [[nodiscard]] const std::vector<Index>& indexes() const { return indexes_; }

  /// Returns the tables of the session.
  [[nodiscard]] const std::vector<SqlTable>& tables() const;

  /// Returns the columns of `records` that its statements have read so far.
  [[nodiscard]] const ColumnsRead& columns_read() const;

  /// Returns the columns of `records` that `sql` reads, without running it. Errors: those of Query().
  [[nodiscard]] Result<ColumnsRead> ColumnsReadBy(std::string_view sql);

  /// Returns true if the session has no open statements.
  [[nodiscard]] bool idle() const;

  /// Makes Query ask `answer` first, which returns nothing if this session must run the statement.
  using Answer = std::function<Result<std::optional<SqlRows>>(std::string_view, const std::vector<SqlParameter>&,
                                                              const SqlLimits&)>;
  void AskFirst(Answer answer) { ask_first_ = std::move(answer); }

 private:
  SqlSession(sqlite3* db, std::unique_ptr<SqlAuthorizer> authorizer);

  [[nodiscard]] Result<sqlite3_stmt*> Prepare(std::string_view sql, StatementMonitor& monitor, size_t written_from);

  sqlite3* db_;
  std::unique_ptr<SqlAuthorizer> authorizer_;
  std::vector<Index> indexes_;
  Answer ask_first_;  // may be null
};

}  // namespace ofindex

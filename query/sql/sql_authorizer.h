#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "query/sql/sql_memory.h"
#include "query/sql/sql_table.h"
#include "query/sql/statement_monitor.h"
#include "query/tables/values/work_limits.h"

struct sqlite3;

namespace ofindex {

/// The authorizer of one connection: its statements may read the tables named here and call functions without side
/// effects. It is an allow-list, since deny-lists have missed things (CVE-2022-46908). Not thread-safe; does not move,
/// since the connection holds its address.
class SqlAuthorizer {
 public:
  explicit SqlAuthorizer(std::vector<std::string> tables) : tables_(std::move(tables)) {}
  SqlAuthorizer(const SqlAuthorizer&) = delete;
  SqlAuthorizer& operator=(const SqlAuthorizer&) = delete;

  /// Opens a connection without a file, whose sorts and tables stay in memory.
  [[nodiscard]] static Result<sqlite3*> OpenEmpty();

  /// Locks down `db`, which has all its tables: nothing can be written to it any more. This authorizer must outlive it.
  [[nodiscard]] Result<void> LockDown(sqlite3* db);

  /// Makes `monitor` limit the statements of `db` until the next call of Watch. `monitor` must live until then, or
  /// until Forget is called.
  void Watch(sqlite3* db, StatementMonitor& monitor);
  void Forget(sqlite3* db, const StatementMonitor& monitor);

  /// The tables that may be read, as in SqlSession::Open, and the names of all their columns.
  [[nodiscard]] const std::vector<std::string>& tables() const { return tables_; }
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  /// The names of all columns of tables()[`table`].
  [[nodiscard]] const std::vector<std::string>& columns_of(size_t table) const { return columns_of_[table]; }

  /// The tables that errors name: those above, and others that a session would have if a statement named them.
  [[nodiscard]] const std::vector<std::string>& known_tables() const {
    return known_tables_.empty() ? tables_ : known_tables_;
  }
  void KnowTables(const std::vector<std::string>& others);

  /// The features of the index, for errors about columns that it does not have; empty if they are not known.
  using Features = std::shared_ptr<const std::vector<FeatureRow>>;
  void set_features(Features features) { features_ = std::move(features); }
  [[nodiscard]] const std::vector<FeatureRow>& features() const;

  /// The tables that were registered, as their columns were declared.
  [[nodiscard]] const std::vector<SqlTable>& registered() const { return registered_; }

  /// The columns of `records` that statements have named, directly or as `*`, since ForgetColumns().
  [[nodiscard]] const ColumnsRead& columns_read() const { return columns_read_; }
  void ForgetColumns() { columns_read_.clear(); }

  /// Names of the functions that may be called.
  [[nodiscard]] static std::vector<std::string> Functions();

  /// Returns true if the running statement may go on.
  [[nodiscard]] bool MayContinue() const { return monitor_ == nullptr || monitor_->MayContinue(); }

  /// Returns the limits of the running statement; valid while this authorizer lives.
  [[nodiscard]] WorkLimits work_limits();

  /// The memory that SQLite holds for the connection.
  [[nodiscard]] SqlMemory& memory() { return memory_; }

 private:
  static int Authorize(void* authorizer, int action, const char* first, const char* second, const char*, const char*);
  [[nodiscard]] Result<SqlTable> LoadTable(sqlite3* db, const std::string& table);
  [[nodiscard]] bool AuthorizeRead(const char* schema, const char* table, const char* column);
  [[nodiscard]] bool MayRead(const char* schema, const char* table, const char* column) const;

  std::vector<std::string> tables_;
  std::vector<std::string> known_tables_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> columns_of_;  // each table
  std::vector<SqlTable> registered_;
  ColumnsRead columns_read_;
  Features features_;
  StatementMonitor* monitor_ = nullptr;  // of the running statement
  SqlMemory memory_{[this] { return MayContinue(); }};
};

}  // namespace ofindex

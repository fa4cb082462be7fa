#pragma once

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "query/columns/column_store.h"
#include "query/tables/records_table.h"
#include "query/tables/values/sql_values.h"
#include "tests/query/columns_in_memory.h"

namespace ofindex {

/// A plain SQLite connection, without any of our extensions.
class Connection {
 public:
  Connection() {
    REQUIRE(sqlite3_open(":memory:", &db_) == SQLITE_OK);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  }
  ~Connection() { sqlite3_close_v2(db_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] sqlite3* db() const { return db_; }

  /// Returns all rows of a statement, each a line of values with their types; or only "error: ...".
  [[nodiscard]] std::vector<std::string> Rows(const std::string& sql,
                                              const std::vector<ColumnValue>& values = {}) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return {Problem()};
    for (size_t i = 0; i < values.size(); ++i) Bind(statement, static_cast<int>(i) + 1, values[i]);
    std::vector<std::string> rows;
    int result = sqlite3_step(statement);
    for (; result == SQLITE_ROW; result = sqlite3_step(statement)) rows.push_back(Row(statement));
    if (result != SQLITE_DONE) rows = {Problem()};
    sqlite3_finalize(statement);
    return rows;
  }

  /// Returns the names of a statement's columns; none if it is wrong.
  [[nodiscard]] std::vector<std::string> Columns(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    std::vector<std::string> names;
    sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr);
    for (int i = 0; i < sqlite3_column_count(statement); ++i) names.emplace_back(sqlite3_column_name(statement, i));
    sqlite3_finalize(statement);
    return names;
  }

  static void Bind(sqlite3_stmt* statement, int i, const ColumnValue& value) {
    switch (value.type) {
      case ColumnValue::Type::kNull: sqlite3_bind_null(statement, i); break;
      case ColumnValue::Type::kInteger: sqlite3_bind_int64(statement, i, value.integer); break;
      case ColumnValue::Type::kReal: sqlite3_bind_double(statement, i, value.real); break;
      case ColumnValue::Type::kText:
        sqlite3_bind_text64(statement, i, value.bytes.c_str(), value.bytes.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
      case ColumnValue::Type::kBlob:
        sqlite3_bind_blob64(statement, i, value.bytes.c_str(), value.bytes.size(), SQLITE_TRANSIENT);
        break;
    }
  }

 private:
  [[nodiscard]] std::string Problem() const { return std::string("error: ") + sqlite3_errmsg(db_); }

  static std::string Row(sqlite3_stmt* statement) {
    std::string row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const ColumnValue value = ofindex::ValueOf(sqlite3_column_value(statement, i));
      row += std::string(" NIRTB").substr(1 + static_cast<size_t>(value.type), 1);
      if (value.type == ColumnValue::Type::kInteger) row += std::to_string(value.integer);
      if (value.type == ColumnValue::Type::kReal) row += std::to_string(std::bit_cast<uint64_t>(value.real));
      row += value.bytes + "|";
    }
    return row;
  }

  sqlite3* db_ = nullptr;
};

/// Returns the natural declared type for a table's column with these values; empty for a mix of numbers and bytes.
inline std::string TypeFor(const Column& column, const ColumnsInMemory& columns) {
  if (column.origin == Column::Origin::kShard || column.is_list()) return "TEXT";
  if (column.origin != Column::Origin::kFeature || column.role != ColumnRole::kValue) return "INTEGER";
  bool integers = false, reals = false, bytes = false;
  for (const std::optional<Cell>& cell : columns.data()[column.feature].cells) {
    if (!cell) continue;
    integers = integers || cell->kind == FeatureKind::kInt64 || cell->kind == FeatureKind::kInt32;
    reals = reals || cell->kind == FeatureKind::kFloat || cell->kind == FeatureKind::kDouble;
    bytes = bytes || cell->kind == FeatureKind::kBytes;
  }
  if (bytes) return integers || reals ? "" : "TEXT";
  return integers && reals ? "NUMERIC" : integers ? "INTEGER" : "REAL";
}

/// Returns the columns of `store` that `SELECT *` shows.
inline std::vector<Column> ShownColumns(const ColumnStore& store) {
  std::vector<Column> shown = store.columns();
  std::erase_if(shown, [](const Column& column) { return column.is_hidden(); });
  return shown;
}

/// Fills a plain table `records` of `connection` with the expected columns of `store`, except hidden ones. The columns
/// get their types only after the values are inserted, because SQLite would store 1.0 in a NUMERIC column as the
/// integer 1.
inline void FillPlainTable(const Connection& connection, const ColumnStore& store, const ColumnsInMemory& columns) {
  std::string names;
  std::string declared;
  std::string places;
  const std::vector<Column> shown = ShownColumns(store);
  for (const Column& column : shown) {
    const std::string name = (names.empty() ? "" : ",") + QuotedName(column.name);
    names += name;
    declared += name + " " + TypeFor(column, columns);
    places += places.empty() ? "?" : ",?";
  }
  sqlite3* const db = connection.db();
  REQUIRE(sqlite3_exec(db, ("CREATE TABLE records(" + names + ")").c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_exec(db, "BEGIN", nullptr, nullptr, nullptr);
  sqlite3_stmt* insert = nullptr;
  REQUIRE(sqlite3_prepare_v2(db, ("INSERT INTO records VALUES (" + places + ")").c_str(), -1, &insert, nullptr) ==
          SQLITE_OK);
  for (uint64_t record = 0; record < columns.records(); ++record) {
    for (size_t i = 0; i < shown.size(); ++i) {
      Connection::Bind(insert, static_cast<int>(i) + 1, columns.Expected(shown[i], record));
    }
    REQUIRE(sqlite3_step(insert) == SQLITE_DONE);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
  REQUIRE(sqlite3_exec(db, "PRAGMA writable_schema = ON", nullptr, nullptr, nullptr) == SQLITE_OK);
  const ColumnValue sql{.type = ColumnValue::Type::kText, .bytes = "CREATE TABLE records(" + declared + ")"};
  REQUIRE(connection.Rows("UPDATE sqlite_schema SET sql = ?", {sql}).empty());
  REQUIRE(sqlite3_exec(db, "PRAGMA writable_schema = RESET", nullptr, nullptr, nullptr) == SQLITE_OK);
  REQUIRE(connection.Rows("SELECT sql FROM sqlite_schema") == std::vector<std::string>{"T" + sql.bytes + "|"});
}

}  // namespace ofindex

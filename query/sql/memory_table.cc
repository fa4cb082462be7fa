#include "query/sql/memory_table.h"

#include <sqlite3.h>

#include <memory>

#include "base/text.h"
#include "query/tables/values/sql_values.h"
#include "query/tables/values/table_module.h"

namespace ofindex {
namespace {

using OpenStatement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

tl::unexpected<Error> RefusedTable(sqlite3* db, const MemoryTable& table) {
  const std::string name = Printable(table.name);
  if (const int code = sqlite3_errcode(db) & 0xff; code == SQLITE_NOMEM || code == SQLITE_FULL) {
    return Fail(ErrorCode::kLimit, StrCat("table ", name, " takes more memory than a session may have"),
                "leave out rows or columns that the query does not need");
  }
  return Fail(ErrorCode::kUsage, StrCat("table ", name, ": SQLite: ", Printable(sqlite3_errmsg(db))),
              "rename or leave out the column");
}

std::string CreateTable(const MemoryTable& table) {
  std::string columns;
  for (const MemoryTable::Column& column : table.columns) {
    columns += StrCat(columns.empty() ? "" : ", ", QuotedName(column.name), " ", column.type);
  }
  return StrCat("CREATE TEMP TABLE ", QuotedName(table.name), "(", columns, ")");
}

std::string InsertInto(const MemoryTable& table) {
  std::string places = "?";
  for (size_t i = 1; i < table.columns.size(); ++i) places += ", ?";
  return StrCat("INSERT INTO temp.", QuotedName(table.name), " VALUES (", places, ")");
}

// SQLite copies the bytes into the table while it steps; until then, they stay where they are.
int BindCell(sqlite3_stmt* statement, int i, const SqlValue& value) {
  const char* const bytes = value.bytes.empty() ? "" : reinterpret_cast<const char*>(value.bytes.data());
  switch (value.type) {
    case ColumnValue::Type::kNull: return sqlite3_bind_null(statement, i);
    case ColumnValue::Type::kInteger: return sqlite3_bind_int64(statement, i, value.integer);
    case ColumnValue::Type::kReal: return sqlite3_bind_double(statement, i, value.real);
    case ColumnValue::Type::kText:
      return sqlite3_bind_text64(statement, i, bytes, value.bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
    case ColumnValue::Type::kBlob: return sqlite3_bind_blob64(statement, i, bytes, value.bytes.size(), SQLITE_STATIC);
  }
  return SQLITE_MISUSE;
}

bool Insert(sqlite3_stmt* statement, std::span<const SqlValue> row) {
  bool done = true;
  for (size_t i = 0; done && i < row.size(); ++i) {
    done = BindCell(statement, static_cast<int>(i) + 1, row[i]) == SQLITE_OK;
  }
  done = done && sqlite3_step(statement) == SQLITE_DONE;
  return sqlite3_reset(statement) == SQLITE_OK && done;
}

bool Execute(sqlite3* db, const std::string& sql) {
  return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace

Result<void> MakeMemoryTable(sqlite3* db, const MemoryTable& table) {
  for (const MemoryTable::Column& column : table.columns) {
    if (IsText(AsBytes(column.name))) continue;
    return Fail(ErrorCode::kUsage, StrCat("table ", Printable(table.name), ": column '", Printable(column.name),
                                          "': expected a name in UTF-8, without NUL"));
  }
  if (!Execute(db, CreateTable(table))) return RefusedTable(db, table);
  sqlite3_stmt* prepared = nullptr;
  sqlite3_prepare_v2(db, InsertInto(table).c_str(), -1, &prepared, nullptr);
  const OpenStatement insert(prepared, sqlite3_finalize);
  if (insert == nullptr || !Execute(db, "BEGIN")) return RefusedTable(db, table);
  OFINDEX_TRY(table.for_each_row([&](std::span<const SqlValue> row) -> Result<void> {
    if (Insert(insert.get(), row)) return {};
    return RefusedTable(db, table);
  }));
  if (Execute(db, "COMMIT")) return {};
  return RefusedTable(db, table);
}

}  // namespace ofindex

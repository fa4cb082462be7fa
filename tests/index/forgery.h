#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/catalog/row_checksums.h"
#include "index/database/schema.h"
#include "index/database/sqlite.h"

namespace ofindex {

inline sqlite::Database OpenToForge(const std::string& path) {
  Result<sqlite::Database> database = sqlite::Database::OpenForWriting(path, kPageBytes);
  REQUIRE(database.has_value());
  return std::move(*database);
}

inline std::vector<std::string> Strings(sqlite::Database& database, const std::string& sql) {
  Result<sqlite::Statement> rows = database.Prepare(sql);
  REQUIRE_MESSAGE(rows.has_value(), rows.error().message);
  std::vector<std::string> strings;
  for (;;) {
    const Result<bool> row = rows->Next();
    REQUIRE(row.has_value());
    if (!*row) return strings;
    strings.emplace_back(rows->Text(0));
  }
}

/// A change of one row by SQL.
struct Forgery {
  std::string table;
  std::string sql;
  bool rows = false;  // adds or removes a row
};

// Returns changes of every cell of every row of every table, and of the rows themselves.
inline std::vector<Forgery> AllForgeries(const std::string& index) {
  sqlite::Database database = OpenToForge(index);
  std::vector<Forgery> forgeries;
  for (const std::string& table : Strings(database, "SELECT name FROM sqlite_schema WHERE type = 'table'")) {
    const auto columns = Strings(database, StrCat("SELECT name FROM pragma_table_info('", table, "')"));
    const auto keys = Strings(database, StrCat("SELECT name FROM pragma_table_info('", table, "') WHERE pk > 0"));
    std::string key;
    for (const std::string& column : keys) {
      key += StrCat(key.empty() ? "" : " || ' AND ' || ", "'\"", column, "\" = ' || quote(\"", column, "\")");
    }
    for (const std::string& row : Strings(database, StrCat("SELECT ", key, " FROM ", table))) {
      for (const std::string& column : columns) {
        const std::string cell = StrCat("\"", column, "\"");
        for (const std::string& value :
             {std::string("NULL"), std::string("-1"), std::string("0"), StrCat(cell, " + 1"),
              std::string("4611686018427387904"), std::string("9223372036854775807"), std::string("0.5"),
              std::string("'text'"), StrCat(cell, " || 'x'"), std::string("x'00'"),
              StrCat("substr(", cell, ", 1, length(", cell, ") / 2)"), StrCat("CAST(", cell, " AS BLOB)")}) {
          forgeries.push_back({table, StrCat("UPDATE ", table, " SET ", cell, " = ", value, " WHERE ", row, " AND ",
                                             cell, " IS NOT ", value)});
        }
      }
      forgeries.push_back({table, StrCat("DELETE FROM ", table, " WHERE ", row), true});
      std::string other;
      for (const std::string& column : columns) {
        const bool last_key = column == keys.back();
        other += StrCat(other.empty() ? "" : ", ", "\"", column, "\"",
                        !last_key ? "" : StrCat(column == "key" || column == "part" ? " || 'x'" : " + 1000"));
      }
      forgeries.push_back(
          {table, StrCat("INSERT INTO ", table, " SELECT ", other, " FROM ", table, " WHERE ", row), true});
    }
  }
  return forgeries;
}

// Gives a forged index correct checksums, as any forger could.
inline void Reseal(sqlite::Database& database) {
  RowHash hash;
  const std::vector<TableShape> shapes = TableShapes(database).value();
  for (const TableShape& shape : shapes) {
    if (shape.sum < 0) continue;
    std::vector<std::pair<int64_t, uint64_t>> sums;
    {
      sqlite::Statement rows = database.Prepare(shape.Select(true)).value();
      while (rows.Next().value()) {
        hash.AddColumns(rows, shape.covered, rows.columns());
        sums.emplace_back(rows.Int(0), hash.Take());
      }
    }
    for (const auto& [number, sum] : sums) {
      sqlite::Statement put =
          database.Prepare(StrCat("UPDATE ", shape.name, " SET sum = ? WHERE ", shape.key, " = ?")).value();
      REQUIRE(put.Run(sum, number).has_value());
    }
  }
  REQUIRE(database.Execute("DELETE FROM checksum; DELETE FROM dataset WHERE key = 'checksum'").has_value());
  REQUIRE(SealRows(database).has_value());
}

enum class Checksums { kLeft, kMadeAnew };

// Makes a change, even one that SQLite would refuse in a strict table: the schema's rules are removed during the
// change. Returns false if there is nothing to change, or if the change is impossible.
inline bool Forge(const std::string& index, const Forgery& forgery, Checksums checksums = Checksums::kLeft) {
  {
    sqlite::Database database = OpenToForge(index);
    const auto has_chunk_index = Strings(database, "SELECT sql FROM sqlite_schema WHERE name = 'chunk_of_column'");
    REQUIRE(has_chunk_index.size() == 1);
    REQUIRE(
        database.Execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(sql, "
                         "'STRICT, WITHOUT', 'WITHOUT'), ') STRICT', ')'); UPDATE sqlite_schema SET sql = "
                         "replace(sql, ' NOT NULL', '')"));
    REQUIRE(database.Close());
  }
  bool changed = false;
  {
    sqlite::Database database = OpenToForge(index);
    changed = database.Execute(forgery.sql.c_str()).has_value() && Strings(database, "SELECT changes()").front() != "0";
    if (checksums == Checksums::kMadeAnew) Reseal(database);
    // Restores the original schema.
    REQUIRE(database.Execute("PRAGMA writable_schema = ON"));
    std::string_view schema = kSchema;
    for (size_t at = 1; at < schema.size();) {
      const size_t end = schema.find(";\n", at);
      const std::string sql(schema.substr(at, end - at));
      at = end + 2;
      const std::string name = sql.substr(sql.find(sql.starts_with("CREATE TABLE") ? "TABLE " : "INDEX ") + 6);
      Result<sqlite::Statement> put = database.Prepare("UPDATE sqlite_schema SET sql = ? WHERE name = ?");
      REQUIRE(put.has_value());
      REQUIRE(put->Run(std::string_view(sql), std::string_view(name).substr(0, name.find_first_of("( "))).has_value());
    }
    REQUIRE(database.Close());
  }
  return changed;
}

}  // namespace ofindex

#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/query/plain_table.h"

namespace ofindex {

/// Texts that are numbers in several spellings, and a text that is not a number.
inline const std::vector<std::string> kSpelledNumbers = {"05", "5", "5.0", "10", "1e1", " 5", "x", "1"};

/// Adds table `others` to `connection`, with the same values in a column of every affinity.
inline void AddValuesOfTypes(const Connection& connection) {
  REQUIRE(connection.Rows("CREATE TABLE others(i INTEGER, r REAL, n NUMERIC, t TEXT, b BLOB)").empty());
  for (const std::string value : {"1", "5", "'10'", "'5.0'", "'x'", "NULL", "x'35'"}) {
    const std::string row = value + "," + value + "," + value + "," + value + "," + value;
    REQUIRE(connection.Rows("INSERT INTO others VALUES (" + row + ")").empty());
  }
}

/// Checks that comparing column `key` of `table` with the columns of `others` gives the same answers as in a plain copy
/// of the table, where the column is declared as `type`.
inline void CheckComparedAsPlain(const Connection& connection, const std::string& table, const std::string& key,
                                 const std::string& type) {
  REQUIRE(connection.Rows("CREATE TABLE plain(key " + type + ")").empty());
  const std::string rows = "SELECT rowid + 1, " + key + " FROM " + table;
  REQUIRE(connection.Rows("INSERT INTO plain(rowid, key) " + rows).empty());
  std::string many;  // more constraints than SQLite reports
  for (int i = 0; i < 40; ++i) many += "a.KEY <> '" + std::to_string(100 + i) + "' AND ";
  for (const std::string other : {"i", "r", "n", "t", "b", "+t", "CAST(t AS INTEGER)", "CAST(i AS TEXT)"}) {
    for (const std::string& question : {
             "FROM TABLE a WHERE a.KEY IN (SELECT " + other + " FROM others)",
             "FROM TABLE a WHERE a.KEY NOT IN (SELECT " + other + " FROM others WHERE i > 1)",
             "FROM TABLE a WHERE " + many + "a.KEY IN (SELECT " + other + " FROM others)",
             "FROM TABLE a WHERE a.KEY IN (SELECT " + other + " FROM others) AND a.KEY IN (SELECT i FROM others)",
             "FROM TABLE a WHERE a.KEY IN (SELECT " + other + " FROM others WHERE others.t < a.KEY)",
             "FROM others, TABLE a WHERE a.KEY IN (" + other + ", 10)",
             "FROM others, TABLE a WHERE a.KEY IN (" + other + ")",
             "FROM others, TABLE a WHERE a.KEY = " + other,
             "FROM others LEFT JOIN TABLE a ON a.KEY = " + other,
             "FROM others LEFT JOIN TABLE a ON a.KEY IN (SELECT " + other + " FROM others)",
             "FROM TABLE a WHERE a.KEY = (SELECT max(" + other + ") FROM others)",
         }) {
      const auto asked_of = [&](const std::string& name, const std::string& column) {
        std::string sql = "SELECT a." + column + " " + question + " ORDER BY a." + column;
        for (size_t at = 0; (at = sql.find("TABLE", at)) != std::string::npos;) sql.replace(at, 5, name);
        for (size_t at = 0; (at = sql.find("KEY", at)) != std::string::npos;) sql.replace(at, 3, column);
        return connection.Rows(sql);
      };
      CHECK_MESSAGE(asked_of(table, key) == asked_of("plain", "key"), table, " ", key, ": ", question);
    }
  }
  REQUIRE(connection.Rows("DROP TABLE plain").empty());
}

}  // namespace ofindex

#include "query/sql/statements/statement_text.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

TEST_CASE("spaces, comments and semicolons before a statement are skipped") {
  struct Row {
    std::string sql;
    size_t begin;
  };
  const std::vector<Row> rows = {
      {"", 0},                          // nothing
      {"x", 0},                         // nothing to skip
      {" \t\r\n;x", 5},                 // spaces and a semicolon
      {"-- a\nx", 5},                   // a comment to the end of its line
      {"-- a", 4},                      // or of the statement
      {"/* a */x", 7},                  // one between signs
      {"/* a", 4},                      // one without an end
      {"/* a -- */x", 10},              // one sign in the other
      {"-- /*\nx", 6},                  // and the other way round
      {"-x", 0},                        // half a sign
      {"/x", 0},                        //
      {"/* a */ -- b\n ; /**/ x", 21},  // all of them
  };
  for (const Row& row : rows) {
    CAPTURE(row.sql);
    CHECK(SkipBlank(row.sql, 0) == row.begin);
  }
  CHECK(SkipBlank("x  y", 1) == 3);
}

TEST_CASE("a statement without its EXPLAIN is the statement to explain") {
  for (const auto& [sql, rest] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT 1", "SELECT 1"},
           {"EXPLAIN SELECT 1", " SELECT 1"},
           {"explain query plan SELECT 1", " SELECT 1"},
           {" /* a */ Explain -- b\n Query Plan\tSELECT 1", "\tSELECT 1"},
           {"EXPLAIN QUERY", " QUERY"},
           {"EXPLAINED", "EXPLAINED"},
           {"EXPLAIN/**/SELECT 1", "/**/SELECT 1"},
       }) {
    CHECK(WithoutExplain(sql) == rest);
  }
}

TEST_CASE("a statement may aggregate if it has one of the words") {
  for (const char* const sql : {"SELECT Count(*)", "select DISTINCT x", "SELECT 1 GROUP BY 2", "SELECT summary"}) {
    CHECK(MayAggregate(sql));
  }
  for (const char* const sql : {"SELECT x FROM records", "", "VALUES (1)"}) CHECK_FALSE(MayAggregate(sql));
}

}  // namespace
}  // namespace ofindex

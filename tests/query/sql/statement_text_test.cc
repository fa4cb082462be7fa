#include "query/sql/statement_text.h"

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

}  // namespace
}  // namespace ofindex

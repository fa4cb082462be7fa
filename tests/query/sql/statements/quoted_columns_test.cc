#include "query/sql/statements/quoted_columns.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("a column in single quotes is found if its name as text would mean little there") {
  const Names columns = {"image/id", "label", "it's"};
  struct Row {
    std::string sql;
    Names found;
  };
  const std::vector<Row> rows = {
      {"'image/id' = 0", {"image/id"}},                       // compared with a number
      {"'image/id' <> -1", {"image/id"}},                     // with a sign
      {"0 <= 'image/id' AND 'image/id' < 9", {"image/id"}},   // on either side, once
      {"'label' = 'cat'", {"label"}},                         // with another text
      {"'label' >= :least", {"label"}},                       // with a parameter
      {"'it''s' = 1", {"it's"}},                              // a quote within
      {"SELECT avg('image/id') FROM records", {"image/id"}},  // the argument of a function
      {"SELECT 'image/id', 1 FROM records", {"image/id"}},    // a term
      {"SELECT 1 FROM records GROUP BY 'label'", {"label"}},  // one that every record has
      {"SELECT 1 FROM records ORDER BY 'label'", {"label"}},  // the same
      {"name = 'label'", {}},                                 // a value of a column
      {"'label' = name", {}},                                 // the same, turned
      {"name IN ('label')", {}},                              // in a list
      {"name LIKE 'label'", {}},                              // a pattern
      {"SELECT 'label' AS kind FROM records", {}},            // meant as text
      {"SELECT ifnull(name, 'label') FROM records", {}},      // one of several arguments
      {"\"image/id\" = 0", {}},                               // a column
      {"'Image/Id' = 0", {}},                                 // another text
      {"x'00' = 0 AND :label = 0", {}},                       // other literals
      {"'label", {}},                                         // not closed
      {"'label'", {}},                                        // nothing around it
      {"=", {}},                                              // nothing at all
      {"= 'label'", {}},                                      // no left side
      {"", {}},                                               // empty
  };
  for (const Row& row : rows) {
    CAPTURE(row.sql);
    CHECK(ColumnsInSingleQuotes(row.sql, columns) == row.found);
  }
}

}  // namespace
}  // namespace ofindex

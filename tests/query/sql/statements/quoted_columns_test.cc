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
      {"'label' LIKE 'c%'", {"label"}},                       // a pattern for it
      {"'label' NOT GLOB 'c*'", {"label"}},                   // the same
      {"'label' IN (1, 2)", {"label"}},                       // a list for it
      {"'label' NOT IN (-1)", {"label"}},                     // the same
      {"'label' BETWEEN 1 AND 2", {"label"}},                 // bounds for it
      {"'label' IS NULL", {"label"}},                         // a test for NULL
      {"'label' is not null", {"label"}},                     // the same
      {"'label' NOTNULL", {"label"}},                         // the same
      {"'Image/Id' = 0", {"image/id"}},                       // in another case
      {"NOT 'label' IS NULL", {"label"}},                     // a test for NULL, turned
      {"name = 'label' IS NULL", {}},                         // of a comparison with it
      {"name <> 'label' NOT NULL", {}},                       // the same
      {"name LIKE 'label' IS NULL", {}},                      // of a pattern
      {"name || 'label' LIKE 'l%'", {}},                      // a part of a longer text
      {"name || 'label' = 'xlabel'", {}},                     // the same
      {"1 + 'label' > 2", {"label"}},                         // a number is meant
      {"'label' IN ('label', 'name')", {}},                   // one of the texts in a list
      {"'label' IN ('name')", {"label"}},                     // none of them
      {"'label' LIKE name", {}},                              // a value, and patterns
      {"'label' IN (SELECT name FROM records)", {}},          // a value of a column
      {"'label' IN (name)", {}},                              // the same
      {"'label' NOT NULLS", {}},                              // nothing of SQL
      {"name = 'label'", {}},                                 // a value of a column
      {"'label' = name", {}},                                 // the same, turned
      {"name IN ('label')", {}},                              // in a list
      {"name LIKE 'label'", {}},                              // a pattern
      {"SELECT 'label' AS kind FROM records", {}},            // meant as text
      {"SELECT ifnull(name, 'label') FROM records", {}},      // one of several arguments
      {"SELECT 'label', count(Label) FROM records", {}},      // a label of the row, since a term reads the column
      {"SELECT 'image/id', avg(\"image/id\") FROM records", {}},
      {"SELECT DISTINCT 'label', label FROM records", {}},
      {"SELECT 'label', 1 UNION ALL SELECT 'image/id', 2", {}},               // labels of rows
      {"SELECT 'label', 1 FROM records WHERE label > 1", {"label"}},          // read, but not by a term
      {"SELECT 1 IN (SELECT 'label') + label FROM records", {"label"}},       // nor by a term of this SELECT
      {"SELECT 'label', (SELECT 1 FROM shards), label FROM records", {}},     // after the FROM of another SELECT
      {"SELECT count(DISTINCT 'label'), label FROM records", {"label"}},      // the argument of a function
      {"SELECT 1 FROM records WHERE 'label' = 1 UNION SELECT 1", {"label"}},  // not a term
      {"\"image/id\" = 0", {}},                                               // a column
      {"x'00' = 0 AND :label = 0", {}},                                       // other literals
      {"'label", {}},                                                         // not closed
      {"'label'", {}},                                                        // nothing around it
      {"=", {}},                                                              // nothing at all
      {"= 'label'", {}},                                                      // no left side
      {"", {}},                                                               // empty
  };
  for (const Row& row : rows) {
    CAPTURE(row.sql);
    CHECK(ColumnsInSingleQuotes(row.sql, columns) == row.found);
  }
}

}  // namespace
}  // namespace ofindex

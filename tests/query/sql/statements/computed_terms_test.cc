#include "query/sql/statements/computed_terms.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

const std::vector<std::string> kColumns = {"c0", "c1"};

// Returns the statement without double spaces and quotes; empty if nothing is replaced.
std::string Replaced(std::string_view sql) {
  const std::optional<ComputedTerms> terms = NameComputedTerms(sql, kColumns);
  if (!terms) return "";
  std::string text;
  for (const char c : terms->sql) {
    if (c != '"' && (c != ' ' || text.empty() || text.back() != ' ')) text += c;
  }
  return text;
}

TEST_CASE("arithmetic that is a whole term becomes a column") {
  struct Row {
    std::string sql;
    std::string replaced;
  };
  const std::vector<Row> rows = {
      {"SELECT h/100, count(*) FROM records GROUP BY 1", "SELECT c0 , count(*) FROM records GROUP BY 1"},
      {"SELECT h/100 x FROM records GROUP BY x", "SELECT c0 x FROM records GROUP BY x"},
      {"SELECT h/100 AS x FROM records ORDER BY x DESC", "SELECT c0 AS x FROM records ORDER BY x DESC"},
      // Equal expressions are one column, others another.
      {"SELECT h/100, h/99 FROM records GROUP BY H / 100", "SELECT c0 , c1 FROM records GROUP BY c0 "},
      {"SELECT a FROM records GROUP BY -a ORDER BY -a ASC NULLS LAST",
       "SELECT a FROM records GROUP BY c0 ORDER BY c0 ASC NULLS LAST"},
      {"SELECT max(\"1\" + h), max(1 + h) FROM records", "SELECT max( c0 ), max( c1 ) FROM records"},
      {"\xef\xbb\xbfSELECT \xef\xbb\xbfh/2 FROM records", "\xef\xbb\xbfSELECT \xef\xbb\xbf c0 FROM records"},
      // The argument of an aggregate function, wherever it is.
      {"SELECT 1 + coalesce(SUM( a*b ), 0) FROM records", "SELECT 1 + coalesce(SUM( c0 ), 0) FROM records"},
      {"SELECT count(DISTINCT a+1) FROM records HAVING max(a+2) > 3",
       "SELECT count(DISTINCT c0 ) FROM records HAVING max( c1 ) > 3"},
      {"SELECT DISTINCT CAST(a AS INT) FROM records", "SELECT DISTINCT c0 FROM records"},
      {"EXPLAIN SELECT (a) + 1 FROM records r WHERE a+1 > 2", "EXPLAIN SELECT c0 FROM records r WHERE a+1 > 2"},
  };
  for (const Row& row : rows) CHECK_MESSAGE(Replaced(row.sql) == row.replaced, row.sql);
}

TEST_CASE("everything else stays as it is") {
  for (const std::string& sql : std::vector<std::string>{
           "",
           "SELECT",
           "SELECT a FROM records GROUP BY 1",                        // no arithmetic
           "SELECT 1 + 2 FROM records",                               // no column
           "SELECT (a) FROM records",                                 // no operator
           "SELECT a + 1 FROM shards",                                // another table
           "SELECT a + 1 FROM records, shards",                       // more tables
           "SELECT a + 1 FROM records WHERE a IN (SELECT 1)",         // more SELECTs
           "SELECT a + 1 FROM records UNION VALUES (1)",              //
           "WITH x AS (VALUES (1)) SELECT a + 1 FROM records",        //
           "SELECT *, a + 1 FROM records",                            // all columns, whose number is not known
           "SELECT a + 1 COLLATE NOCASE FROM records",                // not the whole term
           "SELECT a + 1 > 2 FROM records",                           //
           "SELECT abs(a + 1) FROM records",                          // no aggregate function
           "SELECT abs(a) + 1 FROM records",                          // a function
           "SELECT a + ?1 FROM records",                              // a parameter
           "SELECT a || b FROM records",                              // text
           "SELECT CAST(a AS TEXT) FROM records",                     //
           "SELECT max(a + 1, 2) FROM records",                       // no aggregate either
           "SELECT sum(a + 1) FILTER (WHERE a > 1) FROM records",     // other rows
           "SELECT sum(a + 1) OVER () FROM records",                  //
           "SELECT a + 1 AS x FROM records GROUP BY x HAVING x > 1",  // an alias in a comparison
           "SELECT a + 1 AS x FROM records WHERE X > 1",              //
           "SELECT a + 1 AS x FROM records ORDER BY x = 'a'",         //
           "SELECT a+1, a+2, a+3 FROM records",                       // more than the columns
           "SELECT a + 1 FROM",                                       // no statement
           "SELECT a FROM records ORDER BY a + limit",                // arithmetic that would leave its term
           "SELECT a FROM records ORDER BY a + limit 5",              //
           "SELECT a FROM records ORDER BY limit + a",                //
           "SELECT a + 1 IS DISTINCT FROM records FROM shards",       // no clause
           "SELECT a + (1 FROM records",                              //
           "SELECT ((((((((((((((((((((((((((((((((((a + 1)))))))))))))))))))))))))))))))))) FROM records",  // too deep
       }) {
    CHECK_MESSAGE(Replaced(sql).empty(), sql);
  }
}

TEST_CASE("expressions are compiled with parameters for their reals, signs included") {
  const std::optional<ComputedTerms> terms =
      NameComputedTerms("SELECT a * -0.5 - 1e3 + 0x1e FROM records AS r GROUP BY 1", kColumns);
  REQUIRE(terms.has_value());
  REQUIRE(terms->expressions.size() == 1);
  CHECK(terms->expressions[0].text == "a * -0.5 - 1e3 + 0x1e");
  CHECK(terms->expressions[0].select == "SELECT a * ?1 - ?2 + 0x1e FROM records AS r");
  CHECK(terms->expressions[0].literals == std::vector<std::string>{"-0.5", "1e3"});
}

TEST_CASE("statements cut anywhere are no trouble") {
  const std::string sql = "SELECT DISTINCT (a + 1) * 2.5 AS x, sum(b / 2) FROM records r GROUP BY x ORDER BY x DESC";
  for (size_t cut = 0; cut <= sql.size(); ++cut) {
    const std::optional<ComputedTerms> terms = NameComputedTerms(std::string_view(sql).substr(0, cut), kColumns);
    if (cut <= sql.find(" FROM records")) CHECK(!terms.has_value());
    if (terms) CHECK(terms->sql.find("c0") != std::string::npos);
    if (cut == sql.size()) CHECK(terms.has_value());
  }
}

}  // namespace
}  // namespace ofindex

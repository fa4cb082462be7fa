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

// Returns `links` definitions, each of which names the previous one twice, through `of`.
std::string Doubled(int links, const std::string& of) {
  std::string sql = "WITH c0 AS (SELECT 1 AS x)";
  for (int i = 1; i < links; ++i) {
    std::string body = of;
    for (size_t at = body.find('@'); at != std::string::npos; at = body.find('@')) {
      body.replace(at, 1, "c" + std::to_string(i - 1));
    }
    sql += ", c" + std::to_string(i) + " AS (" + body + ")";
  }
  return sql + " SELECT count(*) FROM c" + std::to_string(links - 1);
}

TEST_CASE("a statement that doubles with every definition is detected, however it is written") {
  for (const std::string of : {
           "SELECT 1 FROM @ a, @ b",
           "SELECT 1 FROM @ a JOIN @ b",
           "SELECT 1 FROM @ a LEFT JOIN @ AS b ON a.x = b.x",
           "SELECT 1 FROM (@ a, @ b)",
           "SELECT 1 FROM (@ a CROSS JOIN @ b)",
           "SELECT 1 FROM (SELECT * FROM @), (SELECT * FROM @)",
           "SELECT 1 FROM @ UNION ALL SELECT 1 FROM @",
           "SELECT (SELECT 1 FROM @) FROM @",
           "SELECT 1 WHERE 1 IN @ OR 2 IN @",
           "SELECT 1 WHERE 1 IN (SELECT x FROM @) AND EXISTS (SELECT 1 FROM @)",
           "SELECT 1 FROM \"@\" a, [@] b",
           "SELECT 1 FROM `@` a, '@' b",
           "SELECT 1 FROM /* , */ @ -- a\n, @",
           "SELECT 1 FROM @ with, @ b",
           "SELECT 1 FROM @ window, @ b",
           "SELECT 1 FROM @ recursive, @ materialized",
           "SELECT 1 FROM @ AS \"where\", @ AS \"group\"",
           "WITH d AS (SELECT 1 FROM @) SELECT 1 FROM d, d AS e",
           "WITH d AS NOT MATERIALIZED (SELECT 1 FROM @), e(x) AS MATERIALIZED (SELECT 1 FROM @) SELECT 1 FROM d, e",
           "SELECT ')', \"(\", '''', x'00' FROM @ a, @ b",
           "SELECT CAST(1 AS TEXT), sum(1) OVER (ORDER BY 1) FROM @ a, @ b",
           "SELECT 1 FROM @ a, @ b WHERE a.x = 1 GROUP BY 1 HAVING 1 ORDER BY 1 LIMIT 1",
           "SELECT 1 IS DISTINCT FROM 2 FROM @ a, @ b",
       }) {
    CAPTURE(of);
    const std::string once = Doubled(2, of);
    CHECK(ExpandedBytes(once, 0) < 1000);
    const std::string often = Doubled(25, of);
    CHECK(often.size() < 5000);
    CHECK(ExpandedBytes(often, 0) > 1'000'000);
  }
}

TEST_CASE("a statement that does not double stays small, however it is written") {
  for (const std::string of : {
           "SELECT @.x, @.x + @.x FROM @ WHERE @.x > 1 ORDER BY @.x",
           "SELECT x FROM @ GROUP BY x HAVING count(*) > 1",
           "SELECT x AS @ FROM @",
           "SELECT 1 FROM @, json_each('[1]') e WHERE e.value = @.x",
           "SELECT '@ FROM @, @' /* FROM @, @ */ FROM @ -- FROM @, @\n",
           "SELECT x FROM @ WHERE x IN (1, 2, 3)",
           "SELECT x FROM @ UNION ALL SELECT 1",
       }) {
    CAPTURE(of);
    const std::string sql = Doubled(40, of);
    CHECK(ExpandedBytes(sql, 0) < 4 * sql.size());
  }
}

TEST_CASE("a recursive definition counts once, and a cycle has no end") {
  const std::string itself = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n";
  CHECK(ExpandedBytes(itself, 0) < 2 * itself.size());
  CHECK(ExpandedBytes("WITH a AS (SELECT 1 FROM b), b AS (SELECT 1 FROM a) SELECT 1 FROM a", 0) == ~uint64_t{0});
}

TEST_CASE("an asterisk counts as all its columns") {
  CHECK(ExpandedBytes("SELECT * FROM a", 1000) > 1000);
  CHECK(ExpandedBytes("WITH b AS (SELECT * FROM a) SELECT * FROM b x, b y", 1000) > 3000);
}

TEST_CASE("any bytes have a length") {
  std::string sql;
  for (int i = 0; i < 2000; ++i) sql += static_cast<char>(i * 7919 % 256);
  for (size_t n = 0; n < sql.size(); ++n) CHECK(ExpandedBytes(sql.substr(n), 1) > 0);
  CHECK(ExpandedBytes(std::string(100'000, '('), 1) >= 100'000);
  CHECK(ExpandedBytes(std::string(100'000, ')'), 1) >= 100'000);
  CHECK(ExpandedBytes("'", 1) > 0);
  CHECK(ExpandedBytes("[", 1) > 0);
}

}  // namespace
}  // namespace ofindex

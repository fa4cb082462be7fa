#include "query/sql/sql_session.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/index/working_folder.h"
#include "tests/query/sql_catalog.h"
#include "tests/query/sql_values.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

TEST_CASE("a session runs queries with values of every type") {
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "SELECT NULL, 1, 0.5, 'a', x'00ff', '', x''") == "NULL 1 0.500000 'a' x'00ff' '' x''");
  CHECK(Answer(session, "VALUES (1), (2)") == "1\n2");
  CHECK(Answer(session, "SELECT 1 WHERE 0").empty());
  CHECK(Answer(session, "WITH a AS (SELECT 1 AS x) SELECT x FROM a") == "1");
  CHECK(Answer(session, "SELECT value FROM json_each('[1, \"b\"]')") == "1\n'b'");
  CHECK(Answer(session, "SELECT sum(records) OVER (ORDER BY path) FROM shards") == "30\n32");
  CHECK(session.Query("EXPLAIN QUERY PLAN SELECT * FROM shards").has_value());
}

TEST_CASE("a percentile is interpolated between the two numbers at its rank, as by numpy.percentile") {
  SqlSession session = OpenCatalogSession();
  const std::string of_four = "(value, p) FROM json_each('[8, 1, 4, 2]'), (SELECT ";
  struct Row {
    const char* percent;
    const char* expected;
  };
  for (const Row& row : {Row{"0", "1.000000"}, Row{"25", "1.750000"}, Row{"50", "3.000000"}, Row{"90", "6.800000"},
                         Row{"100", "8.000000"}}) {
    CHECK(Answer(session, "SELECT percentile" + of_four + row.percent + " AS p)") == row.expected);
  }
  CHECK(Answer(session, "SELECT median(value) FROM json_each('[8, 1, 4, 2]')") == "3.000000");
  CHECK(Answer(session, "SELECT median(value) FROM json_each('[8, 1, 4]')") == "4.000000");
}

// Attacks. The words in the answer show which check refused them. Statements that name a file are in
// tests/e2e/sql_test.py, which checks their effects.
TEST_CASE("a statement that does anything but read the tables is refused") {
  const TempDir folder;
  const InFolder here(folder.path());
  SqlSession session = OpenCatalogSession();
  const std::vector<std::string> statements = {
      // Databases.
      "ATTACH ':memory:' AS a",
      "ATTACH '' AS a",
      "DETACH main",
      "VACUUM",
      // Code.
      "SELECT edit('x')",
      "SELECT load_extension('new')",
      "SELECT load_extension('new', 'entry')",
      "SELECT fts3_tokenizer('simple')",
      "SELECT fts3_tokenizer('simple', x'4141414141414141')",
      "SELECT fts5('x')",
      "SELECT eval('SELECT 1')",
      "SELECT sqlite_log(1, 'x')",
      "SELECT rtreecheck('main')",
      // The attacker's own tables, views and triggers.
      "CREATE TABLE t(a)",
      "CREATE TEMP TABLE t(a)",
      "CREATE TABLE t AS SELECT 1",
      "CREATE TABLE temp.t AS SELECT * FROM shards",
      "CREATE VIEW v AS SELECT 1",
      "CREATE TEMP VIEW v AS SELECT 1",
      "CREATE INDEX i ON shards(path)",
      "CREATE TEMP TRIGGER t AFTER INSERT ON shards BEGIN SELECT 1; END",
      "CREATE VIRTUAL TABLE t USING fts5(a)",
      "CREATE VIRTUAL TABLE t USING fts3(a)",
      "CREATE VIRTUAL TABLE t USING fts4(a, tokenize=simple)",
      "CREATE VIRTUAL TABLE t USING rtree(a, b, c)",
      "CREATE VIRTUAL TABLE temp.t USING ofindex('/etc')",
      "CREATE VIRTUAL TABLE temp.t USING dbstat",
      "DROP TABLE shards",
      "DROP TABLE IF EXISTS nothing",
      "ALTER TABLE shards RENAME TO t",
      "ALTER TABLE shards ADD COLUMN a",
      "REINDEX",
      "ANALYZE",
      // Rows.
      "INSERT INTO shards VALUES (1, 2, 3, 4, 5, 6, 7)",
      "INSERT INTO shards(path) VALUES ('x')",
      "INSERT INTO shards SELECT * FROM shards RETURNING 1",
      "UPDATE shards SET path = 'x'",
      "DELETE FROM bad",
      "DELETE FROM bad RETURNING *",
      "REPLACE INTO bad VALUES (1, 2, 3, 4)",
      "WITH a AS (SELECT 1) INSERT INTO bad SELECT 1, 2, 3, 4",
      "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'CREATE TABLE x(a)')",
      // Transactions.
      "BEGIN",
      "BEGIN EXCLUSIVE",
      "COMMIT",
      "ROLLBACK",
      "SAVEPOINT a",
      "RELEASE a",
      // Settings, as statements and as tables.
      "PRAGMA query_only = 0",
      "PRAGMA trusted_schema = 1",
      "PRAGMA writable_schema = 1",
      "PRAGMA temp_store = 1",
      "PRAGMA hard_heap_limit = 0",
      "PRAGMA journal_mode = WAL",
      "PRAGMA database_list",
      "PRAGMA table_info(shards)",
      "PRAGMA module_list",
      "EXPLAIN PRAGMA query_only = 0",
      "SELECT * FROM pragma_database_list",
      "SELECT count(*) FROM pragma_database_list",
      "SELECT * FROM pragma_function_list",
      "SELECT 1 FROM pragma_table_info('shards')",
      // SQLite's internals.
      "SELECT * FROM sqlite_schema",
      "SELECT count(*) FROM sqlite_master",
      "SELECT * FROM sqlite_temp_schema",
      "SELECT * FROM dbstat",
      "SELECT * FROM sqlite_dbpage",
      "SELECT * FROM sqlite_stmt",
      "SELECT * FROM fts3tokenize('simple', 'a b')",
      "SELECT * FROM fts5vocab",
      "SELECT * FROM bytecode('SELECT 1')",
      "SELECT * FROM generate_series(1, 3)",
      "SELECT last_insert_rowid()",
      "SELECT changes()",
      "SELECT match('a', 'b')",
      "SELECT 'a' MATCH 'b'",
      // Texts that are not statements, or one after another.
      "x",
      "'",
      "SELECT 1; /* hidden */ CREATE TABLE t(a)",
  };
  CHECK(statements.size() >= 60);
  for (const std::string& statement : statements) {
    CAPTURE(statement);
    const std::string answer = Answer(session, statement);
    CAPTURE(answer);
    CHECK(answer.starts_with("2: SQL"));
  }
  CHECK(std::filesystem::is_empty("."));
  CHECK(Answer(session, "SELECT count(*) FROM shards") == "2");
}

TEST_CASE("exactly one statement is run") {
  SqlSession session = OpenCatalogSession();
  for (const char* one : {"SELECT 1;", "SELECT 1 ; ;", "; ; SELECT 1", "SELECT 1 -- the end", "/* a */ SELECT 1 /* b",
                          "-- first\n SELECT 1; -- and\n/* last */ ;\t\n"}) {
    CAPTURE(one);
    CHECK(Answer(session, one) == "1");
  }
  CHECK(Answer(session, "SELECT 1; SELECT 2") == "2: SQL: a second statement begins at byte 10");
  CHECK(Answer(session, "SELECT 1; /* hidden */ DROP TABLE shards") == "2: SQL: a second statement begins at byte 23");
  CHECK(Answer(session, "SELECT 1; -- hidden\nSELECT 2") == "2: SQL: a second statement begins at byte 20");
  CHECK(Answer(session, "SELECT 1; '") == "2: SQL: a second statement begins at byte 10");
  for (const char* none : {"", " ", ";", "-- nothing", "/* nothing */", ";;;\n"}) {
    CAPTURE(none);
    CHECK(Answer(session, none) == "2: SQL: there is no statement");
  }
  CHECK(Answer(session, std::string("SELECT 1\0; DROP TABLE shards", 28)).starts_with("2: SQL: a NUL byte at 8"));
}

TEST_CASE("parameters are given by name and by position, and must match") {
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "SELECT :a, @b, $c, :a", {{"c", SqlInt(3)}, {"a", SqlInt(1)}, {"b", SqlText("two")}}) ==
        "1 'two' 3 1");
  CHECK(Answer(session, "SELECT ?, ?", {{"1", SqlInt(1)}, {"2", SqlInt(2)}}) == "1 2");
  CHECK(Answer(session, "SELECT ?2, ?1", {{"1", SqlInt(1)}, {"2", SqlInt(2)}}) == "2 1");
  CHECK(Answer(session, "SELECT :a", {{"a", {}}}) == "NULL");
  CHECK(Answer(session, "SELECT :a", {{"a", {.type = ColumnValue::Type::kBlob, .bytes = std::string("\0\xff", 2)}}}) ==
        "x'00ff'");
  CHECK(Answer(session, "SELECT :a") == "2: SQL: parameter a has no value");
  CHECK(Answer(session, "SELECT ?", {{"a", SqlInt(1)}}) == "2: SQL: parameter 1 has no value");
  CHECK(Answer(session, "SELECT 1", {{"a", SqlInt(1)}}) ==
        "2: SQL: the statement has no parameter a, or it was given twice");
  CHECK(Answer(session, "SELECT :a", {{"a", SqlInt(1)}, {"a", SqlInt(2)}}) ==
        "2: SQL: the statement has no parameter a, or it was given twice");
  CHECK(Answer(session, "SELECT length(:a)", {{"a", SqlText(std::string((64 << 20) + 1, 'x'))}}).starts_with("7: "));
}

TEST_CASE("a statement need not have a parameter that is not required") {
  SqlSession session = OpenCatalogSession();
  const std::vector<SqlParameter> parameters = {{"a", SqlInt(1), false}, {"b", SqlInt(2), false}};
  CHECK(Answer(session, "SELECT 5", parameters) == "5");
  CHECK(Answer(session, "SELECT :b", parameters) == "2");
  CHECK(Answer(session, "SELECT count(:b)", parameters) == "1");
  CHECK(Answer(session, "SELECT :c", parameters) == "2: SQL: parameter c has no value");
}

TEST_CASE("a session tells its tables with their columns, without functions that look like tables") {
  const SqlSession session = OpenCatalogSession();
  const std::vector<SqlTable>& tables = session.tables();
  REQUIRE(tables.size() == 4);
  CHECK(tables[0].name == "shards");
  CHECK(tables[0].columns[0].name == "path");
  CHECK(tables[0].columns[0].type == "TEXT");
  CHECK(tables[3].name == "damage");
  CHECK(tables[3].columns.size() == 4);
}

TEST_CASE("a hostile parameter is only a value") {
  SqlSession session = OpenCatalogSession();
  for (const std::string& text :
       {std::string("'; DROP TABLE shards; --"), std::string("\" OR 1=1"), std::string("a\0b", 3),
        std::string("\xff\xfe"), std::string("%"), std::string(1 << 20, '\'')}) {
    CHECK(Answer(session, "SELECT name FROM features WHERE name = :a", {{"a", SqlText(text)}}).empty());
    CHECK(Answer(session, "SELECT hex(:a)", {{"a", SqlText(text)}}).size() == 2 * text.size() + 2);
  }
  CHECK(Answer(session, "SELECT count(*) FROM features WHERE name = :a",
               {{"a", SqlText("x\"; DROP TABLE shards; --")}}) == "1");
}

TEST_CASE("for an unknown name, the nearest names are given") {
  SqlSession session = OpenCatalogSession();
  struct Row {
    std::string sql;
    std::string message;
  };
  const std::vector<Row> rows = {
      {"SELECT pth FROM shards", R"(SQL@7: no such column: "pth"; did you mean "path"?)"},
      {"SELECT \"value_min\" FROM features", R"(SQL@7: no such column: "value_min"; did you mean "values_min"?)"},
      {"  SELECT s.paht FROM shards s", R"(SQL@9: no such column: "s.paht"; did you mean "path"?)"},
      {"SELECT \"PRESENT_\" FROM features", R"(SQL@7: no such column: "PRESENT_"; did you mean "present"?)"},
      {"SELECT 1 FROM shard", R"(SQL: no such table: "shard"; did you mean "shards"?)"},
      {"SELECT 1 FROM nothing_like_it", R"(SQL: no such table: "nothing_like_it")"},
      {"SELECT lenght(path) FROM shards", R"(SQL@7: no such function: "lenght"; did you mean "length"?)"},
      {"SELECT \"\x1b[31m\" FROM shards", R"(SQL@7: no such column: "\x1b[31m")"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sql);
    CHECK(Answer(session, row.sql) == "2: " + row.message);
  }
}

TEST_CASE("text in double quotes is a name and never a string") {
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "SELECT count(*) FROM shards WHERE \"path\" > 'a'") == "2");
  CHECK(Answer(session, "SELECT count(*) FROM shards WHERE \"pahts\" > 50").starts_with("2: SQL@34: no such column"));
  CHECK(Answer(session, "SELECT \"a string\"").starts_with("2: SQL"));
}

TEST_CASE("the error of wrong SQL has SQLite's message and the byte") {
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "SELEC 1") == "2: SQL@0: near \"SELEC\": syntax error");
  CHECK(Answer(session, " /* a */ SELECT 1 +") ==
        "2: SQL@19: the statement ends too early, after `/* a */ SELECT 1 +`");
  CHECK(Answer(session, "SELECT path FROM shards WHERE") ==
        "2: SQL@29: the statement ends too early, after `SELECT path FROM shards WHERE`");
  CHECK(Answer(session, "SELECT json_extract('{', '$')") == "2: SQL: malformed JSON");
  CHECK(Answer(session, "SELECT (SELECT 1, 2)").starts_with("2: SQL"));
}

}  // namespace
}  // namespace ofindex

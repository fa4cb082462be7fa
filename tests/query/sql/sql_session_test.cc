#include "query/sql/sql_session.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "query/tables/tables.h"
#include "tests/index/working_folder.h"
#include "tests/query/columns_in_memory.h"
#include "tests/query/sql_catalog.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

using std::chrono::milliseconds;

constexpr char kEndless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

ColumnValue Integer(int64_t value) { return {.type = ColumnValue::Type::kInteger, .integer = value}; }
ColumnValue Text(std::string value) { return {.type = ColumnValue::Type::kText, .bytes = std::move(value)}; }

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
      "SELECT 'a' REGEXP 'b'",
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

TEST_CASE("a statement that is too large is a kLimit error, and the session stays usable") {
  SqlSession session = OpenCatalogSession();
  const auto nested = [](const std::string& open, const std::string& inner, const std::string& close, int times) {
    std::string text = inner;
    for (int i = 0; i < times; ++i) text = open + text + close;
    return "SELECT " + text;
  };
  struct Row {
    std::string sql;
    std::string code;
  };
  const std::vector<Row> rows = {
      {"SELECT zeroblob(67108865)", "7"},                                      // a value over 64 MiB
      {"SELECT randomblob(67108865)", "7"},                                    // another
      {"SELECT length(zeroblob(999999999))", "7"},                             // though it is not shown
      {"SELECT hex(zeroblob(60000000))", "7"},                                 // that a function makes
      {"SELECT replace(hex(zeroblob(5000)), '0', hex(zeroblob(9999)))", "7"},  // or many small ones
      {"SELECT group_concat(hex(zeroblob(1000000))) FROM features a, features b, features c", "7"},
      {"SELECT '" + std::string(100'000, 'x') + "'", "7"},              // a statement over 100,000 bytes
      {nested("(", "1", " + 1)", 200), "2"},                            // an expression too deep
      {nested("abs(", "1", ")", 200), "2"},                             // a call too deep
      {nested("(SELECT ", "1", ")", 150), "2"},                         // subqueries too deep
      {"SELECT " + std::string(2 * 2500, '1').replace(1, 0, ""), "0"},  // a long number is a number
      {"SELECT 'a' LIKE '" + std::string(2000, '%') + "'", "2"},        // a pattern too long
      {"SELECT 'a' GLOB '" + std::string(2000, '*') + "'", "2"},        // another
      {"SELECT ?40000", "2"},                                           // a parameter too far
      {"SELECT abs(-9223372036854775808)", "2"},                        // a number too large
  };
  for (const Row& row : rows) {
    const std::string shown = row.sql.substr(0, 60);
    CAPTURE(shown);
    const std::string answer = Answer(session, row.sql).substr(0, 200);
    CAPTURE(answer);
    CHECK((row.code == "0" ? answer[1] != ':' : answer.starts_with(row.code + ": ")));
  }
  CHECK(Answer(session, "SELECT 1") == "1");
}

// Returns a statement of 40 definitions, each of which is `body` and names the previous one, @, twice.
std::string Doubled(const std::string& body) {
  std::string sql = "WITH c0 AS (SELECT 1 AS x)";
  for (int i = 1; i < 40; ++i) {
    std::string one = body;
    for (size_t at = one.find('@'); at != std::string::npos; at = one.find('@')) {
      one.replace(at, 1, "c" + std::to_string(i - 1));
    }
    sql += ", c" + std::to_string(i) + " AS (" + one + ")";
  }
  return sql + " SELECT count(*) FROM c39";
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("a statement ends at its deadline, whatever it is doing") {
  SqlSession session = OpenCatalogSession();
  const std::string big = "hex(zeroblob(10000000))";
  const std::vector<std::string> statements = {
      kEndless,
      "SELECT count(*) FROM features a, features b, features c, features d, features e, features f, features g, "
      "features h, features i, features j, features k, features l",
      "SELECT instr(" + big + ", hex(zeroblob(1000000)) || '1') FROM features a, features b, features c, features d",
      "SELECT replace(" + big +
          ", '0', '') FROM features a, features b, features c, features d, features e, features f",
      "SELECT trim(" + big + ", '123456789abcdef' || '0') FROM features a, features b, features c, features d",
      "SELECT count(*) FROM features a, features b, features c, features d, features e WHERE " + big + " LIKE '%" +
          std::string(900, '0') + "1%'",
      "SELECT " + big + " LIKE '%" + std::string(900, '0') + "1' FROM features a, features b",
      "SELECT " + big + " GLOB '*" + std::string(900, '0') + "1' FROM features a, features b",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 1 OFFSET 10000000000",
      "WITH t AS MATERIALIZED (SELECT hex(zeroblob(30000000)) AS x) SELECT " +
          Repeated("length(lower(x || 1)), ", 150) + "1 FROM t",
      Doubled("SELECT 1 AS x FROM @ a, @ b"),
  };
  for (const std::string& statement : statements) {
    CAPTURE(statement);
    const std::string answer = Answer(session, statement, {}, {.timeout = milliseconds(50)});
    CAPTURE(answer);
    CHECK(answer == "7: the statement took longer than 0.05 s");
  }
  CHECK(Answer(session, "SELECT 1", {}, {.timeout = milliseconds(10'000)}) == "1");
}

// SQLite expands definitions while it prepares a statement.
TEST_CASE("a statement that doubles with every definition ends when its memory is used up, or when it is cancelled") {
  SqlSession session = OpenCatalogSession();
  const std::atomic<bool> cancel{true};
  for (const std::string& body : std::vector<std::string>{
           "SELECT 1 AS x FROM @ a, @ b",
           "SELECT 1 AS x FROM @ a LEFT JOIN @ AS b ON a.x = b.x",
           "SELECT 1 AS x FROM (@ a CROSS JOIN @ b)",
           "SELECT 1 AS x FROM (SELECT * FROM @), (SELECT * FROM @)",
           "SELECT 1 AS x FROM @ UNION ALL SELECT 1 FROM @",
           "SELECT (SELECT 1 FROM @) AS x FROM @",
           "SELECT 1 AS x WHERE 1 IN @ OR 2 IN @",
           "SELECT 1 AS x WHERE 1 IN (SELECT x FROM @) AND EXISTS (SELECT 1 FROM @)",
           "WITH d AS NOT MATERIALIZED (SELECT 1 AS x FROM @) SELECT 1 AS x FROM d, d AS e",
           "SELECT sum(a.x) OVER (ORDER BY b.x) AS x FROM @ a, @ b",
       }) {
    CAPTURE(body);
    CHECK(Answer(session, Doubled(body), {}, {.memory_bytes = uint64_t{64} << 20}) ==
          "7: the statement took more memory than 64.0 MiB");
    CHECK(Answer(session, Doubled(body), {}, {.cancel = &cancel}).starts_with("130: "));
  }
  CHECK(Answer(session, Doubled("SELECT x FROM @ WHERE x = 1 OR x = 2")) == "1");
}

TEST_CASE("a statement ends when its memory is used up") {
  SqlSession session = OpenCatalogSession();
  const SqlLimits limits = {.memory_bytes = uint64_t{64} << 20};
  const std::string rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
  for (const std::string& statement : std::vector<std::string>{
           rows + "SELECT count(*) FROM (SELECT DISTINCT i FROM n)",
           rows + "SELECT i FROM n ORDER BY -i",
           rows + "SELECT i, count(*) FROM n GROUP BY hex(i)",
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT max(i) FROM n",
           rows + ", m AS MATERIALIZED (SELECT hex(zeroblob(100000)) AS x FROM n) SELECT count(*) FROM m",
           rows + "SELECT json_group_array(i) OVER (ORDER BY i) FROM n",
       }) {
    CAPTURE(statement);
    CHECK(Answer(session, statement, {}, limits) == "7: the statement took more memory than 64.0 MiB");
  }
  CHECK(Answer(session, "SELECT 1", {}, limits) == "1");
}

// The first row of a statement that holds some `mebibytes` until it is gone.
SqlRows Holding(SqlSession& session, int mebibytes, const SqlLimits& limits = {}) {
  const std::string statement =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT " + std::to_string(mebibytes) +
      "), m AS MATERIALIZED (SELECT hex(zeroblob(524288)) AS x FROM n) SELECT length(x) FROM m";
  SqlRows rows = session.Query(statement, {}, limits).value();
  static_cast<void>(rows.Next());
  return rows;
}

TEST_CASE("the memory of one session does not end a statement of another") {
  SqlSession large = OpenCatalogSession();
  SqlSession small = OpenCatalogSession();
  SqlRows rows = small.Query("VALUES (1), (2)", {}, {.memory_bytes = uint64_t{4} << 20}).value();
  const SqlRows holding = Holding(large, 200);
  CHECK(rows.Next().value());
  CHECK(rows.Next().value());
  const std::string sorted =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT max(i) FROM (SELECT i FROM n "
      "ORDER BY -i)";
  CHECK(Answer(small, sorted, {}, {.memory_bytes = uint64_t{4} << 20}) == "1000");
}

TEST_CASE("all open statements of one session share its limit") {
  SqlSession session = OpenCatalogSession();
  const SqlLimits limits = {.memory_bytes = uint64_t{64} << 20};
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    const SqlRows first = Holding(session, 40, limits);
    CHECK(Answer(session, "SELECT 1", {}, limits) == "1");
    SqlRows second = Holding(session, 40, limits);
    const Result<bool> more = second.Next();
    REQUIRE_FALSE(more);
    CHECK(more.error().message == "the statement took more memory than 64.0 MiB");
  }
}

TEST_CASE("a statement that requests too much memory at once is refused first") {
  SqlSession session = OpenCatalogSession();
  const SqlLimits limits = {.memory_bytes = uint64_t{8} << 20};
  CHECK(Answer(session, "SELECT length(hex(zeroblob(16000000)))", {}, limits) ==
        "7: the statement took more memory than 8.00 MiB");
}

// A session on `count` records, of which each 100 have one label.
SqlSession Labelled(int count) {
  FeatureInMemory label{"label", {}};
  for (int i = 0; i < count; ++i) label.cells.emplace_back(Ints({i / 100}));
  const std::vector<uint32_t> blocks(static_cast<size_t>(count / 10'000), 10'000);
  const auto store = std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(std::vector{label}, blocks),
                                                   ColumnStoreOptions{});
  return SqlSession::Open([&](sqlite3* db, const WorkLimits& limits) { return RegisterRecords(db, store, limits); },
                          {"records"})
      .value();
}

TEST_CASE("a statement whose memory has no room for the index of a column runs without it") {
  SqlSession session = Labelled(100'000);
  const std::string join =
      "SELECT count(*) FROM (SELECT label FROM records LIMIT 30) a JOIN records b ON b.label = a.label";
  for (const uint64_t bytes : {uint64_t{600} << 10, uint64_t{1} << 20, uint64_t{8} << 20}) {
    CAPTURE(bytes);
    CHECK(Answer(session, join, {}, {.memory_bytes = bytes}) == "3000");
  }
}

TEST_CASE("work outside SQLite obeys the statement's limits") {
  WorkLimits limits;
  SqlSession session = SqlSession::Open(
                           [&](sqlite3* db, const WorkLimits& given) {
                             limits = given;
                             return RegisterCatalogTables(db, std::make_shared<const Catalog>(SomeCatalog()));
                           },
                           {std::begin(kCatalogTables), std::end(kCatalogTables)})
                           .value();
  CHECK(limits.Check().has_value());
  std::atomic<bool> cancel{false};
  {
    SqlRows rows = session.Query("SELECT * FROM shards", {}, {.memory_bytes = 1 << 20, .cancel = &cancel}).value();
    REQUIRE(rows.Next().value());
    CHECK(limits.Check().has_value());
    CHECK(limits.HasRoom(1 << 10));
    CHECK_FALSE(limits.HasRoom(2 << 20));
    CHECK(limits.Check().has_value());  // asking for room does not count as a refusal
    cancel = true;
    CHECK_FALSE(limits.Check().has_value());
  }
  CHECK(limits.Check().has_value());
}

TEST_CASE("a statement that is cancelled is interrupted, before it begins and while it runs") {
  SqlSession session = OpenCatalogSession();
  std::atomic<bool> cancel{true};
  const SqlLimits limits = {.cancel = &cancel};
  CHECK(Answer(session, "SELECT 1", {}, limits).starts_with("130: "));
  cancel = false;
  std::thread signal([&] {
    std::this_thread::sleep_for(milliseconds(50));
    cancel = true;
  });
  CHECK(Answer(session, kEndless, {}, limits).starts_with("130: "));
  signal.join();
  cancel = false;
  CHECK(Answer(session, "SELECT 1", {}, limits) == "1");
}

TEST_CASE("rows after the limit are left out, and reported as truncated") {
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "VALUES (1), (2), (3)", {}, {.rows = 2}) == "1\n2...");
  CHECK(Answer(session, "VALUES (1), (2)", {}, {.rows = 2}) == "1\n2");
  CHECK(Answer(session, "VALUES (1), (2)", {}, {.rows = 0}) == "...");
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
  CHECK(Answer(session, "SELECT :a, @b, $c, :a", {{"c", Integer(3)}, {"a", Integer(1)}, {"b", Text("two")}}) ==
        "1 'two' 3 1");
  CHECK(Answer(session, "SELECT ?, ?", {{"1", Integer(1)}, {"2", Integer(2)}}) == "1 2");
  CHECK(Answer(session, "SELECT ?2, ?1", {{"1", Integer(1)}, {"2", Integer(2)}}) == "2 1");
  CHECK(Answer(session, "SELECT :a", {{"a", {}}}) == "NULL");
  CHECK(Answer(session, "SELECT :a", {{"a", {.type = ColumnValue::Type::kBlob, .bytes = std::string("\0\xff", 2)}}}) ==
        "x'00ff'");
  CHECK(Answer(session, "SELECT :a") == "2: SQL: parameter a has no value");
  CHECK(Answer(session, "SELECT ?", {{"a", Integer(1)}}) == "2: SQL: parameter 1 has no value");
  CHECK(Answer(session, "SELECT 1", {{"a", Integer(1)}}) ==
        "2: SQL: the statement has no parameter a, or it was given twice");
  CHECK(Answer(session, "SELECT :a", {{"a", Integer(1)}, {"a", Integer(2)}}) ==
        "2: SQL: the statement has no parameter a, or it was given twice");
  CHECK(Answer(session, "SELECT length(:a)", {{"a", Text(std::string((64 << 20) + 1, 'x'))}}).starts_with("7: "));
}

TEST_CASE("a hostile parameter is only a value") {
  SqlSession session = OpenCatalogSession();
  for (const std::string& text :
       {std::string("'; DROP TABLE shards; --"), std::string("\" OR 1=1"), std::string("a\0b", 3),
        std::string("\xff\xfe"), std::string("%"), std::string(1 << 20, '\'')}) {
    CHECK(Answer(session, "SELECT name FROM features WHERE name = :a", {{"a", Text(text)}}).empty());
    CHECK(Answer(session, "SELECT hex(:a)", {{"a", Text(text)}}).size() == 2 * text.size() + 2);
  }
  CHECK(Answer(session, "SELECT count(*) FROM features WHERE name = :a", {{"a", Text("x\"; DROP TABLE shards; --")}}) ==
        "1");
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
  CHECK(Answer(session, " /* a */ SELECT 1 +") == "2: SQL: incomplete input");
  CHECK(Answer(session, "SELECT path FROM shards WHERE") == "2: SQL: incomplete input");
  CHECK(Answer(session, "SELECT json_extract('{', '$')") == "2: SQL: malformed JSON");
  CHECK(Answer(session, "SELECT (SELECT 1, 2)").starts_with("2: SQL"));
}

TEST_CASE("statements of one session are stepped in turn, each with its own limits") {
  SqlSession session = OpenCatalogSession();
  Result<SqlRows> slow = session.Query(kEndless, {}, {.timeout = milliseconds(30)});
  Result<SqlRows> one = session.Query("VALUES (1), (2)");
  REQUIRE(slow.has_value());
  REQUIRE(one.has_value());
  CHECK(*one->Next());
  const Result<bool> late = slow->Next();
  CHECK(late.error().code == ErrorCode::kLimit);
  CHECK(*one->Next());
  CHECK(one->At(0).integer == 2);
  slow = session.Query("SELECT 3");
  CHECK(*slow->Next());
  CHECK_FALSE(*one->Next());
}

TEST_CASE("a value whose memory is refused is an error, and not an empty one") {
  SqlSession session = OpenCatalogSession();
  SqlLimits limits;
  limits.memory_bytes = 8 << 20;
  Result<SqlRows> rows = session.Query("SELECT zeroblob(1000), zeroblob(0), zeroblob(32000000)", {}, limits);
  REQUIRE(rows);
  const Result<bool> row = rows->Next();
  REQUIRE_FALSE(row);
  CHECK(row.error().code == ErrorCode::kLimit);
  rows = session.Query("SELECT zeroblob(1000), zeroblob(0), x''", {}, limits);
  REQUIRE(rows->Next());
  CHECK(rows->At(0).bytes.size() == 1000);
  CHECK(rows->At(1).bytes.empty());
}

TEST_CASE("a session does not change the settings of the process") {
  const int64_t hard = sqlite3_hard_heap_limit64(-1);
  const int64_t soft = sqlite3_soft_heap_limit64(-1);
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "SELECT 1") == "1");
  CHECK(sqlite3_hard_heap_limit64(-1) == hard);
  CHECK(sqlite3_soft_heap_limit64(-1) == soft);
}

}  // namespace
}  // namespace ofindex

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "query/sql/sql_authorizer.h"
#include "query/sql/sql_session.h"
#include "query/tables/tables.h"
#include "tests/query/columns_in_memory.h"
#include "tests/query/sql_catalog.h"

namespace ofindex {
namespace {

using std::chrono::milliseconds;
constexpr char kEndless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

TEST_CASE(
    "a connection that is locked down trusts no schema and lets none be written, whatever its authorizer allows") {
  const Result<sqlite3*> db = SqlAuthorizer::OpenEmpty();
  REQUIRE(db);
  SqlAuthorizer authorizer({});
  REQUIRE(authorizer.LockDown(*db));
  for (const auto& [option, expected] :
       {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1}, std::pair{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        std::pair{SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}, std::pair{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}}) {
    int now = -1;
    CAPTURE(option);
    REQUIRE(sqlite3_db_config(*db, option, -1, &now) == SQLITE_OK);
    CHECK(now == expected);
  }
  sqlite3_close(*db);
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
SqlSession LabelledSession(int count) {
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
  SqlSession session = LabelledSession(100'000);
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

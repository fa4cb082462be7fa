#include "query/sql/memory_table.h"

#include <doctest/doctest.h>

#include <string>

#include "query/sql/open_session.h"

namespace ofindex {
namespace {

SqlValue Integer(int64_t value) { return {.type = ColumnValue::Type::kInteger, .integer = value}; }

// A table of `rows` numbers, with a text of `bytes` bytes each.
MemoryTable Numbers(int64_t rows, size_t bytes) {
  return {.name = "numbers",
          .columns = {{"n", "INTEGER"}, {"text", "TEXT"}},
          .for_each_row = [rows, text = std::string(bytes, 'x')](const MemoryTable::TakeRow& take) -> Result<void> {
            for (int64_t n = 0; n < rows; ++n) {
              const SqlValue row[] = {Integer(n), {.type = ColumnValue::Type::kText, .bytes = AsBytes(text)}};
              OFINDEX_TRY(take(row));
            }
            return {};
          }};
}

Result<SqlSession> SessionOf(MemoryTable table, uint64_t memory_bytes = uint64_t{1} << 30) {
  return OpenSession(SessionParts{.indexes = {}, .tables = {std::move(table)}, .memory_bytes = memory_bytes});
}

TEST_CASE("a session reads its tables in memory, and can change none") {
  SqlSession session = SessionOf(Numbers(1000, 1)).value();
  SqlRows rows = session.Query("SELECT count(*), sum(n) FROM numbers WHERE text = 'x'").value();
  REQUIRE(rows.Next().value());
  CHECK(rows.At(0).integer == 1000);
  CHECK(rows.At(1).integer == 499'500);
  for (const char* sql :
       {"INSERT INTO numbers VALUES (1, 2)", "DELETE FROM numbers", "DROP TABLE numbers", "CREATE TEMP TABLE t(a)",
        "CREATE INDEX temp.i ON numbers(n)", "ALTER TABLE numbers ADD a", "SELECT * FROM temp.sqlite_schema",
        "ATTACH ':memory:' AS a", "PRAGMA query_only = 0", "VACUUM temp", "ANALYZE"}) {
    CHECK_MESSAGE(!session.Query(sql), sql);
  }
}

TEST_CASE("a table that takes more memory than its session may have is an error") {
  CHECK(SessionOf(Numbers(1000, 100), uint64_t{8} << 20));
  const Result<SqlSession> session = SessionOf(Numbers(100'000, 100), uint64_t{8} << 20);
  REQUIRE(!session);
  CHECK(session.error().code == ErrorCode::kLimit);
  CHECK(session.error().message == "table numbers takes more memory than a session may have");
}

TEST_CASE("a table keeps counting to the memory of the statements of its session") {
  SqlSession session = SessionOf(Numbers(10'000, 1000)).value();
  const char* const sorted = "SELECT count(*) FROM (SELECT DISTINCT n FROM numbers)";
  const Result<SqlRows> refused = session.Query(sorted, {}, {.memory_bytes = uint64_t{4} << 20});
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::kLimit);
  SqlRows more = session.Query(sorted, {}, {.memory_bytes = uint64_t{64} << 20}).value();
  CHECK(more.Next().value());
}

TEST_CASE("names that are no plain words, words of SQL, or taken are refused") {
  for (const char* name : {"", "1a", "a b", "a.b", "a\"", "select", "ORDER", "records", "Shards", "main", "TEMP",
                           "sqlite_a", "json_each", "\xc3\xa4"}) {
    MemoryTable table = Numbers(1, 1);
    table.name = name;
    const Result<SqlSession> session = SessionOf(std::move(table));
    REQUIRE_MESSAGE(!session, name);
    CHECK(session.error().code == ErrorCode::kUsage);
  }
  MemoryTable twice = Numbers(1, 1);
  twice.columns[1].name = "N";
  CHECK(SessionOf(std::move(twice)).error().message == "table numbers: SQLite: duplicate column name: N");
  MemoryTable bytes = Numbers(1, 1);
  bytes.columns[1].name = "\xff";
  CHECK(SessionOf(std::move(bytes)).error().code == ErrorCode::kUsage);
}

}  // namespace
}  // namespace ofindex

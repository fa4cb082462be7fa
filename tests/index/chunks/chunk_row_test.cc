#include <doctest/doctest.h>
#include <sqlite3.h>

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/chunks/zone_map.h"
#include "tests/index/column_values.h"

namespace ofindex {
namespace {

// SQLite itself, evaluating the values.
class SqlOracle {
 public:
  SqlOracle() {
    REQUIRE(sqlite3_open(":memory:", &database_) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database_, "CREATE TABLE t(v)", nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  SqlOracle(const SqlOracle&) = delete;
  SqlOracle& operator=(const SqlOracle&) = delete;
  ~SqlOracle() { sqlite3_close(database_); }

  void Insert(const ColumnValue& value) { Ask("INSERT INTO t VALUES (?1)", value); }

  // Returns the first column of the only row of `sql`, with ?1 bound to `value`.
  int64_t Ask(const char* sql, const ColumnValue& value = {}) {
    sqlite3_stmt* statement = nullptr;
    REQUIRE(sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) == SQLITE_OK);
    Bind(statement, value);
    const int outcome = sqlite3_step(statement);
    CHECK((outcome == SQLITE_ROW || outcome == SQLITE_DONE));
    const int64_t answer = outcome == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return answer;
  }

 private:
  static void Bind(sqlite3_stmt* statement, const ColumnValue& value) {
    const auto size = static_cast<int>(value.bytes.size());
    switch (value.type) {
      case ColumnValue::Type::kNull: sqlite3_bind_null(statement, 1); return;
      case ColumnValue::Type::kInteger: sqlite3_bind_int64(statement, 1, value.integer); return;
      case ColumnValue::Type::kReal: sqlite3_bind_double(statement, 1, value.real); return;
      case ColumnValue::Type::kText: sqlite3_bind_text(statement, 1, value.bytes.data(), size, SQLITE_STATIC); return;
      case ColumnValue::Type::kBlob: sqlite3_bind_blob(statement, 1, value.bytes.data(), size, SQLITE_STATIC); return;
    }
  }

  sqlite3* database_ = nullptr;
};

TEST_CASE("the null count, least and greatest value match SQLite's for a table of the same values") {
  for (const Generator& generator : Generators()) {
    for (const Gaps& gaps : AllGaps()) {
      for (uint32_t records : {0U, 1U, 7U, 300U}) {
        CAPTURE(generator.what);
        CAPTURE(gaps.what);
        CAPTURE(records);
        const GivenColumn column = MakeColumn(generator, gaps, records, records);
        const ChunkRow row = EncodeColumn(column);
        SqlOracle oracle;
        uint32_t nans = 0;
        for (const Given& given : column) {
          oracle.Insert(InSql(given));
          nans += given.kind != FeatureKind::kNone && InSql(given).type == ColumnValue::Type::kNull;
        }
        CHECK(row.nulls == oracle.Ask("SELECT count(*) - count(v) FROM t"));
        CHECK(row.nans == nans);
        CHECK(oracle.Ask("SELECT ?1 IS min(v) FROM t", row.min) == 1);
        CHECK(oracle.Ask("SELECT ?1 IS max(v) FROM t", row.max) == 1);
        CHECK_FALSE((row.min.type == ColumnValue::Type::kReal && std::signbit(row.min.real) && row.min.real == 0));
      }
    }
  }
}

TEST_CASE("a long least value is cut to a prefix, which sorts no higher, and a long greatest value is omitted") {
  const std::string x300(300, 'x');
  const std::string umlauts = "x" + [] {
    std::string text;
    for (int i = 0; i < 150; ++i) text += "\xc3\xa4";
    return text;
  }();
  struct Row {
    std::string value;
    size_t size;  // of the least value
    ColumnValue::Type type;
  };
  const Row rows[] = {
      {x300.substr(0, 256), 256, ColumnValue::Type::kText},     // just short enough
      {x300.substr(0, 257), 256, ColumnValue::Type::kText},     // just too long
      {umlauts, 255, ColumnValue::Type::kText},                 // would be cut inside a character
      {"\xff" + x300, 256, ColumnValue::Type::kBlob},           // a BLOB may be cut anywhere
      {umlauts.substr(0, 300), 256, ColumnValue::Type::kBlob},  // ends inside a character
      {x300.substr(0, 255) + "\xf0\x9f\x98\x80", 255, ColumnValue::Type::kText},
  };
  for (const Row& row : rows) {
    const ChunkRow chunk = EncodeColumn({Bytes(row.value)});
    CHECK(chunk.min.bytes == row.value.substr(0, row.size));
    CHECK(chunk.min.type == row.type);
    CHECK((chunk.max.type == ColumnValue::Type::kNull) == (row.value.size() > 256));
    SqlOracle oracle;
    oracle.Insert(InSql(Bytes(row.value)));
    CHECK(oracle.Ask("SELECT ?1 <= min(v) FROM t", chunk.min) == 1);
  }
}

TEST_CASE("an integer and a real are compared exactly, even if conversion would round") {
  struct Row {
    int64_t integer;
    double real;
    std::strong_ordering order;
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Row rows[] = {
      {kMax, 9223372036854775808.0, std::strong_ordering::less},
      {-kMax - 1, -9223372036854775808.0, std::strong_ordering::equal},
      {(int64_t{1} << 53) + 1, 9007199254740992.0, std::strong_ordering::greater},
      {0, -0.0, std::strong_ordering::equal},
      {0, 5e-324, std::strong_ordering::less},
      {-1, -1.5, std::strong_ordering::greater},
      {1, 1.5, std::strong_ordering::less},
      {kMax, std::numeric_limits<double>::infinity(), std::strong_ordering::less},
      {-kMax - 1, -std::numeric_limits<double>::infinity(), std::strong_ordering::greater},
  };
  for (const Row& row : rows) CHECK(CompareNumbers(row.integer, row.real) == row.order);
}

TEST_CASE("the zone map of lists counts records without the feature, and bounds all elements") {
  ChunkBuilder builder;
  builder.AddNumbers(1, FeatureKind::kInt64, std::vector<uint64_t>{5, 2, 9});
  builder.AddNumbers(2, FeatureKind::kInt64, {});
  builder.AddNumbers(4, FeatureKind::kFloat, std::vector<uint64_t>{0x7fc00000, std::bit_cast<uint32_t>(9.5F)});
  const ChunkRow row = builder.Encode(6);
  CHECK(row.nulls == 3);
  CHECK(row.nans == 0);
  CHECK(row.min.integer == 2);
  CHECK(row.max.real == 9.5);
}

}  // namespace
}  // namespace ofindex

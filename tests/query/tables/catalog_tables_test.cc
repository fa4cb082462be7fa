#include "query/tables/catalog_tables.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "tests/query/plain_table.h"
#include "tests/query/sql_catalog.h"
#include "tests/query/tables/values_of_types.h"

namespace ofindex {
namespace {

TEST_CASE("the tables of the catalog have the keys of info's JSON as columns") {
  SqlSession session = OpenCatalogSession();
  struct Row {
    std::string table;
    std::vector<std::string> columns;
  };
  const std::vector<Row> rows = {
      {"shards", {"path", "format", "compression", "payload", "records", "bytes", "payload_bytes"}},
      {"features", {"name", "kinds", "present", "values_min", "values_max", "column", "type", "origin"}},
      {"bad", {"record", "shard", "offset", "reason"}},
      {"damage", {"shard", "begin", "end", "reason"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.table);
    const auto found = session.Query("SELECT * FROM " + row.table);
    REQUIRE(found.has_value());
    CHECK(found->columns() == row.columns);
  }
}

TEST_CASE("the tables of the catalog hold its content") {
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "SELECT * FROM shards") ==
        "'train/part-0' 'tfrecord' 'none' 'example' 30 4000 3520\n"
        "'train/part-\\xff' 'tfrecord' 'none' 'example' 2 100 60");
  CHECK(Answer(session, "SELECT name, kinds, present, values_min, values_max, \"column\", type FROM features") ==
        "'image/height' 'int64' 32 1 1 'image/height' 'INTEGER'\n"
        "'image/width' 'int64' 32 1 1 'image/width' 'INTEGER'\n"
        "'score' 'float' 32 1 1 'score' 'REAL'\n"
        "'x\"; DROP TABLE shards; --' 'bytes' 32 1 1 'x\"; DROP TABLE shards; --' 'TEXT'\n"
        "x'fe' 'bytes' 32 1 1 '\\xfe' 'BLOB'");
  CHECK(Answer(session, "SELECT * FROM bad") == "31 'train/part-\\xff' 50 'payload_crc'");
  CHECK(Answer(session, "SELECT * FROM damage") == "'train/part-0' 10 20 'torn_tail'");
}

TEST_CASE("a shard in bad and damage equals its path in shards, whatever its bytes") {
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "SELECT records FROM shards JOIN bad ON shard = path") == "2");
  CHECK(Answer(session, "SELECT records FROM shards JOIN damage ON shard = path") == "30");
}

TEST_CASE("the tables can be joined with themselves, filtered, grouped and sorted") {
  SqlSession session = OpenCatalogSession();
  CHECK(Answer(session, "SELECT count(*) FROM features a, features b WHERE a.rowid < b.rowid") == "10");
  CHECK(Answer(session, "SELECT kinds, count(*) FROM features GROUP BY 1 ORDER BY 2 DESC, 1") ==
        "'bytes' 2\n'int64' 2\n'float' 1");
  CHECK(Answer(session, "SELECT name FROM features WHERE rowid = 2") == "'score'");
}

// A session on `count` shards, each with a bad record and a damaged range, and as many features.
SqlSession ManyRows(uint64_t count) {
  auto catalog = std::make_shared<Catalog>();
  for (uint64_t i = 0; i < count; ++i) {
    const auto shard = static_cast<uint32_t>(i);
    ShardRow row;
    row.path = (i % 7 == 0 ? "odd-\xff" : "part-") + std::to_string(i);
    catalog->shards.push_back(std::move(row));
    FeatureRow feature;
    feature.name = (i % 7 == 0 ? "\xfe" : "") + std::to_string(i);
    catalog->features.push_back(std::move(feature));
    catalog->bad.push_back({.record = i, .shard = shard, .offset = 3, .reason = BadReason::kPayloadCrc});
    catalog->damage.push_back({.shard = shard / 2, .range = {.begin = i, .end = i + 1}});
  }
  auto session = SqlSession::Open(
      [&](sqlite3* db, const WorkLimits& limits) { return RegisterCatalogTables(db, catalog, limits); },
      {std::begin(kCatalogTables), std::end(kCatalogTables)});
  REQUIRE(session.has_value());
  return std::move(*session);
}

TEST_CASE("finding rows by path, name, record or shard gives the same rows as comparing all of them") {
  SqlSession session = ManyRows(40);
  struct Row {
    const char* table;
    const char* key;
  };
  for (const Row& row :
       {Row{"shards", "path"}, {"features", "name"}, {"bad", "record"}, {"bad", "shard"}, {"damage", "shard"}}) {
    for (const char* value : {"'part-3'", "'odd-\\xff7'", "'none'", "3", "'3'", "3.0", "' 3'", "x'33'", "x'fe37'",
                              "x'fe3137'", "NULL", "''", "CAST('3' AS INTEGER)", "CAST(3 AS TEXT)",
                              "(SELECT max(path) FROM shards)", "(SELECT count(*) FROM bad)"}) {
      for (const std::string& test : {std::string(" = ") + value, " IN (" + std::string(value) + ", 'part-5', 9)"}) {
        const std::string from = std::string("SELECT rowid FROM ") + row.table + " WHERE ";
        const std::string term = row.key + test;
        CAPTURE(term);
        const std::string all = "CASE WHEN " + term + " THEN 1 END";
        CHECK(Answer(session, from + term + " ORDER BY rowid") == Answer(session, from + all));
      }
    }
  }
  CHECK(Answer(session, "SELECT count(*) FROM shards s JOIN bad b ON b.shard = s.path") == "40");
  CHECK(Answer(session, "SELECT count(*) FROM shards s LEFT JOIN damage d ON d.shard = s.path") == "60");
  CHECK(Answer(session, "SELECT count(*) FROM shards WHERE path = 'PART-3' COLLATE NOCASE") == "1");
}

// Features and shards that have numbers as names.
Catalog SpelledCatalog() {
  Catalog catalog;
  for (const std::string& name : kSpelledNumbers) {
    FeatureRow feature;
    feature.name = name;
    catalog.features.push_back(std::move(feature));
    ShardRow shard;
    shard.path = name;
    const auto number = static_cast<uint32_t>(catalog.shards.size());
    catalog.shards.push_back(std::move(shard));
    catalog.bad.push_back({.record = number, .shard = number, .offset = 3, .reason = BadReason::kPayloadCrc});
    catalog.damage.push_back({.shard = number, .range = {.begin = number, .end = 9}});
  }
  return catalog;
}

TEST_CASE("a key is compared with columns of every affinity as SQLite compares a column of its own") {
  const Connection connection;
  REQUIRE(RegisterCatalogTables(connection.db(), std::make_shared<const Catalog>(SpelledCatalog())));
  AddValuesOfTypes(connection);
  CheckComparedAsPlain(connection, "shards", "path", "TEXT");
  CheckComparedAsPlain(connection, "features", "name", "TEXT");
  CheckComparedAsPlain(connection, "bad", "record", "INTEGER");
  CheckComparedAsPlain(connection, "bad", "shard", "TEXT");
  CheckComparedAsPlain(connection, "damage", "shard", "TEXT");
}

TEST_CASE("a join of the catalog's tables by key does not compare every pair of rows") {
  SqlSession session = ManyRows(50'000);
  const SqlLimits limits = {.timeout = std::chrono::seconds(20)};  // all pairs would take minutes
  CHECK(Answer(session, "SELECT count(*) FROM shards a LEFT JOIN shards b ON b.path = a.path", {}, limits) == "50000");
  CHECK(Answer(session, "SELECT count(*) FROM features a LEFT JOIN features b ON b.name = a.name", {}, limits) ==
        "50000");
  CHECK(Answer(session, "SELECT count(*) FROM bad a LEFT JOIN bad b ON b.record = a.record", {}, limits) == "50000");
  CHECK(Answer(session, "SELECT count(*) FROM shards a LEFT JOIN bad b ON b.shard = a.path", {}, limits) == "50000");
  CHECK(Answer(session, "SELECT count(*) FROM shards a LEFT JOIN damage d ON d.shard = a.path", {}, limits) == "75000");
}

}  // namespace
}  // namespace ofindex

#include "query/catalog_tables.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/query/sql_catalog.h"

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
      {"features", {"name", "kinds", "present", "values_min", "values_max", "column", "type"}},
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

TEST_CASE("the tables of the catalog hold what the catalog says") {
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

}  // namespace
}  // namespace ofindex

#include "query/sql/grouped_statements.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "query/tables/records_table.h"
#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

std::shared_ptr<ColumnStore> Store(size_t records) {
  std::vector<FeatureInMemory> features = {{"label", {}}, {"score", {}}, {"name", {}}, {"list", {}}};
  for (size_t r = 0; r < records; ++r) {
    features[0].cells.emplace_back(Ints({static_cast<int64_t>(r % 7)}));
    features[1].cells.emplace_back(Floats({static_cast<double>(r) / 4}));
    features[2].cells.emplace_back(Strings({"name " + std::to_string(r % 5)}));
    features[3].cells.emplace_back(Ints({1, static_cast<int64_t>(r)}));
  }
  const std::vector<uint32_t> blocks(records / 100, 100);
  ColumnsInMemory columns(std::move(features), blocks,
                          {.mode = ColumnChoice::Mode::kNamed, .names = {"label", "list", "name", "score"}});
  return std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(std::move(columns)),
                                       ColumnStoreOptions{.threads = 2});
}

std::unique_ptr<GroupedStatements> OpenOn(const std::shared_ptr<ColumnStore>& store) {
  const auto add = [&](sqlite3* db, const WorkLimits& limits, const std::shared_ptr<GroupedScans>& scans) {
    return RegisterRecordsTable(db, {.store = store, .groups = scans, .limits = limits});
  };
  auto opened = GroupedStatements::Open(store, add, {"records"});
  REQUIRE_MESSAGE(opened.has_value(), opened.error().message);
  return *std::move(opened);
}

// Returns whether a statement is answered in groups.
bool IsAnswered(GroupedStatements& statements, std::string_view sql, const std::vector<SqlParameter>& parameters = {}) {
  const auto rows = statements.Query(sql, parameters, {});
  REQUIRE(rows.has_value());
  return rows->has_value();
}

TEST_CASE("statements whose scans only feed aggregate functions are answered in groups") {
  const auto statements = OpenOn(Store(300));
  for (const std::string& sql : std::vector<std::string>{
           "SELECT count(*) FROM records",
           "SELECT label, count(*), avg(score) FROM records GROUP BY label",
           "SELECT count(*) FROM records WHERE label > 3 AND score < 9 GROUP BY name, label",
           "SELECT sum(score), total(label), min(name), max(name), count(name) FROM records WHERE name LIKE 'name%'",
           "SELECT count(DISTINCT name), sum(DISTINCT label) FROM records",
           "SELECT count(DISTINCT name) FROM records",
           "SELECT count(name), count(DISTINCT name), min(name) FROM records GROUP BY label",
           "SELECT DISTINCT label FROM records",
           "SELECT DISTINCT label, name FROM records WHERE score > 5 ORDER BY label, name",
           "SELECT label, max(score) AS best FROM records GROUP BY 1 HAVING best > 3 ORDER BY best DESC LIMIT 2",
           "SELECT label + 1, count(*) * 2 FROM records GROUP BY label ORDER BY count(*)",
           "SELECT max(c) FROM (SELECT count(*) AS c FROM records GROUP BY label)",
           "WITH g AS (SELECT label, count(*) AS c FROM records GROUP BY label) SELECT a.c FROM g a JOIN g b USING "
           "(label)",
           "SELECT _id FROM records WHERE score = (SELECT max(score) FROM records)",
           "SELECT sum(score) FROM records WHERE score IS NOT NULL",
           "SELECT _shard, min(_id), max(_id), count(_length) FROM records GROUP BY _shard",
           "EXPLAIN QUERY PLAN SELECT count(*) FROM records",
           "explain SELECT count(*) FROM records",
           "SELECT DISTINCT score FROM records",
           "SELECT DISTINCT label FROM records WHERE label * 2 > 3",
           "SELECT label, count(*) OVER (), count(*) FROM records GROUP BY label",
       }) {
    CHECK_MESSAGE(IsAnswered(*statements, sql), sql);
  }
  // SQLite from 3.43 on adds other than small integers in a way of its own.
  for (const char* const sums :
       {"SELECT label, count(*), sum(count(*)) OVER (ORDER BY label) FROM records GROUP BY label",
        "SELECT _shard, sum(_length) FROM records GROUP BY _shard"}) {
    CAPTURE(sums);
    CHECK(IsAnswered(*statements, sums) == (SumRuleOfSqlite() == SumRule::kPlain));
  }
  CHECK(IsAnswered(*statements, "SELECT count(*) FROM records WHERE name = ?1",
                   {{"1", {.type = ColumnValue::Type::kText, .bytes = "name 1"}}}));
}

TEST_CASE("arithmetic is a key or an argument like a column") {
  const auto statements = OpenOn(Store(300));
  for (const std::string& sql : std::vector<std::string>{
           "SELECT label / 2, count(*) FROM records GROUP BY 1",
           "SELECT label / 2 AS half, count(*) FROM records GROUP BY half ORDER BY half DESC",
           "SELECT count(*) FROM records GROUP BY label / 2, name ORDER BY label / 2, 1 LIMIT 3",
           "SELECT label % 2 odd, score * 0.5 low, count(*) FROM records GROUP BY odd, low",
           "SELECT (label + 1) * 2 / 3 - -label, max(name) FROM records GROUP BY 1",
           "SELECT CAST(score AS INTEGER) AS \"whole score\", avg(label) FROM records GROUP BY \"whole score\"",
           "SELECT r.label + 1, count(*) FROM records AS r GROUP BY 1 HAVING count(*) > 1 AND min(r.score * 2) >= 0",
           "SELECT DISTINCT label * label FROM records WHERE score > 5",
           "SELECT label, total(score - 1.5), count(DISTINCT label + _id) FROM records GROUP BY label",
           "SELECT coalesce(max(score * 2), 0) + 1 FROM records",
           "EXPLAIN QUERY PLAN SELECT label / 2, count(*) FROM records GROUP BY 1",
       }) {
    CHECK_MESSAGE(
        IsAnswered(*statements, sql) == (SumRuleOfSqlite() == SumRule::kPlain || sql.find("total") == sql.npos), sql);
  }
}

TEST_CASE("columns that were replaced keep the names that SQLite gives them") {
  const auto statements = OpenOn(Store(300));
  struct Row {
    std::string sql;
    std::vector<std::string> names;
  };
  const std::vector<Row> rows = {
      {"SELECT label / 2, count(*) FROM records GROUP BY 1", {"label / 2", "count(*)"}},
      {"SELECT label/2 half, max(label *2 ) FROM records GROUP BY 1", {"half", "max(label *2 )"}},
      {"SELECT 1 + max(label * 2) AS most, label, - label -- sign\n FROM records GROUP BY label, -label",
       {"most", "label", "- label -- sign"}},
      {"EXPLAIN QUERY PLAN SELECT DISTINCT label % 2 FROM records", {"id", "parent", "notused", "detail"}},
  };
  for (const Row& row : rows) {
    const auto found = statements->Query(row.sql, {}, {});
    REQUIRE(found.has_value());
    REQUIRE_MESSAGE(found->has_value(), row.sql);
    CHECK_MESSAGE((*found)->columns() == row.names, row.sql);
  }
}

TEST_CASE("statements cannot name the hidden columns") {
  const auto statements = OpenOn(Store(300));
  CHECK_FALSE(IsAnswered(*statements,
                         "SELECT \"\x01"
                         "0\", count(*) FROM records GROUP BY 1"));
  CHECK_FALSE(IsAnswered(*statements,
                         "SELECT max([\x01"
                         "0]), label / 2 FROM records GROUP BY 2"));
  const auto all = statements->Query("SELECT * FROM (SELECT DISTINCT label / 2 FROM records)", {}, {});
  REQUIRE(all.has_value());
  CHECK_FALSE(all->has_value());
}

TEST_CASE("all other statements are left to an ordinary session") {
  const auto statements = OpenOn(Store(300));
  for (const std::string& sql : std::vector<std::string>{
           "SELECT label FROM records",
           "SELECT group_concat(name) FROM records",
           "SELECT sum(score + name) FROM records",
           "SELECT sum(abs(score)) FROM records",
           "SELECT label, score, count(*) FROM records GROUP BY label",
           "SELECT label, max(score), name FROM records GROUP BY label",
           "SELECT sum(score) FILTER (WHERE label = 1), count(*) FROM records",
           "SELECT count(*) FROM records WHERE label + 1 = 3",
           "SELECT count(*) FROM records WHERE random() > 0",
           "SELECT name COLLATE NOCASE, count(*) FROM records GROUP BY 1",
           "SELECT min(name COLLATE NOCASE) FROM records",
           "SELECT count(DISTINCT name COLLATE NOCASE) FROM records",
           "SELECT sum(name) FROM records",
           "SELECT min(list) FROM records",
           "SELECT list, count(*) FROM records GROUP BY list",
           "SELECT DISTINCT label, rowid FROM records",
           "SELECT DISTINCT label FROM records WHERE rowid % 2 = 0",
           "SELECT DISTINCT label FROM records ORDER BY score",
           "SELECT DISTINCT label FROM records WHERE abs(random()) % 3 = 0",
           "SELECT DISTINCT score FROM records WHERE typeof(score) = 'real'",
           "SELECT DISTINCT b.label FROM records a JOIN records b ON b.label = a.label WHERE a._id < 9",
           "SELECT r.label, (SELECT count(*) FROM records s WHERE s.label = r.label) FROM records r GROUP BY r.label + "
           "1",
           "SELECT count(*) OVER () FROM records",
           "SELECT count(*) OVER (PARTITION BY label) FROM records",
           "SELECT label / 2 AS half, count(*) FROM records GROUP BY half HAVING half > 1",
           "SELECT label % 2 + _id, sum(score * 2) FROM records",
           "SELECT label / 2 AS half, count(*) FROM records GROUP BY 1 ORDER BY half = CAST(1 AS TEXT)",
           "SELECT (label / 2) COLLATE NOCASE, count(*) FROM records GROUP BY 1",
           "SELECT h, count(*) FROM (SELECT label / 2 AS h FROM records) GROUP BY h",
           "SELECT *, label / 2, count(*) FROM records GROUP BY label / 2",
           "SELECT label / ?1, count(*) FROM records GROUP BY 1",
           "SELECT \"\\x01\", count(*) FROM records GROUP BY 1",
           "SELECT (SELECT count(*) FROM records s WHERE s.label = r.label) FROM records r",
           "SELECT v.column1, sum(score) FROM (VALUES (1), (2)) v JOIN records ON label >= v.column1",
           "SELECT nothing, count(*) FROM records",
           "SELECT count(*) FROM",
       }) {
    CHECK_MESSAGE(!IsAnswered(*statements, sql), sql);
  }
}

TEST_CASE("the plan of a statement that is answered in groups says so") {
  const auto statements = OpenOn(Store(300));
  auto rows = statements->Query("EXPLAIN QUERY PLAN SELECT label, name, count(*) FROM records GROUP BY 1, 2", {}, {});
  REQUIRE(rows.has_value());
  REQUIRE(rows->has_value());
  REQUIRE((*rows)->Next().value());
  CHECK(AsText((*rows)->At(3).bytes) == "SCAN records VIRTUAL TABLE INDEX 0:#0 one row for each label, name");
}

TEST_CASE("statements may be stepped through in turns") {
  const auto statements = OpenOn(Store(300));
  auto first = statements->Query("SELECT label, count(*) FROM records GROUP BY label", {}, {}).value();
  REQUIRE(first);
  REQUIRE(first->Next().value());
  auto second = statements->Query("SELECT name, count(*), sum(label) FROM records GROUP BY name", {}, {}).value();
  REQUIRE(second);
  int64_t records = first->At(1).integer;
  int64_t names = 0;
  for (bool more = true, named = true; more || named;) {
    named = named && second->Next().value();
    if (named) names += second->At(1).integer;
    more = more && first->Next().value();
    if (more) records += first->At(1).integer;
  }
  CHECK(records == 300);
  CHECK(names == 300);
}

TEST_CASE("a limit on rows cuts the rows of a statement, not its program") {
  const auto statements = OpenOn(Store(300));
  // The second scan returns records, in no order: SQLite must sort them.
  for (uint64_t limit = 0; limit < 60; ++limit) {
    auto rows = statements->Query(
        "SELECT label, count(*), 0 FROM records GROUP BY label UNION ALL "
        "SELECT name, count(*), group_concat(label) FROM records GROUP BY name",
        {}, {.rows = limit});
    REQUIRE(rows.has_value());
    REQUIRE(rows->has_value());
    for (uint64_t row = 0; row < std::min<uint64_t>(limit, 7 + 5); ++row) {
      REQUIRE((*rows)->Next().value());
      CHECK((*rows)->At(1).integer == (row < 6 ? 43 : row == 6 ? 42 : 60));
    }
    CHECK_FALSE((*rows)->Next().value());
  }
  auto rows = statements->Query("SELECT label, count(*) FROM records GROUP BY label", {}, {.rows = 2}).value();
  REQUIRE(rows);
  CHECK(rows->Next().value());
  CHECK(rows->Next().value());
  CHECK_FALSE(rows->Next().value());
  CHECK(rows->truncated());
}

TEST_CASE("groups that need more memory than a statement may use are an error") {
  const auto statements = OpenOn(Store(30'000));
  auto rows = statements->Query("SELECT score, count(*) FROM records GROUP BY score", {}, {.memory_bytes = 1 << 20});
  REQUIRE(rows.has_value());
  REQUIRE(rows->has_value());
  const Result<bool> more = (*rows)->Next();
  REQUIRE_FALSE(more.has_value());
  CHECK(more.error().code == ErrorCode::kLimit);
}

TEST_CASE("a cancelled statement ends") {
  const auto statements = OpenOn(Store(300));
  std::atomic<bool> cancel = false;
  auto rows = statements->Query("SELECT label, count(*) FROM records GROUP BY label", {}, {.cancel = &cancel});
  REQUIRE(rows.has_value());
  REQUIRE(rows->has_value());
  cancel = true;
  const Result<bool> more = (*rows)->Next();
  REQUIRE_FALSE(more.has_value());
  CHECK(more.error().code == ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace ofindex

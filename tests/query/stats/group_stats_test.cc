#include "query/stats/group_stats.h"

#include <doctest/doctest.h>

#include <limits>
#include <map>

#include "query/columns/find_column.h"
#include "query/columns/value_order.h"
#include "tests/query/stats/stats_table.h"

namespace ofindex {
namespace {

GroupedStats Groups(ColumnStore& store, const Column& by, const std::vector<Column>& columns,
                    GroupOptions options = {}) {
  Result<GroupedStats> groups = GroupStats(store, by, columns, options);
  REQUIRE_MESSAGE(groups.has_value(), groups.error().message);
  return std::move(*groups);
}

ColumnValue ColumnValueOf(const Chunk::Value& value) {
  return {.type = value.type, .integer = value.integer, .real = value.real};
}

// Returns the SQL query for the numbers of `column`, grouped by `by`.
std::string Question(const Column& by, const Column& column) {
  const std::string name = QuotedName(column.name);
  const std::string number = "CASE WHEN typeof(" + name + ") IN ('integer', 'real') THEN " + name + " END";
  return "SELECT " + QuotedName(by.name) + ", count(*), count(" + number + "), min(" + number + "), max(" + number +
         "), avg(" + number + ") FROM records GROUP BY 1 ORDER BY 2 DESC, 1";
}

double Magnitude(const Chunk::Value& value) {
  return std::abs(value.type == ColumnValue::Type::kInteger ? static_cast<double>(value.integer) : value.real);
}

void CheckGroups(const StatsTable& table, const Column& by, const std::vector<Column>& columns) {
  const GroupedStats groups = Groups(table.store(), by, columns);
  CHECK(groups.rows == table.columns().records());
  for (size_t c = 0; c < columns.size(); ++c) {
    CAPTURE(columns[c].name);
    const auto rows = table.Ask(Question(by, columns[c]));
    REQUIRE(groups.groups.size() == rows.size());
    for (size_t g = 0; g < rows.size(); ++g) {
      const GroupRow& group = groups.groups[g];
      const GroupSum& sum = group.sums[c];
      CHECK(Same(group.value, rows[g][0]));
      CHECK(group.rows == static_cast<uint64_t>(rows[g][1].integer));
      CHECK(sum.count == static_cast<uint64_t>(rows[g][2].integer));
      CHECK(Same(ColumnValueOf(sum.min), rows[g][3]));
      CHECK(Same(ColumnValueOf(sum.max), rows[g][4]));
      CHECK(Near(sum.mean(), rows[g][5], 100 * std::max(Magnitude(sum.min), Magnitude(sum.max))));
    }
  }
}

TEST_CASE("groups by a column of any kind equal SQL's GROUP BY, ordered by size") {
  for (uint32_t seed = 40; seed < 44; ++seed) {
    const StatsTable table(seed);
    const std::vector<Column> shown = ShownColumns(table.store());
    for (const Column& by : shown) {
      CAPTURE(seed);
      CAPTURE(by.name);
      CheckGroups(table, by, shown);
    }
  }
}

TEST_CASE("groups that are not shown are added up") {
  const StatsTable table(50);
  const Column by = FindColumn(table.store(), "class").value();
  const Column words = FindColumn(table.store(), "words").value();
  const GroupedStats all = Groups(table.store(), by, {words});
  const GroupedStats some = Groups(table.store(), by, {words}, {.limit = 3});
  REQUIRE(all.groups.size() == 10);
  REQUIRE(some.groups.size() == 3);
  CHECK(some.other_groups == 7);
  CHECK(some.rows == all.rows);
  GroupSum rest;
  uint64_t rows = 0;
  for (size_t g = 3; g < 10; ++g) {
    rest.Merge(all.groups[g].sums[0]);
    rows += all.groups[g].rows;
  }
  CHECK(some.others.rows == rows);
  CHECK(some.others.sums[0].count == rest.count);
  CHECK(some.others.sums[0].mean() == rest.mean());
  CHECK(all.other_groups == 0);
}

TEST_CASE("sums do not depend on the number of threads, to the last bit") {
  const StatsTable table(51);
  std::vector<std::optional<double>> first;
  for (const unsigned threads : {1U, 2U, 7U}) {
    ColumnStore store(
        std::make_unique<ColumnsInMemory>(table.columns().data(), std::vector<uint32_t>{700, 1, 64, 300, 129}),
        {.threads = threads});
    std::vector<std::optional<double>> means;
    const Column by = FindColumn(store, "class").value();
    for (const GroupRow& group : Groups(store, by, {FindColumn(store, "double").value()}).groups) {
      means.push_back(group.sums[0].mean());
    }
    if (first.empty()) first = means;
    CHECK(means == first);
  }
}

TEST_CASE("the sum of many integers at the ends of their range does not overflow") {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  FeatureInMemory by{"by", std::vector<std::optional<Cell>>(1000, Ints({1}))};
  FeatureInMemory value{"value", std::vector<std::optional<Cell>>(1000, Ints({kMax}))};
  value.cells[0] = Ints({-kMax});  // so that offsets take 64 bits
  ColumnStore store(std::make_unique<ColumnsInMemory>(std::vector{by, value}, std::vector<uint32_t>{600, 400}), {});
  const GroupedStats groups = Groups(store, FindColumn(store, "by").value(), {FindColumn(store, "value").value()});
  REQUIRE(groups.groups.size() == 1);
  CHECK(*groups.groups[0].sums[0].mean() == doctest::Approx(static_cast<double>(kMax) * 0.998));
}

TEST_CASE("more groups than fit in memory are an error, reported early") {
  const std::vector<uint32_t> blocks(20, 65536);
  ColumnStore store(std::make_unique<ColumnsInMemory>(std::vector<FeatureInMemory>{}, blocks), {.threads = 2});
  const Result<GroupedStats> groups = GroupStats(store, FindColumn(store, "_id").value(), {}, {});
  REQUIRE(!groups.has_value());
  CHECK(groups.error().code == ErrorCode::kLimit);
}

}  // namespace
}  // namespace ofindex

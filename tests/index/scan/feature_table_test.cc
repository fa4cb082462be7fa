#include "index/scan/feature_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "proto/extract/extractor.h"

namespace ofindex {
namespace {

BlockFeature FeatureNamed(std::string name, uint64_t present = 1) {
  BlockFeature feature{.row = {}, .sketch = {}};
  feature.row = {.name = std::move(name),
                 .kinds = 1 << static_cast<int>(FeatureKind::kInt64),
                 .present = present,
                 .values = present,
                 .values_min = 1,
                 .values_max = 1,
                 .single = present};
  return feature;
}

std::vector<FeatureTable::Decided> Decided(FeatureTable& table) {
  uint64_t without = 0;
  return table.Decide(without);
}

TEST_CASE("features are numbered in order of arrival, with the sums, minima and maxima over all blocks") {
  FeatureTable table({});
  CHECK(table.Add(FeatureNamed("b", 3)) == 0);
  CHECK(table.Add(FeatureNamed("a", 1)) == 1);
  BlockFeature more = FeatureNamed("b", 2);
  more.row.kinds = 1 << static_cast<int>(FeatureKind::kBytes);
  more.row.values = 9;
  more.row.values_min = 0;
  more.row.values_max = 7;
  more.row.largest_bytes = 11;
  CHECK(table.Add(more) == 0);
  const auto decided = Decided(table);
  REQUIRE(decided.size() == 2);
  const FeatureRow& b = decided[0].row;
  CHECK(b.name == "b");
  CHECK(KindNames(b.kinds) == "bytes,int64");
  CHECK(b.present == 5);
  CHECK(b.values == 12);
  CHECK(b.values_min == 0);
  CHECK(b.values_max == 7);
  CHECK(b.largest_bytes == 11);
  CHECK(b.sql_value == "b");
  CHECK(b.sql_count == "b#count");
  CHECK(decided[1].row.name == "a");
}

TEST_CASE("if there are too many names, the first in byte order are kept and numbered, whatever the order of arrival") {
  const uint32_t all = 3 * kMaxFeatures;
  for (const bool ascending : {true, false}) {
    FeatureTable table({});
    for (uint32_t i = 0; i < all; ++i) {
      const uint32_t n = ascending ? i : all - 1 - i;
      static_cast<void>(table.Add(FeatureNamed(StrCat("f", 1'000'000 + n))));
      static_cast<void>(table.Add(FeatureNamed("a")));
    }
    const auto decided = Decided(table);
    REQUIRE(decided.size() == kMaxFeatures);
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < decided.size(); ++i) {
      wrong += decided[i].row.feature != i || (i > 0 && decided[i].given <= decided[i - 1].given);
      wrong += decided[i].row.name >= StrCat("f", 1'000'000 + kMaxFeatures - 1);
      if (decided[i].row.name == "a") wrong += decided[i].row.present != all;
    }
    CHECK(wrong == 0);
    CHECK_FALSE(table.dropped().empty());
    CHECK_FALSE(table.Add(FeatureNamed("z")));
  }
}

TEST_CASE("names in --columns are kept even if there are too many names") {
  FeatureTable table({ColumnChoice::Mode::kNamed, {"zz"}});
  for (uint32_t i = 0; i < 3 * kMaxFeatures; ++i) {
    static_cast<void>(table.Add(FeatureNamed(StrCat("f", 1'000'000 + i))));
    CHECK(table.Add(FeatureNamed("zz")).has_value());
  }
  const auto decided = Decided(table);
  CHECK(decided.size() == kMaxFeatures + 1);
  const auto named = std::find_if(decided.begin(), decided.end(), [](const auto& d) { return d.row.name == "zz"; });
  REQUIRE(named != decided.end());
  CHECK(named->row.present == 3 * kMaxFeatures);
}

TEST_CASE("names dropped by one block are dropped for all, so that the counts of the other names are complete") {
  for (const bool cut_first : {true, false}) {
    FeatureTable table({ColumnChoice::Mode::kNamed, {"m"}});
    if (cut_first) table.DropFrom("k");
    for (const char* name : {"a", "k", "l", "m"}) {
      CHECK(table.Add(FeatureNamed(name)).has_value() == (!cut_first || *name == 'a' || *name == 'm'));
    }
    if (!cut_first) table.DropFrom("k");
    table.DropFrom("x");  // a name further back changes nothing
    std::string names;
    for (const auto& feature : Decided(table)) names += feature.row.name;
    CHECK(names == "am");
    CHECK(table.dropped().size() == (cut_first ? 0 : 2));
  }
}

TEST_CASE("if the total length of all names is too large, some names are dropped, as if there were too many") {
  for (const bool ascending : {true, false}) {
    FeatureTable table({});
    for (int i = 0; i < 40; ++i) {
      static_cast<void>(
          table.Add(FeatureNamed(std::string(kMaxNameBytes, static_cast<char>('0' + (ascending ? i : 39 - i))))));
    }
    const auto decided = Decided(table);
    CHECK(decided.size() == kMaxNamesBytes / kMaxNameBytes);
    for (const auto& feature : decided) CHECK(feature.row.name[0] < '0' + 16);
  }
}

TEST_CASE("the types of a column follow from its kinds and, for byte strings, from its zone maps") {
  struct Row {
    FeatureKind kind;
    ColumnValue::Type least;
    ColumnValue::Type greatest;
    const char* type;
  };
  using Type = ColumnValue::Type;
  const std::vector<Row> rows = {
      {FeatureKind::kInt32, Type::kInteger, Type::kInteger, "INTEGER"},
      {FeatureKind::kFloat, Type::kReal, Type::kReal, "REAL"},
      {FeatureKind::kBytes, Type::kText, Type::kText, "TEXT"},
      {FeatureKind::kBytes, Type::kText, Type::kBlob, "TEXT|BLOB"},
      {FeatureKind::kBytes, Type::kBlob, Type::kBlob, "BLOB"},
  };
  for (const Row& row : rows) {
    BlockFeature feature = FeatureNamed("a");
    feature.row.kinds = static_cast<uint8_t>(1 << static_cast<int>(row.kind));
    ChunkRow chunk;
    chunk.min.type = row.least;
    chunk.max.type = row.greatest;
    feature.chunks.push_back(chunk);
    FeatureTable table({});
    CHECK(table.Add(feature) == 0);
    CHECK(Decided(table)[0].row.type == row.type);
  }
}

// A feature as an index has it.
FeatureRow StoredFeature(std::string name, std::string sql) {
  FeatureRow row;
  row.name = std::move(name);
  row.sql_value = std::move(sql);
  return row;
}

TEST_CASE("a feature of an index is kept if some block has it, and counts only where its shard is there") {
  FeatureTable table({});
  for (const char* name : {"there", "missing", "in no block"}) CHECK(table.AddRow(StoredFeature(name, "")).has_value());
  table.AddTotals("there", FeatureNamed("there", 2).row);
  table.Keep("missing");
  const auto decided = Decided(table);
  REQUIRE(decided.size() == 2);
  CHECK(decided[0].row.name == "there");
  CHECK(decided[0].row.present == 2);
  CHECK(decided[1].row.name == "missing");
  CHECK(decided[1].row.present == 0);
}

TEST_CASE("features that have SQL names keep them, whatever comes, and none of theirs is given to another") {
  FeatureTable table({});
  const std::vector<FeatureRow> stored = {StoredFeature("label", "label"), StoredFeature("Name", "Name_2"),
                                          StoredFeature("gone", "gone")};
  for (const FeatureRow& row : stored) CHECK(table.AddRow(row).has_value());
  table.KeepNames(stored);
  table.AddTotals("label", FeatureNamed("label").row);
  table.AddTotals("Name", FeatureNamed("Name").row);
  table.Keep("gone");
  for (const char* name : {"LABEL", "name", "GONE"}) CHECK(table.Add(FeatureNamed(name)).has_value());
  std::vector<std::string> names;
  for (const FeatureTable::Decided& each : Decided(table)) names.push_back(each.row.sql_value);
  CHECK(names == std::vector<std::string>{"label", "Name_2", "gone", "LABEL_2", "name", "GONE_2"});
}

TEST_CASE("a feature that has a column keeps it when there are more features than columns") {
  FeatureTable table({});
  CHECK(table.AddRow(StoredFeature("z", "z")).has_value());
  table.KeepNames({StoredFeature("z", "z")});
  table.AddTotals("z", FeatureNamed("z").row);
  for (size_t i = 0; i < kMaxAutoColumns; ++i) CHECK(table.Add(FeatureNamed(StrCat("a", i))).has_value());
  uint64_t without = 0;
  const auto decided = table.Decide(without);
  CHECK(without == 1);
  CHECK(decided.front().row.sql_value == "z");
  CHECK(std::count_if(decided.begin(), decided.end(),
                      [](const FeatureTable::Decided& each) { return each.row.sql_value.empty(); }) == 1);
}

}  // namespace
}  // namespace ofindex

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "query/columns/find_column.h"
#include "query/sampling/columns/column_weights.h"
#include "query/sampling/columns/split.h"
#include "query/sampling/lengths/record_lengths.h"
#include "query/sampling/open_sampler.h"
#include "query/sampling/sets/set_of.h"
#include "query/stats/group_stats.h"
#include "query/stats/stats.h"
#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

constexpr uint32_t kTwinRecords = 500;

/// The same records twice: with gaps in their ordinals, and without.
struct Twins {
  std::vector<uint64_t> ordinals;  // of each record
  std::shared_ptr<ColumnStore> holes;
  std::shared_ptr<ColumnStore> dense;

  explicit Twins(const std::vector<uint64_t>& gaps) {
    const ColumnsInMemory columns = Make(gaps);
    for (uint64_t record = 0; record < kTwinRecords; ++record) ordinals.push_back(columns.OrdinalOf(record));
    holes = std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(columns), ColumnStoreOptions{.threads = 2});
    dense =
        std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(Make({})), ColumnStoreOptions{.threads = 2});
  }

  static ColumnsInMemory Make(const std::vector<uint64_t>& gaps) {
    FeatureInMemory label{"label", {}}, weight{"weight", {}}, name{"name", {}};
    for (int i = 0; i < static_cast<int>(kTwinRecords); ++i) {
      label.cells.emplace_back(i % 9 == 8 ? std::optional<Cell>() : Ints({i % 4}));
      weight.cells.emplace_back(Doubles({i % 7 + 0.5}));
      name.cells.emplace_back(Strings({"name " + std::to_string(i * i % 31)}));
    }
    return {{label, weight, name},
            {64, 130, 1, 205, 100},
            {.mode = ColumnChoice::Mode::kNamed, .names = {"label", "name", "weight"}},
            gaps};
  }

  // Returns the ordinals of records that are numbered without gaps.
  [[nodiscard]] std::vector<uint64_t> With(std::vector<uint64_t> records) const {
    for (uint64_t& record : records) record = ordinals[record];
    return records;
  }
};

// No gap, then gaps at the start, between blocks, at the end, everywhere, and over several jumps of a map.
const std::vector<std::vector<uint64_t>> kGaps = {
    {}, {7}, {0, 3, 0, 1000}, {0, 0, 0, 0, 0, 64}, {1, 64, 65, 1, 500, 9}, {200'000, 0, 70'000, 0, 1, 300'000}};

Column ColumnNamed(const ColumnStore& store, const std::string& name) {
  auto column = FindColumn(store, name);
  REQUIRE(column.has_value());
  return *column;
}

std::vector<uint64_t> OrdinalsIn(const OrdinalSet& set) {
  std::vector<uint64_t> ordinals;
  for (uint64_t i = 0; i < set.size(); ++i) ordinals.push_back(set.Select(i));
  return ordinals;
}

template <typename Check>
void ForEachTwins(const Check& check) {
  for (const std::vector<uint64_t>& gaps : kGaps) {
    const std::string shown =
        std::accumulate(gaps.begin(), gaps.end(), std::string(),
                        [](std::string text, uint64_t gap) { return std::move(text) + " " + std::to_string(gap); });
    CAPTURE(shown);
    check(Twins(gaps));
  }
}

TEST_CASE("statistics are those of the records, whatever gaps are between their ordinals") {
  ForEachTwins([](const Twins& twins) {
    for (const char* const name : {"label", "weight", "name"}) {
      const auto holes = StatsOf(*twins.holes, ColumnNamed(*twins.holes, name), {});
      const auto dense = StatsOf(*twins.dense, ColumnNamed(*twins.dense, name), {});
      REQUIRE(holes.has_value());
      REQUIRE(dense.has_value());
      CHECK(holes->rows == kTwinRecords);
      CHECK(holes->count == dense->count);
      CHECK(holes->nulls == dense->nulls);
      CHECK(holes->mean == dense->mean);
      CHECK(holes->distinct == dense->distinct);
      REQUIRE(holes->top.size() == dense->top.size());
      for (size_t i = 0; i < holes->top.size(); ++i) CHECK(holes->top[i].count == dense->top[i].count);
    }
    const auto groups = [](ColumnStore& store) {
      return GroupStats(store, ColumnNamed(store, "label"), {ColumnNamed(store, "weight")}, {});
    };
    const auto holes = groups(*twins.holes);
    const auto dense = groups(*twins.dense);
    REQUIRE(holes.has_value());
    REQUIRE(dense.has_value());
    CHECK(holes->rows == kTwinRecords);
    REQUIRE(holes->groups.size() == dense->groups.size());
    for (size_t g = 0; g < holes->groups.size(); ++g) {
      CHECK(holes->groups[g].rows == dense->groups[g].rows);
      CHECK(holes->groups[g].sums[0].mean() == dense->groups[g].sums[0].mean());
    }
  });
}

TEST_CASE("weights and lengths stay with their records over gaps") {
  ForEachTwins([](const Twins& twins) {
    std::vector<uint64_t> visited;
    const auto visit = [&](uint64_t first, std::span<const double> weights) {
      for (const double weight : weights) {
        visited.push_back(first);
        const auto record = static_cast<uint64_t>(std::find(twins.ordinals.begin(), twins.ordinals.end(), first) -
                                                  twins.ordinals.begin());
        REQUIRE(record < kTwinRecords);
        CHECK(weight == static_cast<double>(record % 7) + 0.5);
        ++first;
      }
    };
    const auto counts = [](uint64_t) { return true; };
    REQUIRE(ForEachWeight(*twins.holes, ColumnNamed(*twins.holes, "weight"), twins.holes->ordinals(), counts, visit,
                          nullptr)
                .has_value());
    CHECK(visited == twins.ordinals);

    const auto lengths_of = LengthsOfColumn(*twins.holes, "weight", nullptr);
    REQUIRE(lengths_of.has_value());
    std::vector<uint64_t> lengths(kTwinRecords);
    REQUIRE((*lengths_of)(twins.ordinals, lengths).has_value());
    for (uint64_t record = 0; record < kTwinRecords; ++record) CHECK(lengths[record] == record % 7 + 1);
    if (twins.ordinals[0] == 0) return;
    const std::vector<uint64_t> gone = {0};
    CHECK_FALSE((*lengths_of)(gone, std::span(lengths).first(1)).has_value());
  });
}

TEST_CASE("a sampler draws the records in the order in which it draws them without gaps") {
  const std::vector<std::pair<const char*, SampleRequest>> requests = {
      {"all", {}},
      {"where", {.where = "label = 2 OR weight > 5"}},
      {"weights", {.weights = "weight"}},
      {"balance", {.balance = "label"}},
      {"blocks", {.block = BlockShape{.run = 16}}},
      {"rank", {.slice = {.rank = 1, .world = 3}, .tail = Tail::kPad}},
  };
  ForEachTwins([&](const Twins& twins) {
    for (const auto& each : requests) {
      const char* const name = each.first;
      const SampleRequest& request = each.second;
      CAPTURE(name);
      const auto draw = [&request](const std::shared_ptr<ColumnStore>& store) {
        auto sampler = OpenSampler(store, {{1, store->ordinals(), "id"}}, request);
        REQUIRE_MESSAGE(sampler.has_value(), sampler.error().message);
        std::vector<uint64_t> ordinals(sampler->left());
        ordinals.resize(sampler->Next(ordinals));
        return ordinals;
      };
      const std::vector<uint64_t> dense = draw(twins.dense);
      CHECK_FALSE(dense.empty());
      CHECK(draw(twins.holes) == twins.With(dense));
    }
  });
}

TEST_CASE("a split leaves out gaps; by a column, the other records are where they are without them") {
  const std::vector<SplitPart> parts = {{"train", 0.7}, {"test", 0.2}};
  ForEachTwins([&](const Twins& twins) {
    for (const bool stratify : {false, true}) {
      const auto split = [&](ColumnStore& store) {
        SplitOptions options{.parts = parts, .key = {}, .stratify = {}};
        (stratify ? options.stratify : options.key) = ColumnNamed(store, "name");
        auto sets = Split(store, store.ordinals(), options);
        REQUIRE(sets.has_value());
        return *std::move(sets);
      };
      const std::vector<OrdinalSet> dense = split(*twins.dense);
      const std::vector<OrdinalSet> holes = split(*twins.holes);
      for (size_t part = 0; part < parts.size(); ++part)
        CHECK(OrdinalsIn(holes[part]) == twins.With(OrdinalsIn(dense[part])));
    }
  });
}

TEST_CASE("a split by ordinal gives each record the part that it had before others were gone") {
  const SplitOptions options{.parts = {{"train", 0.7}, {"test", 0.2}}, .key = {}, .stratify = {}};
  ForEachTwins([&](const Twins& twins) {
    const auto sets = Split(*twins.holes, twins.holes->ordinals(), options);
    REQUIRE(sets.has_value());
    std::vector<uint64_t> found;
    for (const OrdinalSet& set : *sets) {
      for (const uint64_t ordinal : OrdinalsIn(set)) {
        found.push_back(ordinal);
        CHECK(std::binary_search(twins.ordinals.begin(), twins.ordinals.end(), ordinal));
      }
    }
    // The same ordinals in a dataset without gaps: the part of a record depends on its ordinal alone.
    for (size_t part = 0; part < 2; ++part) {
      const auto all = Split(*twins.dense, kTwinRecords, options);
      REQUIRE(all.has_value());
      for (uint64_t ordinal = 0; ordinal < kTwinRecords; ++ordinal) {
        if (!std::binary_search(twins.ordinals.begin(), twins.ordinals.end(), ordinal)) continue;
        CHECK((*sets)[part].Contains(ordinal) == (*all)[part].Contains(ordinal));
      }
    }
    CHECK(found.size() > kTwinRecords / 2);
  });
}

}  // namespace
}  // namespace ofindex

#include "query/aggregates/grouping.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

// After the records' own columns.
constexpr uint32_t kA = 4;
constexpr uint32_t kB = 5;

/// Two features of one value each, in every record.
struct Table {
  std::vector<uint32_t> blocks;
  std::function<Cell(uint64_t)> a;
  std::function<Cell(uint64_t)> b;

  [[nodiscard]] std::unique_ptr<ColumnStore> Store(unsigned threads) const {
    std::vector<FeatureInMemory> features = {{"a", {}}, {"b", {}}};
    const uint64_t records = std::accumulate(blocks.begin(), blocks.end(), uint64_t{0});
    for (uint64_t i = 0; i < records; ++i) {
      features[0].cells.emplace_back(a(i));
      features[1].cells.emplace_back(b(i));
    }
    return std::make_unique<ColumnStore>(std::make_unique<ColumnsInMemory>(std::move(features), blocks),
                                         ColumnStoreOptions{.threads = threads});
  }
};

std::string TextOf(const Cell& cell) {
  return cell.strings.empty() ? std::to_string(cell.integers[0]) : cell.strings[0];
}

std::string TextOf(const Chunk::Value& value) {
  return value.type == ColumnValue::Type::kInteger ? std::to_string(value.integer) : std::string(AsText(value.bytes));
}

TEST_CASE("groups of many pairs, and of many texts, are those of a map, on any number of threads") {
  struct Row {
    const char* what;
    Table table;
    std::vector<GroupRequest::Key> keys;
  };
  const auto scattered = [](uint64_t i, uint64_t n) { return static_cast<int64_t>(i * 7919 % n); };
  const auto name = [&](uint64_t i) { return "name " + std::to_string(scattered(i, 70'001)); };
  const Row rows[] = {
      {"two keys of 1,000 values in one block",
       {{65'536},
        [&](uint64_t i) { return Ints({scattered(i, 1000)}); },
        [&](uint64_t i) { return Ints({scattered(i, 997)}); }},
       {{.column = kA}, {.column = kB, .descending = true}}},
      {"70,000 texts",
       {{40'000, 40'000},
        [&](uint64_t i) { return Strings({name(i)}); },
        [](uint64_t i) { return Ints({static_cast<int64_t>(i)}); }},
       {{.column = kA}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    std::map<std::pair<std::string, std::string>, int64_t> expected;
    const uint64_t records = std::accumulate(row.table.blocks.begin(), row.table.blocks.end(), uint64_t{0});
    for (uint64_t i = 0; i < records; ++i) {
      ++expected[{TextOf(row.table.a(i)), row.keys.size() == 1 ? "" : TextOf(row.table.b(i))}];
    }
    for (const unsigned threads : {1U, 2U}) {
      CAPTURE(threads);
      const auto store = row.table.Store(threads);
      auto predicate = Predicate::Of(*store, std::vector<Constraint>());
      REQUIRE(predicate.has_value());
      auto grouping = Grouping::Of(*store, {.keys = row.keys, .arguments = {}}, std::move(*predicate), SumRule::kPlain);
      REQUIRE(grouping.has_value());
      while (!grouping->complete()) REQUIRE(grouping->Advance(kBlockRecords).has_value());
      REQUIRE(grouping->size() == expected.size());
      const auto order = grouping->Sorted([]() -> Result<void> { return {}; });
      REQUIRE(order.has_value());
      uint64_t wrong = 0;
      for (size_t i = 0; i < order->size(); ++i) {
        const uint32_t group = (*order)[i];
        const std::string b = row.keys.size() == 1 ? "" : TextOf(grouping->Key(group, 1));
        const auto found = expected.find({TextOf(grouping->Key(group, 0)), b});
        if (found == expected.end() || found->second != grouping->rows(group)) ++wrong;
        if (i == 0) continue;
        const uint32_t before = (*order)[i - 1];
        const int compared = CompareByKeys(
            row.keys, [&](size_t k) { return grouping->Key(before, k); },
            [&](size_t k) { return grouping->Key(group, k); });
        wrong += compared < 0 ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace
}  // namespace ofindex

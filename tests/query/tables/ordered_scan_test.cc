#include "query/tables/ordered_scan.h"

#include <doctest/doctest.h>

#include "tests/query/random_dataset.h"

namespace ofindex {
namespace {

class ScannedDataset : public RandomDataset {
 public:
  using RandomDataset::RandomDataset;
  ColumnStore& store() { return *store_; }

  // The columns that are no lists, except _id.
  std::vector<uint32_t> Columns() const {
    std::vector<uint32_t> columns;
    for (uint32_t column = 1; column < store_->columns().size(); ++column) {
      if (!store_->columns()[column].is_list()) columns.push_back(column);
    }
    return columns;
  }
};

// Returns the ordinals that a scan visits.
std::vector<uint64_t> Visited(ScannedDataset& dataset, const RecordsPlan& plan) {
  const WorkLimits limits;
  RecordsScan scan(dataset.store(), limits);
  OrderedScan ordered(dataset.store(), limits, scan);
  std::vector<uint64_t> ordinals;
  REQUIRE(ordered.Begin(plan, {}).has_value());
  REQUIRE(ordered.active());
  while (!scan.done()) {
    ordinals.push_back(scan.ordinal());
    REQUIRE(ordered.Next().has_value());
  }
  return ordinals;
}

TEST_CASE("a scan in order visits every record once, however few were wanted") {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    ScannedDataset dataset(seed);
    for (const uint32_t column : dataset.Columns()) {
      CAPTURE(column);
      const std::vector<GroupRequest::Key> order = {{.column = column, .descending = (seed + column) % 2 == 0}};
      const OrderedRecords records(dataset.store(), order, {});
      const auto expected = records.First(dataset.store().records() + 1, [](uint64_t) -> Result<void> { return {}; });
      REQUIRE(expected.has_value());
      REQUIRE(expected->size() == dataset.store().records());
      for (const uint32_t wanted : {0U, 1U, 7U, 8U, 1'000'000U}) {
        CAPTURE(wanted);
        CHECK(Visited(dataset, {.arguments = {}, .order = order, .wanted = wanted}) == *expected);
      }
    }
  }
}

TEST_CASE("a scan in order ends if it is stopped, or if the records have no room") {
  ScannedDataset dataset(3);
  const RecordsPlan plan = {.arguments = {}, .order = {{.column = 2}}, .wanted = 4};
  const WorkLimits stopped = {.may_continue = [] { return false; }};
  const WorkLimits full = {.hold = [](uint64_t before, uint64_t now) { return now <= before; }};
  for (const auto& [limits, code] :
       {std::pair(&stopped, ErrorCode::kInterrupted), std::pair(&full, ErrorCode::kLimit)}) {
    RecordsScan scan(dataset.store(), *limits);
    OrderedScan ordered(dataset.store(), *limits, scan);
    const auto begun = ordered.Begin(plan, {});
    REQUIRE_FALSE(begun.has_value());
    CHECK(begun.error().code == code);
  }
}

}  // namespace
}  // namespace ofindex

#include "query/aggregates/ordered_records.h"

#include <doctest/doctest.h>

#include <numeric>

#include "query/columns/value_order.h"
#include "tests/query/random_dataset.h"

namespace ofindex {
namespace {

class Orders : public RandomDataset {
 public:
  using RandomDataset::RandomDataset;

  // Compares the first records in a random order with those of a stable sort of all.
  void Ask() {
    std::vector<GroupRequest::Key> order;
    for (size_t n = dice_.Below(3) + 1; n > 0; --n) {
      const auto column = static_cast<uint32_t>(dice_.Below(store_->columns().size()));
      if (!store_->columns()[column].is_list()) order.push_back({column, dice_.OneIn(2)});
    }
    if (order.empty()) return;
    std::vector<uint64_t> expected(store_->records());
    std::iota(expected.begin(), expected.end(), uint64_t{0});
    std::stable_sort(expected.begin(), expected.end(), [&](uint64_t a, uint64_t b) {
      for (const GroupRequest::Key& key : order) {
        const Column& column = store_->columns()[key.column];
        const int compared = CompareValues(columns_->Expected(column, a), columns_->Expected(column, b));
        if (compared != 0) return key.descending ? compared > 0 : compared < 0;
      }
      return false;
    });
    for (uint64_t& record : expected) record = columns_->OrdinalOf(record);
    const uint64_t count = dice_.OneIn(3) ? expected.size() + 5 : dice_.Below(40) + 1;
    expected.resize(std::min<uint64_t>(count, expected.size()));
    const OrderedRecords records(*store_, order, {});
    const auto found = records.First(count, [](uint64_t) -> Result<void> { return {}; });
    REQUIRE(found.has_value());
    CHECK(*found == expected);
  }
};

TEST_CASE("the first records in the order of columns are those of a stable sort") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Orders orders(seed);
    for (int i = 0; i < 25; ++i) orders.Ask();
  }
}

TEST_CASE("a search in order ends when its check fails") {
  class Small : public RandomDataset {
   public:
    using RandomDataset::RandomDataset;
    ColumnStore& store() { return *store_; }
  };
  Small small(3);
  const OrderedRecords records(small.store(), {{2, false}}, {});
  const auto found =
      records.First(3, [](uint64_t) { return Result<void>(tl::unexpected<Error>(Interrupted().value())); });
  CHECK_FALSE(found.has_value());
}

}  // namespace
}  // namespace ofindex

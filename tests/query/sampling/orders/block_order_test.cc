#include "query/sampling/orders/block_order.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace ofindex {
namespace {

std::vector<uint64_t> Order(const BlockOrder& order) {
  std::vector<uint64_t> elements(order.size());
  order.Fill(0, 1, elements);
  return elements;
}

TEST_CASE("a block order is a permutation with its inverse, and each run belongs to one lane") {
  std::mt19937_64 random(1);
  int wrong = 0;
  for (int i = 0; i < 4000; ++i) {
    const uint64_t size = random() % 2000;
    const BlockShape shape{1 + random() % 70, 1 + random() % 80, 1 + random() % 12};
    const BlockOrder order(size, shape, random());
    const std::vector<uint64_t> elements = Order(order);
    std::vector<bool> seen(size);
    std::map<uint64_t, uint64_t> lane_of_run;
    for (uint64_t p = 0; p < size; ++p) {
      const uint64_t element = elements[p];
      if (element >= size || seen[element] || order.PositionOf(element) != p) {
        ++wrong;
        break;
      }
      seen[element] = true;
      const auto [lane, is_new] = lane_of_run.try_emplace(order.RunOf(element), p % order.lanes());
      wrong += lane->second != p % order.lanes();
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("positions computed with any step are equal to those computed one by one") {
  const BlockOrder order(5000, {.run = 7, .lanes = 12, .window = 3}, 99);
  const std::vector<uint64_t> elements = Order(order);
  for (const uint64_t step : std::initializer_list<uint64_t>{1, 2, 3, 5, 8, 12, 13, 24, 600}) {
    for (const uint64_t first : std::initializer_list<uint64_t>{0, 1, 11, 4999}) {
      std::vector<uint64_t> some((order.size() - first + step - 1) / step);
      order.Fill(first, step, some);
      uint64_t wrong = 0;
      for (uint64_t j = 0; j < some.size(); ++j) wrong += some[j] != elements[first + j * step];
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("each run consists of adjacent records and has the requested size, except at most one run per lane") {
  const uint64_t size = 10'000;
  const BlockOrder order(size, {.run = 33, .lanes = 8, .window = 4}, 5);
  std::map<uint64_t, uint64_t> records_of_run;
  for (uint64_t i = 0; i < size; ++i) {
    ++records_of_run[order.RunOf(i)];
    CHECK((i == 0 || order.RunOf(i) == order.RunOf(i - 1) || order.RunOf(i) == order.RunOf(i - 1) + 1));
  }
  uint64_t shorter = 0;
  for (const auto& [run, records] : records_of_run) {
    CHECK(records <= 33);
    shorter += records < 33;
  }
  CHECK(shorter <= 8);
}

TEST_CASE("lanes with fewer than two runs are joined") {
  CHECK(BlockOrder(10'000, {.run = 10, .lanes = 64, .window = 8}, 1).lanes() == 64);
  CHECK(BlockOrder(1000, {.run = 10, .lanes = 64, .window = 8}, 1).lanes() == 32);
  CHECK(BlockOrder(100, {.run = 10, .lanes = 60, .window = 8}, 1).lanes() == 3);
  CHECK(BlockOrder(9, {.run = 10, .lanes = 60, .window = 8}, 1).lanes() == 1);
}

TEST_CASE("eight ranks read each run once, if the cache holds the runs of a window of each lane") {
  const uint64_t size = 20'000;
  const BlockOrder order(size, {.run = 16, .lanes = 64, .window = 8}, 3);
  uint64_t runs_read = 0;
  for (uint64_t rank = 0; rank < 8; ++rank) {
    std::vector<uint64_t> elements((size - rank + 7) / 8);
    order.Fill(rank, 8, elements);
    std::set<uint64_t> runs;
    for (const uint64_t element : elements) runs.insert(order.RunOf(element));
    runs_read += runs.size();
  }
  std::set<uint64_t> all;
  for (uint64_t i = 0; i < size; ++i) all.insert(order.RunOf(i));
  CHECK(runs_read == all.size());
}

TEST_CASE("the algorithm of block orders is frozen: a change needs a new kSamplingVersion") {
  const BlockOrder order(1000, {.run = 8, .lanes = 4, .window = 2}, 42);
  std::vector<uint64_t> elements(8);
  order.Fill(0, 1, elements);
  CHECK(elements == std::vector<uint64_t>{743, 5, 692, 755, 496, 915, 690, 759});
}

}  // namespace
}  // namespace ofindex

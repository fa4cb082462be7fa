#include "query/tables/ascending_rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace ofindex {
namespace {

std::vector<uint64_t> All(AscendingRows rows, bool descending) {
  rows.Begin(descending);
  std::vector<uint64_t> all;
  while (const std::optional<uint64_t> row = rows.Take()) all.push_back(*row);
  return all;
}

TEST_CASE("rows of several lists come in order from either end, each once, and only in the requested range") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    std::vector<std::vector<uint32_t>> lists(random() % 5);
    std::set<uint64_t> all;
    AscendingRows rows;
    uint64_t max_size = 0;
    for (std::vector<uint32_t>& list : lists) {
      std::set<uint32_t> members;
      for (uint64_t i = random() % 20; i > 0; --i) members.insert(static_cast<uint32_t>(random() % 40));
      list.assign(members.begin(), members.end());
      all.insert(list.begin(), list.end());
      rows.Add(list);
      max_size += list.size();
    }
    for (uint64_t i = random() % 4; i > 0; --i) {
      const uint64_t row = random() % 40;
      all.insert(row);
      rows.Add(row);
      ++max_size;
    }
    CHECK(rows.max_size() == max_size);
    const uint64_t low = random() % 45;
    const uint64_t high = random() % 2 == 0 ? std::numeric_limits<uint64_t>::max() : random() % 45;
    if (random() % 3 != 0) {
      rows.Narrow(low, high);
      std::erase_if(all, [&](uint64_t row) { return row < low || row > high; });
      CHECK(rows.max_size() <= max_size);
    }
    CHECK(All(rows, false) == std::vector<uint64_t>(all.begin(), all.end()));
    CHECK(All(rows, true) == std::vector<uint64_t>(all.rbegin(), all.rend()));
  }
}

TEST_CASE("rows beyond 32 bits are rows like any others") {
  AscendingRows rows;
  for (const uint64_t row : {uint64_t{1} << 40, uint64_t{7}, (uint64_t{1} << 40) + 1, uint64_t{7}}) rows.Add(row);
  CHECK(All(rows, false) == std::vector<uint64_t>{7, uint64_t{1} << 40, (uint64_t{1} << 40) + 1});
  rows.Narrow(8, uint64_t{1} << 40);
  CHECK(All(rows, true) == std::vector<uint64_t>{uint64_t{1} << 40});
}

}  // namespace
}  // namespace ofindex

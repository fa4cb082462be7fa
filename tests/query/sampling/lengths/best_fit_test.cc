#include "query/sampling/lengths/best_fit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

using RowNumbers = std::vector<uint32_t>;

/// Packs as the specification says, trying every row for every sequence.
RowNumbers PackSlowly(const std::vector<uint64_t>& lengths, const RowRoom& room) {
  struct Row {
    uint64_t left;
    uint64_t records;
    uint32_t first;  // sequence
  };
  std::vector<uint32_t> sequences(lengths.size());
  std::iota(sequences.begin(), sequences.end(), 0U);
  std::stable_sort(sequences.begin(), sequences.end(), [&](uint32_t a, uint32_t b) { return lengths[a] > lengths[b]; });
  std::vector<Row> open;
  RowNumbers chosen(lengths.size());
  for (const uint32_t sequence : sequences) {
    size_t best = open.size();
    for (size_t i = 0; i < open.size(); ++i) {
      const bool fits = open[i].left >= lengths[sequence] && open[i].records < room.records;
      if (fits && (best == open.size() || open[i].left < open[best].left)) best = i;
    }
    if (best == open.size()) open.push_back({room.tokens, 0, sequence});
    open[best].left -= lengths[sequence];
    ++open[best].records;
    open[best].first = std::min(open[best].first, sequence);
    chosen[sequence] = static_cast<uint32_t>(best);
  }
  for (uint32_t& row : chosen) {
    row = static_cast<uint32_t>(std::count_if(
        open.begin(), open.end(), [&, first = open[row].first](const Row& one) { return one.first < first; }));
  }
  return chosen;
}

std::vector<uint64_t> RandomLengths(uint64_t seed, size_t count, uint64_t longest) {
  std::vector<uint64_t> lengths(count);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t random = Mix64(seed * 1'000'003 + i);
    lengths[i] = (random >> 32) % (1 + longest / (1 + random % 5));
  }
  return lengths;
}

TEST_CASE("known sequences are packed into known rows") {
  CHECK(PackBestFit({}, {10}).empty());
  CHECK(PackBestFit(std::vector<uint64_t>{5, 7, 5, 2, 4, 2, 5, 1}, {10}) == RowNumbers{0, 1, 0, 1, 2, 3, 2, 1});
  CHECK(PackBestFit(std::vector<uint64_t>{3, 10, 0, 7, 0}, {10}) == RowNumbers{0, 1, 1, 0, 1});
  std::vector<uint64_t> lengths(24);
  for (uint64_t i = 0; i < lengths.size(); ++i) lengths[i] = (i * i * 7919 + 13 * i) % 97 + 1;
  CHECK(PackBestFit(lengths, {128}) ==
        RowNumbers{0, 1, 2, 3, 4, 5, 3, 6, 0, 7, 3, 8, 5, 9, 8, 6, 10, 1, 1, 7, 2, 11, 0, 6});
  CHECK(PackBestFit(lengths, {128, 2}) ==
        RowNumbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 6, 10, 5, 0, 4, 7, 3, 11, 1, 9, 2, 11, 8, 10});
}

TEST_CASE("rows are those of the specification, hold each sequence once, and are not overfull") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const uint64_t tokens = 1 + Mix64(seed) % (seed % 3 == 0 ? 12 : 900);
    const RowRoom room{tokens, seed % 4 == 0 ? 1 + seed % 7 : UINT64_MAX};
    const std::vector<uint64_t> lengths = RandomLengths(seed, seed % 120, tokens);
    const RowNumbers rows = PackBestFit(lengths, room);
    CHECK(rows == PackSlowly(lengths, room));
    const uint32_t count = rows.empty() ? 0 : 1 + *std::max_element(rows.begin(), rows.end());
    std::vector<uint64_t> sums(count);
    std::vector<uint64_t> records(count);
    for (size_t i = 0; i < rows.size(); ++i) {
      sums[rows[i]] += lengths[i];
      ++records[rows[i]];
    }
    for (uint32_t row = 0; row < count; ++row) {
      CHECK(sums[row] <= room.tokens);
      CHECK(records[row] >= 1);
      CHECK(records[row] <= room.records);
    }
  }
}

}  // namespace
}  // namespace ofindex

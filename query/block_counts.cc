#include "query/block_counts.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "query/chunk_numbers.h"

namespace ofindex {
namespace {

// Values and how often each is there, in ascending order.
template <typename Key>
std::vector<Count<Key>> CountSorted(std::vector<Key> values) {
  std::sort(values.begin(), values.end());
  std::vector<Count<Key>> counts;
  for (const Key value : values) {
    if (counts.empty() || counts.back().key != value) counts.push_back({value, 0});
    ++counts.back().count;
  }
  return counts;
}

// Integers in 8 or 16 bits are counted in an array with a place for every offset.
template <typename Offset>
std::vector<Count<int64_t>> CountDense(const Chunk& chunk, const std::vector<Offset>& offsets) {
  std::vector<uint32_t> seen(size_t{1} << (8 * sizeof(Offset)));
  ForEachSet(chunk.present(), [&](uint32_t r) { ++seen[offsets[r]]; });
  std::vector<Count<int64_t>> counts;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != 0) {
      counts.push_back({static_cast<int64_t>(static_cast<uint64_t>(chunk.integers().base) + i), seen[i]});
    }
  }
  SortByKey(counts);  // a hostile base makes them wrap
  return counts;
}

bool IsWorthAnInteger(double value) { return value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value); }

void CountNumbers(const Chunk& chunk, bool mixed, BlockCounts& counts) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  ForEachNumber(
      chunk, [&](int64_t value) { integers.push_back(value); },
      [&](double value) {
        if (std::isnan(value)) {
          ++counts.nans;
        } else if (mixed && IsWorthAnInteger(value)) {
          integers.push_back(static_cast<int64_t>(value));
        } else {
          reals.push_back(value + 0.0);  // -0.0 + 0.0 is 0.0
        }
      });
  counts.integers = CountSorted(std::move(integers));
  counts.reals = CountSorted(std::move(reals));
}

}  // namespace

BlockCounts CountValues(std::shared_ptr<const Chunk> chunk, bool mixed) {
  BlockCounts counts;
  counts.nulls = chunk->records() - CountSet(chunk->present());
  const auto& offsets = chunk->integers().offsets;
  if (chunk->form() == Chunk::Form::kIntegers && std::holds_alternative<std::vector<uint8_t>>(offsets)) {
    counts.integers = CountDense(*chunk, std::get<std::vector<uint8_t>>(offsets));
  } else if (chunk->form() == Chunk::Form::kIntegers && std::holds_alternative<std::vector<uint16_t>>(offsets)) {
    counts.integers = CountDense(*chunk, std::get<std::vector<uint16_t>>(offsets));
  } else {
    CountNumbers(*chunk, mixed, counts);
  }
  counts.texts.resize(chunk->texts().ends.size());
  ForEachText(*chunk, [&](uint32_t n) { ++counts.texts[n]; });
  counts.chunk = std::move(chunk);
  return counts;
}

}  // namespace ofindex

#include "query/stats/block_counts.h"

#include <cmath>
#include <utility>
#include <variant>

#include "query/columns/chunk_numbers.h"

namespace ofindex {
namespace {

// Integers in 8 or 16 bits are counted in an array with an entry for every offset.
template <typename Offset>
std::vector<Count<int64_t>> CountDense(const PickedChunk& picked, const std::vector<Offset>& offsets) {
  std::vector<uint64_t> seen(size_t{1} << (8 * sizeof(Offset)));
  ForEachSet(picked.chunk->present(), [&](uint32_t r) { seen[offsets[r]] += picked.TimesOf(r); });
  const auto base = static_cast<uint64_t>(picked.chunk->integers().base);
  std::vector<Count<int64_t>> counts;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != 0) counts.push_back({static_cast<int64_t>(base + i), seen[i]});
  }
  SortByKey(counts);  // a hostile base makes them wrap
  return counts;
}

bool IsWorthAnInteger(double value) { return value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value); }

template <typename Key>
void Add(Key value, uint64_t times, SortedCounts<Key>& counts) {
  if (times == 0) return;
  counts.Add(value, times);
  if (counts.due()) counts.Settle();
}

void CountNumbers(bool mixed, BlockCounts& counts) {
  SortedCounts<int64_t> integers;
  SortedCounts<double> reals;
  ForEachNumber(
      *counts.picked.chunk,
      [&](uint32_t record, int64_t value) { Add(value, counts.picked.TimesOf(record), integers); },
      [&](uint32_t record, double value) {
        const uint64_t times = counts.picked.TimesOf(record);
        if (std::isnan(value)) {
          counts.nans += times;
        } else if (mixed && IsWorthAnInteger(value)) {
          Add(static_cast<int64_t>(value), times, integers);
        } else {
          Add(value + 0.0, times, reals);  // -0.0 + 0.0 is 0.0
        }
      });
  counts.integers = std::move(integers).Settled();
  counts.reals = std::move(reals).Settled();
}

uint64_t CountNulls(const PickedChunk& picked) {
  uint64_t nulls = picked.rows();
  ForEachSet(picked.chunk->present(), [&](uint32_t r) { nulls -= picked.TimesOf(r); });
  return nulls;
}

}  // namespace

BlockCounts CountValues(PickedChunk picked, bool mixed) {
  BlockCounts counts;
  counts.nulls = CountNulls(picked);
  counts.picked = std::move(picked);
  const Chunk& chunk = *counts.picked.chunk;
  const auto& offsets = chunk.integers().offsets;
  if (chunk.form() == Chunk::Form::kIntegers && std::holds_alternative<std::vector<uint8_t>>(offsets)) {
    counts.integers = CountDense(counts.picked, std::get<std::vector<uint8_t>>(offsets));
  } else if (chunk.form() == Chunk::Form::kIntegers && std::holds_alternative<std::vector<uint16_t>>(offsets)) {
    counts.integers = CountDense(counts.picked, std::get<std::vector<uint16_t>>(offsets));
  } else {
    CountNumbers(mixed, counts);
  }
  counts.strings.resize(chunk.strings().ends.size());
  ForEachString(chunk, [&](uint32_t record, uint32_t n) { counts.strings[n] += counts.picked.TimesOf(record); });
  return counts;
}

}  // namespace ofindex

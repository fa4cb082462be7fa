#include "query/stats/block_summary.h"

#include <cmath>

#include "query/columns/chunk_numbers.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

void TakeNumbers(const BlockCounts& block, ColumnSummary& summary) {
  NumberRanges& numbers = summary.numbers;
  if (!block.integers.empty()) {
    numbers.min_integer = block.integers.front().key;
    numbers.greatest_integer = block.integers.back().key;
    summary.extremes.Take({.type = Type::kInteger, .integer = numbers.min_integer});
    summary.extremes.Take({.type = Type::kInteger, .integer = numbers.greatest_integer});
  }
  if (block.reals.empty()) return;
  summary.extremes.Take({.type = Type::kReal, .real = block.reals.front().key});
  summary.extremes.Take({.type = Type::kReal, .real = block.reals.back().key});
  for (const auto& [value, count] : block.reals) {
    if (!std::isfinite(value)) continue;
    numbers.min_real = std::min(numbers.min_real, value);
    numbers.greatest_real = std::max(numbers.greatest_real, value);
  }
}

void TakeStrings(const BlockCounts& block, ColumnSummary& summary) {
  block.ForEachString([&](ByteView bytes, uint64_t count) {
    summary.strings += count;
    summary.lengths.Add(bytes.size(), count);
    summary.extremes.Take({.type = IsText(bytes) ? Type::kText : Type::kBlob, .bytes = bytes});
  });
}

void TakeLists(const PickedChunk& picked, ColumnSummary& summary) {
  if (picked.chunk->form() != Chunk::Form::kLists) return;
  const std::vector<uint32_t>& ends = picked.chunk->lists().ends;
  ForEachSet(picked.chunk->present(),
             [&](uint32_t r) { summary.lists.Add(ends[r] - (r == 0 ? 0 : ends[r - 1]), picked.TimesOf(r)); });
}

}  // namespace

void Extremes::Take(const Chunk::Value& value) {
  if (value.type == Type::kNull) return;
  if (min.type == Type::kNull || CompareValues(value, ViewOf(min)) < 0) min = Owned(value);
  if (max.type == Type::kNull || CompareValues(value, ViewOf(max)) > 0) max = Owned(value);
}

ColumnSummary::ColumnSummary(const BlockCounts& block)
    : rows(block.picked.rows()), nulls(block.nulls), nans(block.nans), moments(block) {
  TakeNumbers(block, *this);
  TakeStrings(block, *this);
  TakeLists(block.picked, *this);
}

void ColumnSummary::Merge(const ColumnSummary& later) {
  rows += later.rows;
  nulls += later.nulls;
  nans += later.nans;
  strings += later.strings;
  moments.Merge(later.moments);
  extremes.Take(ViewOf(later.extremes.min));
  extremes.Take(ViewOf(later.extremes.max));
  numbers.min_integer = std::min(numbers.min_integer, later.numbers.min_integer);
  numbers.greatest_integer = std::max(numbers.greatest_integer, later.numbers.greatest_integer);
  numbers.min_real = std::min(numbers.min_real, later.numbers.min_real);
  numbers.greatest_real = std::max(numbers.greatest_real, later.numbers.greatest_real);
  lengths.Merge(later.lengths);
  lists.Merge(later.lists);
}

}  // namespace ofindex

#include "query/aggregates/bounds_by_group.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "query/columns/chunk_numbers.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// Returns the selected records that are present.
std::vector<uint64_t> WordsOf(const Chunk& chunk, const BlockGroups& groups) {
  std::vector<uint64_t> words(chunk.present().begin(), chunk.present().end());
  for (size_t w = 0; w < groups.selected.size(); ++w) words[w] &= groups.selected[w];
  return words;
}

// The sums have no -0.0. A bound that is zero gets the sign of the first zero of its group, as SQLite keeps the first
// of equal values.
template <typename Real>
void SignZeros(std::span<const Real> reals, const BlockGroups& groups, std::span<const uint64_t> words,
               std::vector<GroupSum>& sums) {
  const auto negative_zero = [](Real real) { return real == 0 && std::signbit(real); };
  if (std::none_of(reals.begin(), reals.end(), negative_zero)) return;
  std::vector<bool> signed_already(sums.size(), false);
  ForEachSet(words, [&](uint32_t r) {
    const uint32_t group = groups.number[r];
    if (reals[r] != 0 || signed_already[group]) return;
    signed_already[group] = true;
    if (sums[group].min.real == 0) sums[group].min.real = double{reals[r]};
    if (sums[group].max.real == 0) sums[group].max.real = double{reals[r]};
  });
}

// Counts strings and, since a chunk's strings are sorted by their bytes, finds the least and greatest by number. TEXT
// comes before BLOB.
std::vector<GroupSum> StatesOfStrings(const Chunk& chunk, const BlockGroups& groups, std::span<const uint64_t> words,
                                      bool bounds) {
  const Chunk::Strings& strings = chunk.strings();
  std::vector<GroupSum> sums(groups.rows.size());
  ForEachSet(words, [&](uint32_t r) { ++sums[groups.number[r]].count; });
  if (!bounds) return sums;
  std::vector<uint32_t> order(strings.ends.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_partition(order.begin(), order.end(), [&](uint32_t n) { return IsText(strings[n]); });
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<uint32_t> least(sums.size(), ~uint32_t{0});
  std::vector<uint32_t> greatest(sums.size(), 0);
  ForEachSet(words, [&](uint32_t r) {
    const uint32_t group = groups.number[r];
    least[group] = std::min(least[group], place[strings.number[r]]);
    greatest[group] = std::max(greatest[group], place[strings.number[r]]);
  });
  const auto value_of = [&](uint32_t n) -> Chunk::Value {
    return {.type = IsText(strings[n]) ? Type::kText : Type::kBlob, .bytes = strings[n]};
  };
  for (size_t g = 0; g < sums.size(); ++g) {
    if (sums[g].count == 0) continue;
    sums[g].min = value_of(order[least[g]]);
    sums[g].max = value_of(order[greatest[g]]);
  }
  return sums;
}

std::vector<GroupSum> StatesOfAny(const Chunk& chunk, const BlockGroups& groups, std::span<const uint64_t> words) {
  std::vector<GroupSum> sums(groups.rows.size());
  ForEachSet(words, [&](uint32_t r) {
    GroupSum one{.count = 1, .sum = {}, .min = chunk.At(r), .max = {}};
    if (one.min.type == Type::kNull) return;
    one.max = one.min;
    if (one.min.type == Type::kInteger) one.sum.integers = one.min.integer;
    sums[groups.number[r]].Merge(one);
  });
  return sums;
}

}  // namespace

std::vector<GroupSum> StatesByGroup(const Chunk& chunk, const BlockGroups& groups, bool bounds) {
  const std::vector<uint64_t> words = WordsOf(chunk, groups);
  if (chunk.form() == Chunk::Form::kBytes) return StatesOfStrings(chunk, groups, words, bounds);
  if (chunk.form() == Chunk::Form::kMixed) return StatesOfAny(chunk, groups, words);
  std::vector<GroupSum> sums = SumByGroup(chunk, groups.number, groups.rows.size(), words);
  if (bounds && chunk.form() == Chunk::Form::kFloats) SignZeros(chunk.floats(), groups, words, sums);
  if (bounds && chunk.form() == Chunk::Form::kDoubles) SignZeros(chunk.doubles(), groups, words, sums);
  return sums;
}

}  // namespace ofindex

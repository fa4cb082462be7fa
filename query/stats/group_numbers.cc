#include "query/stats/group_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <variant>

#include "query/columns/chunk_numbers.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

constexpr uint32_t kNoGroup = ~uint32_t{0};

bool AllPresent(const Chunk& chunk) { return CountSet(chunk.present()) == chunk.records(); }

// Puts the NULL records, if any, in a group of their own.
void AddNullGroup(const Chunk& chunk, GroupNumbers& groups) {
  if (AllPresent(chunk)) return;
  const auto null = static_cast<uint32_t>(groups.values.size());
  groups.values.push_back({});
  for (uint32_t r = 0; r < chunk.records(); ++r) {
    if ((chunk.present()[r / 64] >> (r % 64) & 1) == 0) groups.number[r] = null;
  }
}

// Offsets below this are group numbers themselves, with gaps: that saves two accesses per record.
constexpr size_t kDirect = 4096;

// Replaces the numbers of `groups`, those of all possible values, by numbers without gaps.
template <typename Offset>
void CloseGaps(const std::vector<Offset>& offsets, GroupNumbers& groups) {
  std::vector<uint32_t> groups_of(groups.values.size(), kNoGroup);
  for (const Offset offset : offsets) groups_of[offset] = 0;
  uint32_t size = 0;
  for (size_t i = 0; i < groups_of.size(); ++i) {
    if (groups_of[i] == kNoGroup) continue;
    groups.values[size] = groups.values[i];
    groups_of[i] = size++;
  }
  groups.values.resize(size);
  for (size_t r = 0; r < offsets.size(); ++r) groups.number[r] = groups_of[offsets[r]];
}

template <typename Offset>
GroupNumbers NumberOffsets(const Chunk& chunk, const std::vector<Offset>& offsets) {
  GroupNumbers groups;
  groups.number.assign(offsets.begin(), offsets.end());
  const Offset greatest = offsets.empty() ? Offset{0} : *std::max_element(offsets.begin(), offsets.end());
  const auto base = static_cast<uint64_t>(chunk.integers().base);
  groups.values.resize(size_t{greatest} + 1, {.type = Type::kInteger});
  for (size_t i = 0; i < groups.values.size(); ++i) groups.values[i].integer = static_cast<int64_t>(base + i);
  if (groups.values.size() > kDirect) CloseGaps(offsets, groups);
  AddNullGroup(chunk, groups);
  return groups;
}

GroupNumbers NumberStrings(const Chunk& chunk) {
  GroupNumbers groups;
  groups.number = chunk.strings().number;
  for (uint32_t n = 0; n < chunk.strings().ends.size(); ++n) {
    const ByteView bytes = chunk.strings()[n];
    groups.values.push_back({.type = IsText(bytes) ? Type::kText : Type::kBlob, .bytes = bytes});
  }
  AddNullGroup(chunk, groups);
  return groups;
}

// Maps values of a numeric form to integers in the same order; NaN and -0.0 are already removed.
uint64_t OrderOf(const Chunk::Value& value) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if (value.type == Type::kInteger) return static_cast<uint64_t>(value.integer) ^ kSign;
  const auto bits = std::bit_cast<uint64_t>(value.real + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// Records with the same value are neighbours in `order`.
template <typename Same>
GroupNumbers NumberNeighbours(const Chunk& chunk, const std::vector<uint32_t>& order, Same same) {
  GroupNumbers groups;
  groups.number.resize(chunk.records());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !same(order[i - 1], order[i])) {
      groups.values.push_back(chunk.At(order[i]));
      if (groups.values.back().real == 0) groups.values.back().real = 0;  // no -0.0
    }
    groups.number[order[i]] = static_cast<uint32_t>(groups.values.size() - 1);
  }
  return groups;
}

// Groups numbers of one type, and NULL, by a hash table of their orders.
GroupNumbers NumberNumbers(const Chunk& chunk) {
  int bits = 6;
  while (size_t{1} << bits < size_t{2} * chunk.records()) ++bits;
  const size_t slots = size_t{1} << bits;
  std::vector<uint32_t> groups_of(slots, kNoGroup);
  std::vector<uint64_t> orders;  // by group
  GroupNumbers groups;
  groups.number.resize(chunk.records());
  uint32_t null = kNoGroup;
  const auto add = [&](const Chunk::Value& value) {
    groups.values.push_back(value);
    if (value.real == 0) groups.values.back().real = 0;  // no -0.0
    return static_cast<uint32_t>(groups.values.size() - 1);
  };
  for (uint32_t r = 0; r < chunk.records(); ++r) {
    const Chunk::Value value = chunk.At(r);
    if (value.type == Type::kNull) {
      if (null == kNoGroup) {
        null = add({});
        orders.push_back(0);
      }
      groups.number[r] = null;
      continue;
    }
    const uint64_t order = OrderOf(value);
    size_t slot = (order ^ order >> 32) * 0x9e3779b97f4a7c15U >> (64 - bits);
    while (groups_of[slot] != kNoGroup && orders[groups_of[slot]] != order) slot = (slot + 1) & (slots - 1);
    if (groups_of[slot] == kNoGroup) {
      groups_of[slot] = add(value);
      orders.push_back(order);
    }
    groups.number[r] = groups_of[slot];
  }
  return groups;
}

GroupNumbers NumberMixed(const Chunk& chunk) {
  std::vector<uint32_t> order(chunk.records());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return CompareValues(chunk.At(a), chunk.At(b)) < 0; });
  return NumberNeighbours(chunk, order,
                          [&](uint32_t a, uint32_t b) { return CompareValues(chunk.At(a), chunk.At(b)) == 0; });
}

}  // namespace

GroupNumbers NumberGroups(const Chunk& chunk) {
  const auto& offsets = chunk.integers().offsets;
  switch (chunk.form()) {
    case Chunk::Form::kIntegers:
      if (const auto* narrow = std::get_if<std::vector<uint8_t>>(&offsets)) return NumberOffsets(chunk, *narrow);
      if (const auto* narrow = std::get_if<std::vector<uint16_t>>(&offsets)) return NumberOffsets(chunk, *narrow);
      return NumberNumbers(chunk);
    case Chunk::Form::kBytes: return NumberStrings(chunk);
    case Chunk::Form::kMixed: return NumberMixed(chunk);
    default: return NumberNumbers(chunk);
  }
}

}  // namespace ofindex

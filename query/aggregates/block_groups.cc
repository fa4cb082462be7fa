#include "query/aggregates/block_groups.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "query/columns/chunk_numbers.h"
#include "query/stats/group_numbers.h"

namespace ofindex {
namespace {

constexpr uint32_t kUnnumbered = ~uint32_t{0};

// Pairs of numbers are numbered by an array if there are at most this many pairs, otherwise by a hash table.
constexpr uint64_t kMaxArray = 1 << 18;

// Numbers pairs of group numbers, from 0, in the order in which they are first asked for.
class PairNumbers {
 public:
  PairNumbers(uint64_t as, uint64_t bs, uint32_t records) : bs_(bs), hashed_(as * bs > kMaxArray) {
    if (!hashed_) {
      numbers_.assign(as * bs, kUnnumbered);
      return;
    }
    while (numbers_.size() < uint64_t{2} * records)
      numbers_.resize(std::max<size_t>(64, 2 * numbers_.size()), kUnnumbered);
    pairs_.resize(numbers_.size());
  }

  // Returns the number, which is `next` if the pair is new.
  [[nodiscard]] uint32_t Of(uint32_t a, uint32_t b, uint32_t next) {
    const uint64_t pair = a * bs_ + b;
    uint64_t slot = pair;
    if (hashed_) {
      const uint64_t mask = numbers_.size() - 1;
      slot = (pair * 0x9e3779b97f4a7c15U >> 32) & mask;
      while (numbers_[slot] != kUnnumbered && pairs_[slot] != pair) slot = (slot + 1) & mask;
      pairs_[slot] = pair;
    }
    if (numbers_[slot] == kUnnumbered) numbers_[slot] = next;
    return numbers_[slot];
  }

 private:
  uint64_t bs_;
  bool hashed_;
  std::vector<uint32_t> numbers_;
  std::vector<uint64_t> pairs_;  // by slot of the hash table
};

// Calls `body` for each selected record, in order.
template <typename Body>
void ForEachSelected(const BlockGroups& groups, uint32_t records, Body body) {
  if (!groups.selected.empty()) return ForEachSet(groups.selected, body);
  for (uint32_t r = 0; r < records; ++r) body(r);
}

// Counts the records of `size` numbered groups, and finds their first ones.
void CountRecords(BlockGroups& groups, size_t size) {
  groups.first.assign(size, BlockGroups::kNoRecord);
  groups.rows.assign(size, 0);
  groups.order.clear();
  ForEachSelected(groups, static_cast<uint32_t>(groups.number.size()), [&groups](uint32_t r) {
    const uint32_t group = groups.number[r];
    if (groups.rows[group]++ != 0) return;
    groups.first[group] = r;
    groups.order.push_back(group);
  });
}

// Divides groups further, by the values of `chunk`.
void DivideBy(BlockGroups& groups, const Chunk& chunk) {
  GroupNumbers values = NumberGroups(chunk);
  size_t size = values.values.size();
  if (groups.rows.size() == 1) {
    groups.number = std::move(values.number);
  } else {
    PairNumbers pairs(groups.rows.size(), size, chunk.records());
    uint32_t next = 0;
    ForEachSelected(groups, chunk.records(), [&](uint32_t r) {
      const uint32_t number = pairs.Of(groups.number[r], values.number[r], next);
      groups.number[r] = number;
      next += number == next ? 1 : 0;
    });
    size = next;
  }
  CountRecords(groups, size);
}

// Makes one group of all selected records.
void Unite(BlockGroups& groups, uint32_t records, uint32_t count) {
  groups.number.assign(records, 0);
  groups.rows = {count};
  groups.order = {0};
  groups.first = {0};
  for (uint32_t w = 0; w < groups.selected.size(); ++w) {
    if (groups.selected[w] == 0) continue;
    groups.first[0] = w * 64 + static_cast<uint32_t>(std::countr_zero(groups.selected[w]));
    break;
  }
}

}  // namespace

BlockGroups GroupBlock(std::vector<std::shared_ptr<const Chunk>> keys, uint32_t records, BlockSelection selected) {
  BlockGroups groups;
  groups.selected = std::move(selected.words);
  Unite(groups, records, selected.count);
  for (const std::shared_ptr<const Chunk>& key : keys) DivideBy(groups, *key);
  groups.keys = std::move(keys);
  return groups;
}

BlockGroups Divide(const BlockGroups& groups, const Chunk& chunk) {
  BlockGroups divided{
      .selected = groups.selected, .number = {}, .first = {}, .rows = groups.rows, .order = {}, .keys = {}};
  if (groups.rows.size() != 1) divided.number = groups.number;
  DivideBy(divided, chunk);
  return divided;
}

}  // namespace ofindex

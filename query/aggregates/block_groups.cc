#include "query/aggregates/block_groups.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "query/columns/chunk_numbers.h"
#include "query/stats/group_numbers.h"

namespace ofindex {
namespace {

constexpr uint32_t kNone = ~uint32_t{0};

// Pairs of numbers are numbered by an array if there are at most this many pairs, otherwise by a hash table.
constexpr uint64_t kMaxArray = 1 << 18;

// Numbers pairs of group numbers, from 0, in the order in which they are first asked for.
class PairNumbers {
 public:
  PairNumbers(uint64_t as, uint64_t bs, uint32_t records) : bs_(bs), hashed_(as * bs > kMaxArray) {
    if (!hashed_) {
      numbers_.assign(as * bs, kNone);
      return;
    }
    while (numbers_.size() < uint64_t{2} * records) numbers_.resize(std::max<size_t>(64, 2 * numbers_.size()), kNone);
    pairs_.resize(numbers_.size());
  }

  // Returns the number, which is `next` if the pair is new.
  [[nodiscard]] uint32_t Of(uint32_t a, uint32_t b, uint32_t next) {
    const uint64_t pair = a * bs_ + b;
    uint64_t slot = pair;
    if (hashed_) {
      const uint64_t mask = numbers_.size() - 1;
      slot = (pair * 0x9e3779b97f4a7c15U >> 32) & mask;
      while (numbers_[slot] != kNone && pairs_[slot] != pair) slot = (slot + 1) & mask;
      pairs_[slot] = pair;
    }
    if (numbers_[slot] == kNone) numbers_[slot] = next;
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

// Replaces the numbers of `groups` by `number_of(r, next)`, which returns `next` for a record of a new group.
template <typename NumberOf>
void Renumber(BlockGroups& groups, uint32_t records, NumberOf number_of) {
  groups.first.clear();
  groups.rows.clear();
  groups.number.resize(records);
  ForEachSelected(groups, records, [&](uint32_t r) {
    const auto next = static_cast<uint32_t>(groups.first.size());
    const uint32_t number = number_of(r, next);
    groups.number[r] = number;
    if (number == next) {
      groups.first.push_back(r);
      groups.rows.push_back(0);
    }
    ++groups.rows[number];
  });
}

void DivideBy(BlockGroups& groups, const Chunk& chunk) {
  const GroupNumbers values = NumberGroups(chunk);
  PairNumbers pairs(groups.first.size(), values.values.size(), chunk.records());
  Renumber(groups, chunk.records(),
           [&](uint32_t r, uint32_t next) { return pairs.Of(groups.number[r], values.number[r], next); });
}

// Makes one group of all selected records.
void Unite(BlockGroups& groups, uint32_t records, uint32_t count) {
  groups.number.assign(records, 0);
  groups.rows = {count};
  uint32_t first = kNone;
  for (uint32_t w = 0; w < groups.selected.size() && first == kNone; ++w) {
    if (groups.selected[w] != 0) first = w * 64 + static_cast<uint32_t>(std::countr_zero(groups.selected[w]));
  }
  groups.first = {groups.selected.empty() ? 0 : first};
}

}  // namespace

Result<BlockGroups> GroupBlock(ColumnStore& store, std::span<const uint32_t> keys, uint64_t block,
                               BlockSelection selected) {
  const uint32_t records = store.blocks()[block].records;
  BlockGroups groups;
  groups.selected = std::move(selected.words);
  Unite(groups, records, selected.count);
  for (const uint32_t key : keys) {
    OFINDEX_ASSIGN(std::shared_ptr<const Chunk> chunk, store.Load(store.columns()[key], block));
    DivideBy(groups, *chunk);
    groups.keys.push_back(std::move(chunk));
  }
  return groups;
}

BlockGroups Divide(const BlockGroups& groups, const Chunk& chunk) {
  BlockGroups divided{.selected = groups.selected, .number = groups.number, .first = groups.first, .rows = {}, .keys = {}};
  DivideBy(divided, chunk);
  return divided;
}

}  // namespace ofindex

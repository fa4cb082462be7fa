#include "query/aggregates/grouping.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "query/columns/blocks_in_order.h"
#include "query/columns/value_order.h"

namespace ofindex {

Grouping::Grouping(ColumnStore& store, const GroupRequest& request, Predicate predicate)
    : store_(&store), predicate_(std::move(predicate)), index_(request.keys.size()) {
  for (const GroupRequest::Key& key : request.keys) {
    keys_.push_back(key.column);
    descending_.push_back(key.descending);
  }
}

Result<Grouping> Grouping::Of(ColumnStore& store, const GroupRequest& request, Predicate predicate, SumRule rule) {
  Grouping grouping(store, request, std::move(predicate));
  for (const Argument& argument : request.arguments) {
    OFINDEX_ASSIGN(ArgumentStates states, ArgumentStates::Of(store, argument, rule));
    grouping.arguments_.push_back(std::move(states));
  }
  return grouping;
}

Result<void> Grouping::Advance(uint64_t blocks) {
  const uint64_t begin = next_block_;
  next_block_ = std::min<uint64_t>(begin + blocks, store_->blocks().size());
  return MergeInOrder(
      store_->threads(), next_block_ - begin, nullptr, [&](uint64_t block) { return Prepare(begin + block); },
      [&](const Block& block) -> Result<void> {
        Add(block);
        return {};
      });
}

// Returns no group if no record of the block is selected. Thread-safe.
Result<Grouping::Block> Grouping::Prepare(uint64_t block) const {
  Block prepared;
  OFINDEX_ASSIGN(BlockSelection selected, predicate_.Evaluate(block));
  if (selected.count == 0) return prepared;
  OFINDEX_ASSIGN(prepared.groups, GroupBlock(*store_, keys_, block, std::move(selected)));
  for (const ArgumentStates& argument : arguments_) {
    OFINDEX_ASSIGN(ArgumentStates::Part part, argument.Prepare(prepared.groups, block));
    prepared.parts.push_back(std::move(part));
  }
  return prepared;
}

void Grouping::Add(const Block& block) {
  const BlockGroups& groups = block.groups;
  std::vector<uint32_t> numbers(groups.first.size());
  std::vector<Chunk::Value> key(keys_.size());
  for (uint32_t g = 0; g < numbers.size(); ++g) {
    for (size_t i = 0; i < key.size(); ++i) key[i] = groups.Key(g, i);
    numbers[g] = index_.Add(key).first;
    rows_.resize(index_.size());
    rows_[numbers[g]] += groups.rows[g];
  }
  for (size_t i = 0; i < block.parts.size(); ++i) arguments_[i].Add(groups, block.parts[i], numbers, size());
}

std::vector<uint32_t> Grouping::Sorted() const {
  std::vector<uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    for (size_t i = 0; i < keys_.size(); ++i) {
      const int compared = CompareValues(Key(a, i), Key(b, i));
      if (compared != 0) return descending_[i] ? compared > 0 : compared < 0;
    }
    return false;
  });
  return order;
}

uint64_t Grouping::memory() const {
  uint64_t bytes = index_.memory() + rows_.capacity() * sizeof(rows_[0]);
  for (const ArgumentStates& argument : arguments_) bytes += argument.memory();
  return bytes;
}

}  // namespace ofindex

#include "query/aggregates/grouping.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "query/columns/blocks_in_order.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

// Groups sorted between two checks; later their merges take longer.
constexpr size_t kSorted = size_t{1} << 16;

}  // namespace

Grouping::Grouping(ColumnStore& store, const GroupRequest& request, Predicate predicate)
    : store_(&store),
      keys_(request.keys),
      computed_(request.computed),
      predicate_(std::move(predicate)),
      index_(request.keys.size()) {}

Result<Grouping> Grouping::Of(ColumnStore& store, const GroupRequest& request, Predicate predicate, SumRule rule) {
  Grouping grouping(store, request, std::move(predicate));
  for (const Argument& argument : request.arguments) {
    OFINDEX_ASSIGN(ArgumentStates states, ArgumentStates::Of(store, argument, rule));
    grouping.arguments_.push_back(std::move(states));
  }
  return grouping;
}

Result<void> Grouping::Advance(uint64_t records) {
  const std::vector<BlockRun> runs = RunsFrom(*store_, next_block_, records);
  if (!runs.empty()) next_block_ = runs.back().first + runs.back().count;
  const bool trivial = only_counts() && predicate_.parts().empty();
  return MergeInOrder(
      trivial ? 1 : store_->threads(), runs.size(), nullptr, [&](uint64_t run) { return Prepare(runs[run]); },
      [&](const std::vector<Block>& blocks) -> Result<void> {
        for (const Block& block : blocks) Add(block);
        return {};
      });
}

// Returns what the run has, at once if its blocks can be joined. Thread-safe.
Result<std::vector<Grouping::Block>> Grouping::Prepare(const BlockRun& run) const {
  std::vector<Block> prepared;
  OFINDEX_ASSIGN(std::optional<Block> whole, PrepareAtOnce(run));
  if (whole) {
    prepared.push_back(*std::move(whole));
    return prepared;
  }
  for (uint64_t block = run.first; block < run.first + run.count; ++block) {
    OFINDEX_ASSIGN(std::optional<Block> one,
                   PrepareAtOnce({.first = block, .count = 1, .records = store_->blocks()[block].records}));
    prepared.push_back(*std::move(one));
  }
  return prepared;
}

// Returns an empty block if no records are selected, and nothing if several blocks cannot be joined.
Result<std::optional<Grouping::Block>> Grouping::PrepareAtOnce(const BlockRun& run) const {
  Block prepared;
  OFINDEX_ASSIGN(BlockSelection selected, SelectIn(*store_, predicate_, run));
  if (selected.count == 0) return std::optional(std::move(prepared));
  if (only_counts()) {
    prepared.groups = {.first = {0}, .rows = {selected.count}, .order = {0}};
    return std::optional(std::move(prepared));
  }
  std::vector<uint32_t> columns;
  for (const GroupRequest::Key& key : keys_) columns.push_back(key.column);
  for (const ArgumentStates& argument : arguments_) columns.push_back(argument.argument().column);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  OFINDEX_ASSIGN(const std::optional<LoadedColumns> loaded, LoadColumns(*store_, computed_, columns, run));
  if (!loaded) return std::nullopt;
  std::vector<std::shared_ptr<const Chunk>> keys;
  for (const GroupRequest::Key& key : keys_) keys.push_back(ChunkOf(*loaded, key.column));
  prepared.groups = GroupBlock(std::move(keys), run.records, std::move(selected));
  for (const ArgumentStates& argument : arguments_) {
    prepared.parts.push_back(argument.Prepare(prepared.groups, ChunkOf(*loaded, argument.argument().column)));
  }
  return std::optional(std::move(prepared));
}

void Grouping::Add(const Block& block) {
  const BlockGroups& groups = block.groups;
  std::vector<Chunk::Value> keys;
  keys.reserve(groups.order.size() * keys_.size());
  for (const uint32_t g : groups.order) {
    for (size_t i = 0; i < keys_.size(); ++i) keys.push_back(groups.Key(g, i));
  }
  const std::vector<uint32_t> found = index_.Add(keys, groups.order.size());
  rows_.resize(index_.size());
  std::vector<uint32_t> numbers(groups.rows.size());
  for (size_t i = 0; i < found.size(); ++i) {
    numbers[groups.order[i]] = found[i];
    rows_[found[i]] += groups.rows[groups.order[i]];
  }
  for (size_t i = 0; i < block.parts.size(); ++i) arguments_[i].Add(groups, block.parts[i], numbers, size());
}

Result<std::vector<uint32_t>> Grouping::Sorted(const Check& check) const {
  std::vector<uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0U);
  const std::vector<uint64_t> places = Places();
  const auto before = [&](uint32_t a, uint32_t b) {
    if (!places.empty()) return places[a] < places[b];
    return CompareByKeys(
               keys_, [&](size_t i) { return Key(a, i); }, [&](size_t i) { return Key(b, i); }) < 0;
  };
  const auto at = [&](size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(std::min(i, order.size())); };
  for (size_t begin = 0; begin < order.size(); begin += kSorted) {
    OFINDEX_TRY(check());
    std::sort(at(begin), at(begin + kSorted), before);
  }
  for (size_t sorted = kSorted; sorted < order.size(); sorted *= 2) {
    for (size_t begin = 0; begin < order.size(); begin += 2 * sorted) {
      OFINDEX_TRY(check());
      std::inplace_merge(at(begin), at(begin + sorted), at(begin + 2 * sorted), before);
    }
  }
  return order;
}

// Returns a number for each group, ascending in the order of the keys; nothing unless the keys are integers, or NULL,
// of so small ranges that there is one.
std::vector<uint64_t> Grouping::Places() const {
  std::vector<uint64_t> places(size(), 0);
  uint64_t combinations = 1;
  for (size_t i = 0; i < keys_.size(); ++i) {
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t greatest = std::numeric_limits<int64_t>::min();
    for (uint32_t group = 0; group < size(); ++group) {
      const Chunk::Value key = Key(group, i);
      if (key.type == ColumnValue::Type::kNull) continue;
      if (key.type != ColumnValue::Type::kInteger) return {};
      least = std::min(least, key.integer);
      greatest = std::max(greatest, key.integer);
    }
    // NULL comes first, at 0.
    const uint64_t width = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
    const uint64_t range = least > greatest ? 0 : width + 1;
    if ((least <= greatest && width >= uint64_t{1} << 62) ||
        __builtin_mul_overflow(combinations, range + 1, &combinations))
      return {};
    for (uint32_t group = 0; group < size(); ++group) {
      const Chunk::Value key = Key(group, i);
      const bool null = key.type == ColumnValue::Type::kNull;
      const uint64_t place = null ? 0 : static_cast<uint64_t>(key.integer) - static_cast<uint64_t>(least) + 1;
      places[group] = places[group] * (range + 1) + (keys_[i].descending ? range - place : place);
    }
  }
  return places;
}

uint64_t Grouping::memory() const {
  constexpr uint64_t kSorting = 2 * (sizeof(uint64_t) + sizeof(uint32_t));
  uint64_t bytes = index_.memory() + rows_.capacity() * sizeof(rows_[0]) + size() * kSorting;
  for (const ArgumentStates& argument : arguments_) bytes += argument.memory();
  return bytes;
}

}  // namespace ofindex

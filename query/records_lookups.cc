#include "query/records_lookups.h"

#include <algorithm>
#include <utility>

#include "query/bit_words.h"
#include "query/number_range.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// To index a column takes as long as some scans of it.
constexpr int kScansFirst = 8;

// With more values in an IN, a scan compares each record with all of them at once.
constexpr size_t kMostValues = 64;

bool AsksForValues(const Constraint& constraint) {
  const bool equal = constraint.op == Op::kEq || constraint.op == Op::kIn ||
                     (constraint.op == Op::kIs && constraint.values[0].type != Type::kNull);
  return equal && constraint.values.size() <= kMostValues;
}

Result<void> Visit(ColumnStore& store, const Column& column, const EqualityIndex::Take& take) {
  for (uint64_t block = 0; block < store.blocks().size(); ++block) {
    OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> chunk, store.Load(column, block));
    const BlockHead& head = store.blocks()[block];
    for (uint32_t r = 0; r < head.records; ++r) {
      if (!BitAt(chunk->present(), r)) continue;
      if (const Chunk::Value value = chunk->At(r); value.type != Type::kNull) take(head.first_record + r, value);
    }
  }
  return {};
}

}  // namespace

std::vector<uint64_t> RecordsLookups::Ordinals(const Constraint& constraint) const {
  std::vector<uint64_t> ordinals;
  for (const int64_t integer : IntegersOf(constraint.values)) {
    if (integer >= 0 && static_cast<uint64_t>(integer) < store_->records()) {
      ordinals.push_back(static_cast<uint64_t>(integer));
    }
  }
  std::sort(ordinals.begin(), ordinals.end());
  ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
  return ordinals;
}

Result<std::optional<std::vector<uint64_t>>> RecordsLookups::FindOne(const Constraint& constraint) {
  const Column& column = store_->columns()[constraint.column];
  if (!AsksForValues(constraint) || column.is_list()) return std::nullopt;
  if (column.origin == Column::Origin::kId) return Ordinals(constraint);
  Lookup& lookup = lookups_[constraint.column];
  if (!lookup.tried) {
    if (++lookup.scans <= kScansFirst) return std::nullopt;
    lookup.tried = true;
    OFINDEX_ASSIGN(lookup.index, EqualityIndex::Build(store_->records(), [&](const EqualityIndex::Take& take) {
                     return Visit(*store_, column, take);
                   }));
  }
  if (!lookup.index) return std::nullopt;
  return lookup.index->Find(constraint.readings.empty() ? constraint.values : constraint.readings);
}

Result<std::optional<std::vector<uint64_t>>> RecordsLookups::Find(std::span<const Constraint> constraints) {
  // What a list has is known to the kernels alone.
  if (std::any_of(constraints.begin(), constraints.end(), [](const Constraint& one) { return one.op == Op::kHas; })) {
    return std::nullopt;
  }
  std::optional<std::vector<uint64_t>> fewest;
  for (const Constraint& constraint : constraints) {
    OFINDEX_ASSIGN(std::optional<std::vector<uint64_t>> found, FindOne(constraint));
    if (found && (!fewest || found->size() < fewest->size())) fewest = std::move(found);
  }
  if (fewest && fewest->size() > store_->records() / 2) fewest.reset();
  return fewest;
}

}  // namespace ofindex

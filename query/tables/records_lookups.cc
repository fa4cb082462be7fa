#include "query/tables/records_lookups.h"

#include <algorithm>
#include <utility>

#include "query/columns/chunks/bit_words.h"
#include "query/filter/number_range.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// Indexing a column takes as long as some scans of it.
constexpr int kScansFirst = 8;

// With more values in an IN, a scan compares each record with all of them at once.
constexpr size_t kMaxLookedUp = 64;

bool AsksForValues(const Constraint& constraint) {
  const bool equal = constraint.op == Op::kEq || constraint.op == Op::kIn ||
                     (constraint.op == Op::kIs && constraint.values[0].type != Type::kNull);
  return equal && constraint.values.size() <= kMaxLookedUp;
}

}  // namespace

bool RecordsLookups::AsksForOrdinals(const Constraint& constraint) const {
  return AsksForValues(constraint) && store_->columns()[constraint.column].origin == Column::Origin::kId;
}

AscendingRows RecordsLookups::Ordinals(const Constraint& constraint) const {
  AscendingRows rows;
  for (const int64_t integer : IntegersOf(constraint.values)) {
    const auto ordinal = static_cast<uint64_t>(integer);
    if (integer >= 0 && store_->BlockOf(ordinal)) rows.Add(ordinal);
  }
  return rows;
}

Result<std::optional<EqualityIndex>> RecordsLookups::Index(const Column& column) const {
  return EqualityIndex::Build(store_->ordinals(), *limits_, [&](const EqualityIndex::Take& take) -> Result<void> {
    for (uint64_t block = 0; block < store_->blocks().size(); ++block) {
      OFINDEX_TRY(limits_->Check());
      OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> chunk, store_->Load(column, block));
      const BlockMetadata& metadata = store_->blocks()[block];
      for (uint32_t r = 0; r < metadata.records; ++r) {
        if (!BitAt(chunk->present(), r)) continue;
        if (const Chunk::Value value = chunk->At(r); value.type != Type::kNull) take(metadata.first_record + r, value);
      }
    }
    return {};
  });
}

Result<std::optional<AscendingRows>> RecordsLookups::FindOne(const Constraint& constraint) {
  const Column& column = store_->columns()[constraint.column];
  if (!AsksForValues(constraint) || column.is_list()) return std::nullopt;
  Lookup& lookup = lookups_[constraint.column];
  if (!lookup.tried) {
    if (++lookup.scans <= kScansFirst) return std::nullopt;
    OFINDEX_ASSIGN(lookup.index, Index(column));
    lookup.tried = true;
  }
  if (!lookup.index) return std::nullopt;
  return lookup.index->Find(constraint.readings.empty() ? constraint.values : constraint.readings);
}

Result<std::optional<AscendingRows>> RecordsLookups::Find(std::span<const Constraint> constraints) {
  // Only the kernels know the elements of a list.
  if (std::any_of(constraints.begin(), constraints.end(), [](const Constraint& one) { return one.op == Op::kHas; })) {
    return std::nullopt;
  }
  for (const Constraint& constraint : constraints) {
    if (AsksForOrdinals(constraint)) return Ordinals(constraint);
  }
  std::optional<AscendingRows> fewest;
  for (const Constraint& constraint : constraints) {
    OFINDEX_ASSIGN(std::optional<AscendingRows> found, FindOne(constraint));
    if (found && (!fewest || found->max_size() < fewest->max_size())) fewest = std::move(found);
  }
  return fewest;
}

}  // namespace ofindex

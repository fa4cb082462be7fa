#include "query/columns/chunks/zones.h"

#include <algorithm>
#include <utility>

namespace ofindex {
namespace {

using Origin = Column::Origin;
using Type = ColumnValue::Type;

ColumnValue WholeNumber(uint64_t value) { return {.type = Type::kInteger, .integer = static_cast<int64_t>(value)}; }

Zone NullZone(uint32_t records) { return {.records = records, .min_nulls = records, .max_nulls = records}; }

Zone ZoneOf(const ChunkRow& metadata, uint32_t nulls, uint32_t records) {
  const uint32_t known = std::min(nulls, records);
  return {.records = records, .min_nulls = known, .max_nulls = known, .min = metadata.min, .max = metadata.max};
}

// NULLs without the NaNs: records for which no value is stored.
uint32_t AbsentIn(const ChunkRow& metadata) { return metadata.nulls - std::min(metadata.nulls, metadata.nans); }

Zone ZoneOfRecords(const SharedSource& source, Origin origin, uint64_t block) {
  const BlockMetadata& metadata = source.blocks()[block];
  Zone zone{.records = metadata.records};
  if (origin == Origin::kId) {
    zone.min = WholeNumber(metadata.first_record);
    zone.max = WholeNumber(metadata.first_record + metadata.records - 1);
  } else if (origin == Origin::kShard) {
    zone.min = zone.max = {.type = Type::kText, .bytes = source.shard_text(metadata.shard)};
  } else if (origin == Origin::kHash) {
    zone.max_nulls = metadata.records;
  }
  return zone;
}

// Returns what the metadata of the chunks says about a column that is stored, or made of others.
Result<Zone> ZoneOfFeature(SharedSource& source, const Column& column, uint64_t block) {
  const uint32_t records = source.blocks()[block].records;
  OFINDEX_ASSIGN(const auto own, source.MetadataOf(column.feature, column.role));
  if (const auto& metadata = (*own)[block]) return ZoneOf(*metadata, metadata->nulls, records);
  if (column.role == ColumnRole::kValue || IsDerived(column.role)) return NullZone(records);
  OFINDEX_ASSIGN(const auto values, source.MetadataOf(column.feature, ColumnRole::kValue));
  OFINDEX_ASSIGN(const auto lists, source.MetadataOf(column.feature, ColumnRole::kList));
  OFINDEX_ASSIGN(const auto counts, source.MetadataOf(column.feature, ColumnRole::kCount));
  OFINDEX_ASSIGN(const auto sizes, source.MetadataOf(column.feature, ColumnRole::kSize));
  Zone zone{.records = records, .max_nulls = records};
  if ((*lists)[block]) return zone;
  const auto& value = (*values)[block];
  switch (column.role) {
    case ColumnRole::kCount: {
      const auto& metadata = value ? value : (*sizes)[block];
      if (!metadata) return NullZone(records);
      return Zone{.records = records,
                  .min_nulls = std::min(AbsentIn(*metadata), records),
                  .max_nulls = std::min(AbsentIn(*metadata), records),
                  .min = WholeNumber(1),
                  .max = WholeNumber(1)};
    }
    case ColumnRole::kSize:
      if (!value) return NullZone(records);
      zone.min_nulls = std::min(value->nulls, records);
      return zone;
    default: {
      if (!value) return (*counts)[block] ? zone : NullZone(records);
      zone = ZoneOf(*value, AbsentIn(*value), records);
      if ((*counts)[block]) zone.min_nulls = 0;
      return zone;
    }
  }
}

}  // namespace

Result<std::vector<Zone>> MakeZones(SharedSource& source, const Column& column) {
  std::vector<Zone> zones;
  zones.reserve(source.blocks().size());
  for (uint64_t block = 0; block < source.blocks().size(); ++block) {
    if (column.origin != Origin::kFeature) {
      zones.push_back(ZoneOfRecords(source, column.origin, block));
      continue;
    }
    OFINDEX_ASSIGN(Zone zone, ZoneOfFeature(source, column, block));
    zones.push_back(std::move(zone));
  }
  return zones;
}

}  // namespace ofindex

#include "query/columns/column_store.h"

#include <algorithm>
#include <utility>

#include "base/allocation.h"
#include "base/framing.h"
#include "base/text.h"
#include "base/threads.h"
#include "query/columns/implied_chunk.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Origin = Column::Origin;
using Type = ColumnValue::Type;

ColumnValue Integer(uint64_t value) { return {.type = Type::kInteger, .integer = static_cast<int64_t>(value)}; }

uint64_t NumberOf(const Column& column) {
  return uint64_t{static_cast<uint8_t>(column.origin)} << 40 | uint64_t{static_cast<uint8_t>(column.role)} << 32 |
         column.feature;
}

std::vector<Column> ColumnsOf(const std::vector<FeatureRow>& features) {
  std::vector<Column> columns = {
      {"_id", Origin::kId}, {"_shard", Origin::kShard}, {"_offset", Origin::kOffset}, {"_length", Origin::kLength}};
  for (const FeatureRow& row : features) {
    const ColumnRole values = row.whole ? ColumnRole::kList : ColumnRole::kValue;
    for (const auto& [name, role] : {std::pair{&row.sql_value, values}, std::pair{&row.sql_count, ColumnRole::kCount},
                                     std::pair{&row.sql_size, ColumnRole::kSize}}) {
      if (!name->empty()) columns.push_back({*name, Origin::kFeature, row.feature, role});
    }
  }
  return columns;
}

Zone NullZone(uint32_t records) { return {.records = records, .least_nulls = records, .most_nulls = records}; }

Zone ZoneOf(const ChunkRow& head, uint32_t nulls, uint32_t records) {
  const uint32_t known = std::min(nulls, records);
  return {.records = records, .least_nulls = known, .most_nulls = known, .min = head.min, .max = head.max};
}

// NULLs without the NaNs: records for which no value is stored.
uint32_t AbsentIn(const ChunkRow& head) { return head.nulls - std::min(head.nulls, head.nans); }

}  // namespace

ColumnStore::ColumnStore(std::unique_ptr<ColumnSource> source, ColumnStoreOptions options)
    : source_(std::move(source)),
      cache_bytes_(options.cache_bytes),
      threads_(options.threads == 0 ? ProcessorCount() : options.threads),
      columns_(ColumnsOf(source_->features())) {
  for (const ShardRow& shard : shards()) {
    shard_texts_.push_back(IsText(AsBytes(shard.path)) ? shard.path : Printable(shard.path));
  }
}

uint64_t ColumnStore::records() const {
  return blocks().empty() ? 0 : blocks().back().first_record + blocks().back().records;
}

uint8_t ColumnStore::kinds(const Column& column) const {
  constexpr auto kIntegers = static_cast<uint8_t>(1U << static_cast<uint8_t>(FeatureKind::kInt64));
  constexpr auto kBytes = static_cast<uint8_t>(1U << static_cast<uint8_t>(FeatureKind::kBytes));
  if (column.origin == Origin::kShard) return kBytes;
  const bool numbers = column.role == ColumnRole::kCount || column.role == ColumnRole::kSize;
  return column.origin != Origin::kFeature || numbers ? kIntegers : features()[column.feature].kinds;
}

Result<ColumnStore::SharedChunk> ColumnStore::Load(const Column& column, uint64_t block) {
  const Key key{NumberOf(column), block};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      chunks_.splice(chunks_.begin(), chunks_, found->second);
      return chunks_.front().chunk;
    }
  }
  return WithMemory("a column", [&]() -> Result<SharedChunk> {
    OFINDEX_ASSIGN(Chunk chunk, Make(column, block));
    return Cache(key, std::make_shared<const Chunk>(std::move(chunk)));
  });
}

// Two threads may have decoded the same chunk; the copy that was stored first stays.
ColumnStore::SharedChunk ColumnStore::Cache(const Key& key, SharedChunk chunk) {
  const uint64_t bytes = chunk->memory();
  const std::lock_guard lock(mutex_);
  if (const auto found = places_.find(key); found != places_.end()) return found->second->chunk;
  if (bytes > cache_bytes_) return chunk;
  chunks_.push_front({key, chunk});
  places_.emplace(key, chunks_.begin());
  cached_bytes_ += bytes;
  while (cached_bytes_ > cache_bytes_) {
    cached_bytes_ -= chunks_.back().chunk->memory();
    places_.erase(chunks_.back().key);
    chunks_.pop_back();
  }
  return chunk;
}

uint64_t ColumnStore::cached_bytes() const {
  const std::lock_guard lock(mutex_);
  return cached_bytes_;
}

Result<std::shared_ptr<const ColumnStore::Heads>> ColumnStore::HeadsOf(uint32_t feature, ColumnRole role) {
  const uint64_t number = NumberOf({.name = {}, .origin = Origin::kFeature, .feature = feature, .role = role});
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = heads_.find(number); found != heads_.end()) return found->second;
  }
  std::shared_ptr<const Heads> heads;
  {
    const std::lock_guard lock(source_mutex_);
    OFINDEX_ASSIGN(Heads read, source_->Heads(feature, role));
    read.resize(blocks().size());
    heads = std::make_shared<const Heads>(std::move(read));
  }
  const std::lock_guard lock(mutex_);
  return heads_.emplace(number, std::move(heads)).first->second;
}

Result<bool> ColumnStore::Stored(uint32_t feature, ColumnRole role, uint64_t block) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Heads> heads, HeadsOf(feature, role));
  return (*heads)[block].has_value();
}

Result<Chunk> ColumnStore::Decode(uint32_t feature, ColumnRole role, uint64_t block) {
  std::vector<uint8_t> data;
  {
    const std::lock_guard lock(source_mutex_);
    OFINDEX_ASSIGN(data, source_->Data(feature, role, block));
  }
  OFINDEX_ASSIGN(Chunk chunk, Chunk::Decode(data, blocks()[block].records));
  const bool lists = chunk.form() == Chunk::Form::kLists;
  if (chunk.form() == Chunk::Form::kEmpty || lists == (role == ColumnRole::kList)) return chunk;
  return Fail(ErrorCode::kIndex,
              StrCat("the index is damaged: the ", Name(role), " column of feature ", feature,
                     " has the wrong form in block ", block + 1),
              "rebuild the index with `ofindex build --force`");
}

Result<Chunk> ColumnStore::Make(const Column& column, uint64_t block) {
  switch (column.origin) {
    case Origin::kFeature: return MakeOfFeature(column, block);
    case Origin::kShard: return ConstantChunk(AsBytes(shard_text(blocks()[block].shard)), blocks()[block].records);
    default: return MakeOfPlaces(column.origin, block);
  }
}

Result<Chunk> ColumnStore::MakeOfPlaces(Origin origin, uint64_t block) {
  const BlockHead& head = blocks()[block];
  std::vector<int64_t> values(head.records);
  if (origin == Origin::kId) {
    for (uint32_t r = 0; r < head.records; ++r) values[r] = static_cast<int64_t>(head.first_record + r);
    return IntegerChunk(values);
  }
  std::vector<PackedOffsets::Extent> places;
  {
    const std::lock_guard lock(source_mutex_);
    OFINDEX_ASSIGN(places, source_->Places(block));
  }
  const uint64_t framing = FramingBytes(shards()[head.shard].framing);
  for (uint32_t r = 0; r < head.records; ++r) {
    const auto [begin, end] = places[r];
    if (end < begin || end - begin < framing) {
      return Fail(ErrorCode::kIndex, StrCat("record ", head.first_record + r, " is smaller than its framing"),
                  "rebuild the index with `ofindex build --force`");
    }
    values[r] = static_cast<int64_t>(origin == Origin::kOffset ? begin : end - begin - framing);
  }
  return IntegerChunk(values);
}

// Follows the rules of index/columns/column.h.
Result<Chunk> ColumnStore::MakeOfFeature(const Column& column, uint64_t block) {
  OFINDEX_ASSIGN(const bool stored, Stored(column.feature, column.role, block));
  if (stored) return Decode(column.feature, column.role, block);
  if (column.role == ColumnRole::kValue) return EmptyChunk(blocks()[block].records);
  OFINDEX_ASSIGN(const SharedChunk values, ValuesIn(column.feature, block));
  if (column.role == ColumnRole::kSize) return SizesOf(*values);
  if (column.role == ColumnRole::kCount) {
    if (values->form() != Chunk::Form::kEmpty) return CountsOf(*values);
    OFINDEX_ASSIGN(const bool sized, Stored(column.feature, ColumnRole::kSize, block));
    if (!sized) return EmptyChunk(blocks()[block].records);
    OFINDEX_ASSIGN(const Chunk sizes, Decode(column.feature, ColumnRole::kSize, block));
    return CountsOf(sizes);
  }
  const Column counts{.name = {}, .feature = column.feature, .role = ColumnRole::kCount};
  OFINDEX_ASSIGN(const SharedChunk counted, Load(counts, block));
  return ListsOf(*values, *counted);
}

// Returns the chunk of lists if there is one, otherwise that of values.
Result<ColumnStore::SharedChunk> ColumnStore::ValuesIn(uint32_t feature, uint64_t block) {
  OFINDEX_ASSIGN(const bool lists, Stored(feature, ColumnRole::kList, block));
  return Load({.name = {}, .feature = feature, .role = lists ? ColumnRole::kList : ColumnRole::kValue}, block);
}

Result<std::shared_ptr<const ColumnStore::Zones>> ColumnStore::ZonesOf(const Column& column) {
  const uint64_t number = NumberOf(column);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = zones_.find(number); found != zones_.end()) return found->second;
  }
  OFINDEX_ASSIGN(Zones made, WithMemory("zone maps", [&] { return MakeZones(column); }));
  auto zones = std::make_shared<const Zones>(std::move(made));
  const std::lock_guard lock(mutex_);
  return zones_.emplace(number, std::move(zones)).first->second;
}

Result<ColumnStore::Zones> ColumnStore::MakeZones(const Column& column) {
  Zones zones;
  zones.reserve(blocks().size());
  for (uint64_t block = 0; block < blocks().size(); ++block) {
    if (column.origin != Origin::kFeature) {
      zones.push_back(ZoneOfRecords(column.origin, block));
      continue;
    }
    OFINDEX_ASSIGN(Zone zone, ZoneOfFeature(column, block));
    zones.push_back(std::move(zone));
  }
  return zones;
}

Zone ColumnStore::ZoneOfRecords(Origin origin, uint64_t block) const {
  const BlockHead& head = blocks()[block];
  Zone zone{.records = head.records};
  if (origin == Origin::kId) {
    zone.min = Integer(head.first_record);
    zone.max = Integer(head.first_record + head.records - 1);
  } else if (origin == Origin::kShard) {
    zone.min = zone.max = {.type = Type::kText, .bytes = shard_text(head.shard)};
  }
  return zone;
}

// Returns what the metadata of the chunks says about a stored or derived column.
Result<Zone> ColumnStore::ZoneOfFeature(const Column& column, uint64_t block) {
  const uint32_t records = blocks()[block].records;
  OFINDEX_ASSIGN(const std::shared_ptr<const Heads> own, HeadsOf(column.feature, column.role));
  if (const auto& head = (*own)[block]) return ZoneOf(*head, head->nulls, records);
  if (column.role == ColumnRole::kValue) return NullZone(records);
  OFINDEX_ASSIGN(const std::shared_ptr<const Heads> values, HeadsOf(column.feature, ColumnRole::kValue));
  OFINDEX_ASSIGN(const std::shared_ptr<const Heads> lists, HeadsOf(column.feature, ColumnRole::kList));
  OFINDEX_ASSIGN(const std::shared_ptr<const Heads> counts, HeadsOf(column.feature, ColumnRole::kCount));
  OFINDEX_ASSIGN(const std::shared_ptr<const Heads> sizes, HeadsOf(column.feature, ColumnRole::kSize));
  Zone zone{.records = records, .most_nulls = records};
  if ((*lists)[block]) return zone;
  const auto& value = (*values)[block];
  switch (column.role) {
    case ColumnRole::kCount: {
      const auto& head = value ? value : (*sizes)[block];
      if (!head) return NullZone(records);
      return Zone{.records = records,
                  .least_nulls = std::min(AbsentIn(*head), records),
                  .most_nulls = std::min(AbsentIn(*head), records),
                  .min = Integer(1),
                  .max = Integer(1)};
    }
    case ColumnRole::kSize:
      if (!value) return NullZone(records);
      zone.least_nulls = std::min(value->nulls, records);
      return zone;
    default: {
      if (!value) return (*counts)[block] ? zone : NullZone(records);
      zone = ZoneOf(*value, AbsentIn(*value), records);
      if ((*counts)[block]) zone.least_nulls = 0;
      return zone;
    }
  }
}

}  // namespace ofindex

#include "query/columns/column_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/allocation.h"
#include "base/threads.h"
#include "query/columns/chunks/column_chunk.h"

namespace ofindex {
namespace {

using Origin = Column::Origin;

}  // namespace

ColumnStore::ColumnStore(std::unique_ptr<ColumnSource> source, ColumnStoreOptions options)
    : source_(std::move(source)),
      cache_(options.cache_bytes),
      threads_(options.threads == 0 ? ProcessorCount() : options.threads),
      columns_(ColumnsOf(source_.features())) {
  for (const BlockMetadata& block : blocks()) records_ += block.records;
}

std::optional<uint64_t> ColumnStore::BlockOf(uint64_t ordinal) const {
  const auto after = std::upper_bound(blocks().begin(), blocks().end(), ordinal,
                                      [](uint64_t o, const BlockMetadata& block) { return o < block.first_record; });
  if (after == blocks().begin()) return std::nullopt;
  const BlockMetadata& block = *std::prev(after);
  if (ordinal - block.first_record >= block.records) return std::nullopt;
  return static_cast<uint64_t>(after - blocks().begin()) - 1;
}

uint8_t ColumnStore::kinds(const Column& column) const {
  if (column.origin == Origin::kShard) return kBytesKind;
  if (column.origin != Origin::kFeature) return BitOf(FeatureKind::kInt64);
  if (HoldsValues(column.role)) return features()[column.feature].kinds;
  return column.role == ColumnRole::kFormat ? kBytesKind : BitOf(FeatureKind::kInt64);
}

Result<std::shared_ptr<const Chunk>> ColumnStore::Load(const Column& column, uint64_t block) {
  const ChunkCache::Key key{column.number(), block};
  if (auto found = cache_.Find(key)) return found;
  return WithMemory("a column", [&]() -> Result<std::shared_ptr<const Chunk>> {
    const auto load = [this](const Column& other, uint64_t number) { return Load(other, number); };
    OFINDEX_ASSIGN(Chunk chunk, MakeChunk(source_, load, column, block));
    return cache_.Keep(key, std::make_shared<const Chunk>(std::move(chunk)));
  });
}

Result<std::shared_ptr<const ColumnStore::Zones>> ColumnStore::ZonesOf(const Column& column) {
  const uint64_t number = column.number();
  {
    const std::lock_guard lock(zones_mutex_);
    if (const auto found = zones_.find(number); found != zones_.end()) return found->second;
  }
  OFINDEX_ASSIGN(Zones made, WithMemory("zone maps", [&] { return MakeZones(source_, column); }));
  auto zones = std::make_shared<const Zones>(std::move(made));
  const std::lock_guard lock(zones_mutex_);
  return zones_.emplace(number, std::move(zones)).first->second;
}

}  // namespace ofindex

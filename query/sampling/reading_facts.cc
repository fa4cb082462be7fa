#include "query/sampling/reading_facts.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/memory_size.h"
#include "base/text.h"

namespace ofindex {

Result<ReadingFacts> ReadingFactsOf(const Dataset& dataset) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  ReadingFacts facts{.records = dataset.reader().live(), .payload_bytes = 0, .memory_bytes = MemorySize()};
  for (const ShardRow& shard : catalog->shards()) {
    facts.payload_bytes += shard.payload_bytes;
    facts.inflated_bytes += shard.inflated_bytes;
  }
  const uint64_t points = dataset.reader().map().header().points;
  if (points != 0) facts.span_bytes = std::max<uint64_t>(facts.inflated_bytes / points, 1);
  facts.cache_bytes = dataset.reader().inflated_cache_bytes();
  for (uint32_t piece = 0; piece < dataset.reader().map().shards(); ++piece) {
    OFINDEX_ASSIGN(const MapShard entry, dataset.reader().map().Shard(piece));
    if (entry.gone) continue;
    OFINDEX_ASSIGN(const std::string path, dataset.reader().ShardPath(piece));
    if (const auto file = File::OpenRead(path)) facts.storage = StorageOf(*file);
    break;
  }
  return facts;
}

Result<View> PresentRecords(const RecordReader& reader) {
  const OffsetMap& map = reader.map();
  if (reader.live() == reader.size()) return View::Range(0, reader.size());
  OrdinalSet::Builder builder;
  uint64_t end = 0;
  for (uint64_t piece = 0; piece < map.shards(); ++piece) {
    OFINDEX_ASSIGN(const MapShard entry, map.Shard(piece));
    if (entry.first_record != end || entry.records > reader.size() - end) {
      return Fail(ErrorCode::kIndex, StrCat(Printable(entry.path), ": the map has its records in another place"),
                  kOffsetMapHint);
    }
    end += entry.records;
    if (!entry.gone && entry.records != 0) builder.AddRange(entry.first_record, end);
  }
  return View::Of(builder.Take());
}

}  // namespace ofindex

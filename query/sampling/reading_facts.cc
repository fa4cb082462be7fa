#include "query/sampling/reading_facts.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/memory_size.h"

namespace ofindex {

Result<ReadingFacts> ReadingFactsOf(const Dataset& dataset) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  ReadingFacts facts{.records = dataset.size(), .payload_bytes = 0, .memory_bytes = MemorySize()};
  for (const ShardRow& shard : catalog->shards()) {
    facts.payload_bytes += shard.payload_bytes;
    facts.inflated_bytes += shard.inflated_bytes;
  }
  const uint64_t points = dataset.reader().map().header().points;
  if (points != 0) facts.span_bytes = std::max<uint64_t>(facts.inflated_bytes / points, 1);
  facts.cache_bytes = dataset.reader().inflated_cache_bytes();
  if (catalog->shards().empty()) return facts;
  OFINDEX_ASSIGN(const std::string path, dataset.reader().ShardPath(0));
  if (const auto file = File::OpenRead(path)) facts.storage = StorageOf(*file);
  return facts;
}

}  // namespace ofindex

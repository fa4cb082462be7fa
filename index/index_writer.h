#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "index/block_queue.h"
#include "index/catalog_writer.h"
#include "index/dataset_id.h"
#include "index/shard_probe.h"
#include "mmap/offset_map_writer.h"

namespace ofindex {

/// Writes an index and its map side by side, out of the shards' blocks in order: gives records their ordinals, and the
/// dataset its id. Not thread-safe.
class IndexWriter {
 public:
  /// Writes to the two paths, both of empty files. Errors: kIo.
  [[nodiscard]] static Result<IndexWriter> Begin(const std::string& index_path, const std::string& map_path);

  /// Begins the next shard.
  void BeginShard(const ProbedShard& shard);

  /// Adds the next block of the shard; its first_record becomes an ordinal.
  [[nodiscard]] Result<void> AddBlock(BuiltBlock block);

  /// Ends the shard.
  [[nodiscard]] Result<void> EndShard(const std::vector<DamagedRange>& damage);

  /// Writes all that is not of one shard. `facts` gives checked, format, payload and sources, and gets the rest.
  /// `index_path` is where the index was written to. Errors: kIo.
  [[nodiscard]] Result<void> Finish(DatasetFacts& facts, const std::string& index_path);

  [[nodiscard]] const std::vector<ShardRow>& shards() const { return shards_; }
  [[nodiscard]] const std::vector<BadRow>& bad() const { return bad_; }
  [[nodiscard]] const std::vector<DamageRow>& damage() const { return damage_; }

 private:
  IndexWriter(CatalogWriter catalog, OffsetMapWriter map) : catalog_(std::move(catalog)), map_(std::move(map)) {}

  CatalogWriter catalog_;
  OffsetMapWriter map_;
  DatasetId id_;
  uint64_t records_ = 0;
  std::vector<ShardRow> shards_;
  std::vector<BadRow> bad_;
  std::vector<DamageRow> damage_;
};

}  // namespace ofindex

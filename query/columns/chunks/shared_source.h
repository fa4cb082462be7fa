#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/shared_catalog.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "mmap/offsets/packed_offsets.h"
#include "query/columns/chunks/column_source.h"

namespace ofindex {

/// A column source that any number of threads may use: calls to the source are serialized, and the metadata of chunks
/// is read once and kept. Must not cross a fork.
class SharedSource {
 public:
  explicit SharedSource(std::unique_ptr<ColumnSource> source);

  [[nodiscard]] const std::vector<ShardRow>& shards() const { return source_->shards(); }
  [[nodiscard]] const std::vector<BlockMetadata>& blocks() const { return source_->blocks(); }
  [[nodiscard]] const std::vector<FeatureRow>& features() const { return source_->features(); }
  [[nodiscard]] uint64_t ordinals() const { return source_->ordinals(); }
  [[nodiscard]] bool has_hashes() const { return source_->has_hashes(); }

  /// The value of `_shard` for the records of `shard`: its path as text.
  [[nodiscard]] const std::string& shard_text(uint32_t shard) const { return shard_texts_[shard]; }

  /// Returns the metadata of a column's stored chunks, one entry per block. Errors: kIndex, kIo.
  using ChunkMetadata = std::vector<std::optional<ChunkRow>>;
  [[nodiscard]] Result<std::shared_ptr<const ChunkMetadata>> MetadataOf(uint32_t feature, ColumnRole role);

  /// Returns whether the index stores a chunk of the column in `block`. Errors: kIndex, kIo.
  [[nodiscard]] Result<bool> Stored(uint32_t feature, ColumnRole role, uint64_t block);

  /// Returns a stored chunk. Errors: kIndex if the index is damaged; kIo, kLimit.
  [[nodiscard]] Result<Chunk> Decode(uint32_t feature, ColumnRole role, uint64_t block);

  /// As ColumnSource::Places.
  [[nodiscard]] Result<std::vector<PackedOffsets::Extent>> Places(uint64_t block);

  /// Returns the XXH3 of each payload of a block; empty if they are not known. Errors: kIndex if the index is damaged;
  /// kIo.
  [[nodiscard]] Result<std::vector<int64_t>> Hashes(uint64_t block);

 private:
  std::unique_ptr<ColumnSource> source_;
  std::vector<std::string> shard_texts_;

  std::mutex source_mutex_;  // SQLite connections are used by one thread at a time

  std::mutex metadata_mutex_;  // guards chunk_metadata_; never held during a call of the source
  std::map<uint64_t, std::shared_ptr<const ChunkMetadata>> chunk_metadata_;
};

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/shard_files.h"
#include "index/columns/column.h"

namespace ofindex {

/// A block without its offsets and hashes.
struct BlockMetadata {
  uint32_t shard = 0;
  uint64_t first_record = 0;
  uint32_t records = 0;
  uint64_t number = 0;  ///< in the index, from 1: blocks of missing shards are left out here
};

/// The catalog of one open index, shared by all its readers: the small tables are read once, and everything else on
/// demand through one SQLite connection. The file is untrusted: rows are validated here, chunks when they are decoded.
/// Thread-safe; must not cross a fork.
class SharedCatalog {
 public:
  /// Errors: kIndex if the file is not an index, has another version, or is damaged; kStale if it was rewritten.
  [[nodiscard]] static Result<std::shared_ptr<SharedCatalog>> Open(const std::shared_ptr<const IndexFile>& index);

  explicit SharedCatalog(CatalogReader reader) : reader_(std::move(reader)) {}

  [[nodiscard]] const DatasetFacts& facts() const { return reader_.facts(); }
  [[nodiscard]] const std::vector<GenerationRow>& generations() const { return generations_; }  ///< at least one
  [[nodiscard]] const std::vector<ShardRow>& shards() const { return shards_; }                 ///< that are there
  [[nodiscard]] const std::vector<ShardRow>& gone() const { return gone_; }                     ///< that are missing
  [[nodiscard]] const std::vector<FeatureRow>& features() const { return features_; }           ///< by number

  /// Returns the position in shards() of the shard that holds piece `piece`, as RecordLocation numbers shards. Errors:
  /// kIndex if it is missing or there is none.
  [[nodiscard]] Result<uint32_t> ShardOfPiece(uint32_t piece) const;

  /// Calls `read` with the CatalogReader, and returns its result. Other threads wait meanwhile; `read` must not use
  /// this object.
  template <typename Read>
  [[nodiscard]] auto With(const Read& read) {
    const std::lock_guard lock(mutex_);
    return read(reader_);
  }

  /// Return damage, bad records and skipped files, as CatalogReader does. Errors: kIndex, kStale.
  [[nodiscard]] Result<std::vector<DamageRow>> Damage();
  [[nodiscard]] Result<std::vector<BadRow>> Bad();
  [[nodiscard]] Result<std::vector<SkippedFile>> Skipped();

  /// Returns the blocks of shards that are there, in ordinal order. Errors: kIndex, kStale.
  [[nodiscard]] Result<std::vector<BlockMetadata>> Blocks();

  /// Returns the chunks of a column, without data: entry b belongs to `blocks[b]`, and is nullopt if the block has
  /// none. `blocks` is what Blocks() returned. Errors: kIndex, kStale.
  [[nodiscard]] Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature, ColumnRole role,
                                                                           const std::vector<BlockMetadata>& blocks);

  /// Returns the data of one chunk that has an entry in ChunkMetadata(); `block` is the block's number. Errors: kIndex,
  /// kStale.
  [[nodiscard]] Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t block);

  /// Returns the XXH3 of each payload of a block, as u64; empty if the index has none. `block` is as in Data().
  [[nodiscard]] Result<std::vector<uint8_t>> HashData(uint64_t block);

 private:
  std::mutex mutex_;  // a connection is used by one thread at a time
  CatalogReader reader_;
  std::vector<GenerationRow> generations_;
  std::vector<ShardRow> shards_;
  std::vector<uint32_t> numbers_;  // of the shard of each piece
  std::vector<ShardRow> gone_;
  std::vector<FeatureRow> features_;
};

}  // namespace ofindex

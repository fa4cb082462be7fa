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
#include "query/columns/chunks/chunk_cache.h"
#include "query/columns/chunks/column_source.h"
#include "query/columns/chunks/record_column.h"
#include "query/columns/chunks/shared_source.h"
#include "query/columns/chunks/zones.h"

namespace ofindex {

struct ColumnStoreOptions {
  uint64_t cache_bytes = uint64_t{1} << 30;  ///< for decoded chunks kept in the cache
  unsigned threads = 0;                      ///< for answering one question; 0: one per processor
};

/// The columns of a dataset, decoded on demand. Columns and blocks are identified by number; derived chunks have the
/// same form as stored ones. May be used by any number of threads, but not across a fork.
class ColumnStore {
 public:
  ColumnStore(std::unique_ptr<ColumnSource> source, ColumnStoreOptions options);

  [[nodiscard]] const std::vector<ShardRow>& shards() const { return source_.shards(); }
  [[nodiscard]] const std::vector<BlockMetadata>& blocks() const { return source_.blocks(); }
  [[nodiscard]] const std::vector<FeatureRow>& features() const { return source_.features(); }
  [[nodiscard]] uint64_t records() const { return records_; }

  /// Returns one more than the last ordinal: more than records(), if records have gone with their shards.
  [[nodiscard]] uint64_t ordinals() const { return source_.ordinals(); }

  /// Returns true if the index stores hashes of payloads; otherwise _hash is NULL.
  [[nodiscard]] bool has_hashes() const { return source_.has_hashes(); }

  /// Returns the block that holds a record; nullopt if there is no such record.
  [[nodiscard]] std::optional<uint64_t> BlockOf(uint64_t ordinal) const;
  [[nodiscard]] unsigned threads() const { return threads_; }

  /// The columns of `records` in order: _id, _shard, _offset, _length, then those of the features by number, and
  /// _hash.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  /// The value of `_shard` for the records of `shard`: its path as text.
  [[nodiscard]] const std::string& shard_text(uint32_t shard) const { return source_.shard_text(shard); }

  /// The possible kinds of a column's values, as in FeatureRow; kInt64 or kBytes for the records' own columns.
  [[nodiscard]] uint8_t kinds(const Column& column) const;

  /// Returns the chunk of `column` in `block`, from the cache or decoded. `column` need not be one of columns().
  /// Errors: kIndex if the index is damaged; kIo, kLimit.
  [[nodiscard]] Result<std::shared_ptr<const Chunk>> Load(const Column& column, uint64_t block);

  /// Returns the bounds of `column` in each block; they are read on first use, and kept. Errors: kIndex, kIo.
  using Zones = std::vector<Zone>;
  [[nodiscard]] Result<std::shared_ptr<const Zones>> ZonesOf(const Column& column);

  [[nodiscard]] uint64_t cached_bytes() const { return cache_.bytes(); }

 private:
  SharedSource source_;
  ChunkCache cache_;
  unsigned threads_;
  uint64_t records_ = 0;
  std::vector<Column> columns_;

  std::mutex zones_mutex_;
  std::map<uint64_t, std::shared_ptr<const Zones>> zones_;  // by Column::number()
};

}  // namespace ofindex

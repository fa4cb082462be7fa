#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "index/catalog/shared_catalog.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/columns/column_source.h"

namespace ofindex {

/// One column of `records`: of the records themselves, or of one of their features.
struct Column {
  enum class Origin : uint8_t { kId, kShard, kOffset, kLength, kFeature };

  std::string name;  ///< in SQL
  Origin origin = Origin::kFeature;
  uint32_t feature = 0;
  ColumnRole role = ColumnRole::kValue;

  [[nodiscard]] bool is_list() const { return origin == Origin::kFeature && role == ColumnRole::kList; }
};

/// Bounds on a column's values in one block, known without its chunk.
struct Zone {
  uint32_t records = 0;
  uint32_t least_nulls = 0;  ///< lower bound on the number of records that are NULL in SQL
  uint32_t most_nulls = 0;   ///< upper bound on that number
  ColumnValue min = {};      ///< lower bound on the values (elements, if lists), in SQLite's order. NULL: not known
  ColumnValue max = {};      ///< upper bound on the values (elements, if lists). NULL: not known
};

struct ColumnStoreOptions {
  uint64_t cache_bytes = uint64_t{1} << 30;  ///< for decoded chunks kept in the cache
  unsigned threads = 0;                      ///< for answering one question; 0: one per processor
};

/// The columns of a dataset, decoded on demand. Columns and blocks are identified by number; derived chunks have the
/// same form as stored ones. May be used by any number of threads, but not across a fork.
class ColumnStore {
 public:
  ColumnStore(std::unique_ptr<ColumnSource> source, ColumnStoreOptions options);

  [[nodiscard]] const std::vector<ShardRow>& shards() const { return source_->shards(); }
  [[nodiscard]] const std::vector<BlockHead>& blocks() const { return source_->blocks(); }
  [[nodiscard]] const std::vector<FeatureRow>& features() const { return source_->features(); }
  [[nodiscard]] uint64_t records() const;
  [[nodiscard]] unsigned threads() const { return threads_; }

  /// The columns of `records` in order: _id, _shard, _offset, _length, then those of the features by number.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  /// The value of `_shard` for the records of `shard`: its path as text.
  [[nodiscard]] const std::string& shard_text(uint32_t shard) const { return shard_texts_[shard]; }

  /// The possible kinds of a column's values, as in FeatureRow; kInt64 or kBytes for the records' own columns.
  [[nodiscard]] uint8_t kinds(const Column& column) const;

  /// Returns the chunk of `column` in `block`, from the cache or decoded. `column` need not be one of columns().
  /// Errors: kIndex if the index is damaged; kIo, kLimit.
  [[nodiscard]] Result<std::shared_ptr<const Chunk>> Load(const Column& column, uint64_t block);

  /// Returns the bounds of `column` in each block; they are read on first use, and kept. Errors: kIndex, kIo.
  using Zones = std::vector<Zone>;
  [[nodiscard]] Result<std::shared_ptr<const Zones>> ZonesOf(const Column& column);

  [[nodiscard]] uint64_t cached_bytes() const;

 private:
  using Heads = std::vector<std::optional<ChunkRow>>;
  using SharedChunk = std::shared_ptr<const Chunk>;

  /// Origin, role and feature of a column as one number, and a block.
  struct Key {
    uint64_t column;
    uint64_t block;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashKey {
    size_t operator()(const Key& key) const { return key.column * 0x9e3779b97f4a7c15U + key.block; }
  };
  struct Cached {
    Key key;
    SharedChunk chunk;
  };

  [[nodiscard]] Result<std::shared_ptr<const Heads>> HeadsOf(uint32_t feature, ColumnRole role);
  [[nodiscard]] Result<bool> Stored(uint32_t feature, ColumnRole role, uint64_t block);
  [[nodiscard]] Result<Chunk> Decode(uint32_t feature, ColumnRole role, uint64_t block);
  [[nodiscard]] Result<Chunk> Make(const Column& column, uint64_t block);
  [[nodiscard]] Result<Chunk> MakeOfFeature(const Column& column, uint64_t block);
  [[nodiscard]] Result<Chunk> MakeOfPlaces(Column::Origin origin, uint64_t block);
  [[nodiscard]] Result<SharedChunk> ValuesIn(uint32_t feature, uint64_t block);
  [[nodiscard]] Result<Zones> MakeZones(const Column& column);
  [[nodiscard]] Result<Zone> ZoneOfFeature(const Column& column, uint64_t block);
  [[nodiscard]] Zone ZoneOfRecords(Column::Origin origin, uint64_t block) const;
  [[nodiscard]] SharedChunk Cache(const Key& key, SharedChunk chunk);

  std::unique_ptr<ColumnSource> source_;
  uint64_t cache_bytes_;
  unsigned threads_;
  std::vector<Column> columns_;
  std::vector<std::string> shard_texts_;

  std::mutex source_mutex_;  // SQLite connections are used by one thread at a time

  mutable std::mutex mutex_;  // guards the members below; never held during a call of the source
  std::map<uint64_t, std::shared_ptr<const Heads>> heads_;
  std::map<uint64_t, std::shared_ptr<const Zones>> zones_;
  std::list<Cached> chunks_;  // most recently used first
  std::unordered_map<Key, std::list<Cached>::iterator, HashKey> places_;
  uint64_t cached_bytes_ = 0;
};

}  // namespace ofindex

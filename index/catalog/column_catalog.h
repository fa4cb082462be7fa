#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog_reader.h"
#include "index/columns/column.h"

namespace ofindex {

/// A block without its offsets and hashes.
struct BlockHead {
  uint32_t shard = 0;
  uint64_t first_record = 0;
  uint32_t records = 0;
};

/// Reads the features and columns of a published index. The file is untrusted: rows are validated here, chunks when
/// they are decoded. Moves, does not copy; not thread-safe; must not cross a fork.
class ColumnCatalog {
 public:
  /// Errors: kIndex if the file is not an index, has another version, or is damaged; kStale if the file was rewritten
  /// in place.
  [[nodiscard]] static Result<ColumnCatalog> Open(const std::shared_ptr<const IndexFile>& index);

  [[nodiscard]] const DatasetFacts& facts() const { return catalog_.facts(); }
  [[nodiscard]] const std::vector<ShardRow>& shards() const { return shards_; }
  [[nodiscard]] const std::vector<BlockHead>& blocks() const { return blocks_; }  ///< in ordinal order, without a gap
  [[nodiscard]] const std::vector<FeatureRow>& features() const { return features_; }  ///< by number

  /// Returns the chunks of a column, without data: entry b belongs to blocks()[b], and is nullopt if the block has
  /// none.
  [[nodiscard]] Result<std::vector<std::optional<ChunkRow>>> Heads(uint32_t feature, ColumnRole role);

  /// Returns the data of one chunk that has an entry in Heads(); `block` counts from 0. Errors: kIndex.
  [[nodiscard]] Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t block);

 private:
  explicit ColumnCatalog(CatalogReader catalog) : catalog_(std::move(catalog)) {}

  CatalogReader catalog_;
  std::vector<ShardRow> shards_;
  std::vector<BlockHead> blocks_;
  std::vector<FeatureRow> features_;
};

}  // namespace ofindex

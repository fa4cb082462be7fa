#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "index/catalog/shared_catalog.h"
#include "index/columns/column.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {

/// The origin of a dataset's columns: an index, or a test. Not thread-safe; must not cross a fork.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;

  [[nodiscard]] virtual const std::vector<ShardRow>& shards() const = 0;
  /// In ordinal order. Ordinals in no block are those of shards that are missing.
  [[nodiscard]] virtual const std::vector<BlockMetadata>& blocks() const = 0;
  [[nodiscard]] virtual const std::vector<FeatureRow>& features() const = 0;  ///< by number

  /// Returns one more than the last ordinal.
  [[nodiscard]] virtual uint64_t ordinals() const {
    return blocks().empty() ? 0 : blocks().back().first_record + blocks().back().records;
  }

  /// As in SharedCatalog: the chunks of a column without data, one entry per block, and the data of one chunk.
  [[nodiscard]] virtual Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature,
                                                                                   ColumnRole role) = 0;
  [[nodiscard]] virtual Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t block) = 0;

  /// Returns, for each record of a block, its extent in the shard, framing included. Blocks count from 0.
  /// Errors: kIndex, kIo.
  [[nodiscard]] virtual Result<std::vector<PackedOffsets::Extent>> Places(uint64_t block) = 0;

  /// Returns true if the hashes of payloads are known.
  [[nodiscard]] virtual bool has_hashes() const { return false; }

  /// Returns the XXH3 of each payload of a block, as u64; empty if they are not known. Errors: kIndex, kIo.
  [[nodiscard]] virtual Result<std::vector<uint8_t>> HashData(uint64_t /*block*/) { return std::vector<uint8_t>(); }
};

}  // namespace ofindex

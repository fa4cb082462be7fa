#pragma once

#include <cstdint>
#include <vector>

#include "index/catalog/catalog.h"

namespace ofindex {

/// The shards of an index that are there, as files: each once, however often it has grown, and none that is missing.
/// Everything but an update and a merge numbers shards in this way. A value type.
class ShardFiles {
 public:
  /// The number of a piece whose shard is missing.
  static constexpr uint32_t kGone = UINT32_MAX;

  explicit ShardFiles(const std::vector<ShardRow>& pieces);

  /// The first piece of each shard, with the totals of all its pieces; in natural order of paths.
  std::vector<ShardRow> rows;

  /// The same for shards that are missing, but in the order of their ordinals. A path may occur more than once.
  std::vector<ShardRow> gone;

  /// The number of each piece's shard, or kGone.
  std::vector<uint32_t> numbers;

  /// The number of each shard's first piece.
  std::vector<uint32_t> first_pieces;
};

/// Returns the number of records in shards that are missing.
[[nodiscard]] uint64_t GoneRecords(const std::vector<ShardRow>& pieces);

}  // namespace ofindex

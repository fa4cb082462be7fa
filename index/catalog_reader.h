#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog.h"
#include "index/column.h"
#include "index/sqlite.h"

namespace ofindex {

/// Reads a published index. The file is untrusted: what it says is checked for sense where it is used. Moves, does not
/// copy; not thread-safe, and must not cross a fork.
class CatalogReader {
 public:
  /// Errors: kNotFound  there is no such file; kIndex  not an index, of another version, or damaged.
  [[nodiscard]] static Result<CatalogReader> Open(const std::string& path);

  [[nodiscard]] const DatasetFacts& facts() const { return facts_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] Result<std::vector<GenerationRow>> Generations();
  [[nodiscard]] Result<std::vector<ShardRow>> Shards();
  [[nodiscard]] Result<std::vector<DamageRow>> Damage();
  [[nodiscard]] Result<std::vector<BadRow>> Bad();

  /// Calls `visit` for each checkpoint of shard `shard`, or of all without one, in order; the same rules as for blocks.
  using VisitCheckpoint = std::function<Result<void>(const CheckpointRow&)>;
  [[nodiscard]] Result<void> ForEachCheckpoint(std::optional<uint32_t> shard, const VisitCheckpoint& visit);

  /// Calls `visit` for each block, in ordinal order; the row is valid during the call. An error from `visit` ends the
  /// reading and is returned.
  using VisitBlock = std::function<Result<void>(const BlockRow&)>;
  [[nodiscard]] Result<void> ForEachBlock(const VisitBlock& visit);

  /// All features, by number. Errors: kIndex.
  [[nodiscard]] Result<std::vector<FeatureRow>> Features();

  /// Calls `visit` for each chunk, in the order in which they were written; the same rules as for blocks.
  using VisitChunk = std::function<Result<void>(const ChunkRow&)>;
  [[nodiscard]] Result<void> ForEachChunk(const VisitChunk& visit);

  /// The chunks of one column without their data, by block. Errors: kIndex.
  [[nodiscard]] Result<std::vector<ChunkRow>> ChunkHeads(uint32_t feature, ColumnRole role);

  /// The data of one chunk; `block` is `block.block`. Errors: kIndex  there is none.
  [[nodiscard]] Result<std::vector<uint8_t>> ChunkData(uint32_t feature, ColumnRole role, uint64_t block);

  /// The blocks without offsets and hashes, in ordinal order. Errors: kIndex.
  [[nodiscard]] Result<std::vector<BlockRow>> BlockHeads();

 private:
  CatalogReader(sqlite::Database database, std::string path) : database_(std::move(database)), path_(std::move(path)) {}

  [[nodiscard]] Result<void> ReadFacts();
  [[nodiscard]] tl::unexpected<Error> NoSense(const std::string& what) const;

  sqlite::Database database_;
  std::string path_;
  DatasetFacts facts_;
};

}  // namespace ofindex

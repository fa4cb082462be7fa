#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/block_cursor.h"
#include "index/catalog/catalog.h"
#include "index/catalog/row_checksums.h"
#include "index/columns/column.h"
#include "index/columns/feature_totals.h"
#include "index/database/index_file.h"
#include "index/database/sqlite.h"

namespace ofindex {

/// Reads a published index. The file is untrusted: Open checks its schema, the checksums of its small tables and the
/// facts; everything else is compared with its checksum and validated when it is read (index/catalog/row_checksums.h).
/// Moves, does not copy; not thread-safe; must not cross a fork.
class CatalogReader {
 public:
  /// Errors: kNotFound if there is no such file; kIndex if the file is not an index, has another version, or is
  /// damaged.
  [[nodiscard]] static Result<CatalogReader> Open(const std::string& path);

  /// Reads the index open as `index`. Errors: kIndex; kStale if the file was rewritten in place; later reads can fail
  /// with kStale too.
  [[nodiscard]] static Result<CatalogReader> Open(const std::shared_ptr<const IndexFile>& index);

  /// The same, but the index may also be a part of one, or several parts merged: see facts().part.
  [[nodiscard]] static Result<CatalogReader> OpenAny(const std::shared_ptr<const IndexFile>& index);

  [[nodiscard]] const DatasetFacts& facts() const { return facts_; }
  [[nodiscard]] const IndexFile& index() const { return *index_; }
  [[nodiscard]] const std::string& path() const { return index_->path(); }

  /// Returns the builds and updates that made the index, at least one; the last one covers all ordinals.
  [[nodiscard]] Result<std::vector<GenerationRow>> Generations();

  /// Returns the shards that are there, in natural order of paths; their totals add up to the facts. Everything below
  /// numbers shards in this way, except with Which::kAll. Errors: kIndex.
  [[nodiscard]] Result<std::vector<ShardRow>> Shards();

  /// Returns all pieces of shards, in the order of their ordinals, those of missing shards too. Errors: kIndex.
  [[nodiscard]] Result<std::vector<ShardRow>> Pieces();

  /// Returns when pieces were missing, in the order in which that was noticed. Errors: kIndex.
  [[nodiscard]] Result<std::vector<AbsenceRow>> Absences();

  /// What is asked for: the shards that are there, or all pieces, numbered as such.
  enum class Which : uint8_t { kThere, kAll };

  /// Return the damaged ranges, all inside their shards, and the bad records, all of which exist. Errors: kIndex.
  [[nodiscard]] Result<std::vector<DamageRow>> Damage(Which which = Which::kThere);
  [[nodiscard]] Result<std::vector<BadRow>> Bad(Which which = Which::kThere);

  /// Succeeds if every row of the index is as written: compares all rows with their checksums. Reads the whole file,
  /// and the rows of chunks a second time, without their data, through the SQL index of their table. `kUnchecked`
  /// leaves out that and the blobs that have a checksum of their own. Errors: kIndex, naming the table.
  enum class Blobs : uint8_t { kChecked, kUnchecked };
  [[nodiscard]] Result<void> CheckRows(Blobs blobs = Blobs::kChecked);

  /// Returns the skipped files that have a row; facts().skipped counts all skipped files.
  [[nodiscard]] Result<std::vector<SkippedFile>> Skipped();

  /// Calls `visit` for each checkpoint of shard `shard`, or of all shards if none is given, shard by shard, under the
  /// same rules as ForEachBlock. If a shard is given, the rows of its checkpoints are not compared with the checksums
  /// of their table, because each window has a checksum of its own (StoreWindow).
  using VisitCheckpoint = std::function<Result<void>(const CheckpointRow&)>;
  [[nodiscard]] Result<void> ForEachCheckpoint(std::optional<uint32_t> shard, const VisitCheckpoint& visit,
                                               Which which = Which::kThere);

  /// Calls `visit` for each block, in ordinal order; the row is valid during the call. An error from `visit` ends the
  /// reading and is returned. A missing block is detected only after the last one. Errors: kIndex.
  using VisitBlock = std::function<Result<void>(const BlockRow&)>;
  [[nodiscard]] Result<void> ForEachBlock(const VisitBlock& visit, Which which = Which::kThere);

  /// The same for the shards that are there, but shard by shard.
  [[nodiscard]] Result<void> ForEachBlockByShard(const VisitBlock& visit);

  /// Returns all features, by number. Errors: kIndex.
  [[nodiscard]] Result<std::vector<FeatureRow>> Features();

  /// Returns the totals of the features in piece `piece`, whose row is `row`. Errors: kIndex.
  [[nodiscard]] Result<FeatureTotals> TotalsOf(const ShardRow& row, uint32_t piece);

  /// Returns the chunks of one column without their data, by block. Errors: kIndex.
  [[nodiscard]] Result<std::vector<ChunkRow>> ReadChunkMetadata(uint32_t feature, ColumnRole role);

  /// Returns the data of one chunk; `block` is `block.block`. Errors: kIndex if there is no such chunk.
  [[nodiscard]] Result<std::vector<uint8_t>> ChunkData(uint32_t feature, ColumnRole role, uint64_t block);

  /// Returns the XXH3 of each payload of a block, as u64; empty if the index has none. Errors: kIndex.
  [[nodiscard]] Result<std::vector<uint8_t>> HashData(uint64_t block);

  /// Returns the position after block `block`; 0: before all. Errors: kIndex.
  [[nodiscard]] Result<BlockCursor::Position> PositionAfter(uint64_t block);

  /// Reads the blocks after `after` one by one, with their chunks. This reader must outlive the cursor and stay where
  /// it is.
  [[nodiscard]] Result<BlockCursor> BlocksAfter(const BlockCursor::Position& after);

  /// Returns the blocks of all pieces, numbered as such, without offsets and hashes, in ordinal order. Errors: kIndex.
  [[nodiscard]] Result<std::vector<BlockRow>> ReadBlockMetadata();

 private:
  CatalogReader(sqlite::Database database, std::shared_ptr<const IndexFile> index)
      : database_(std::move(database)), index_(std::move(index)) {}

  [[nodiscard]] Result<void> ReadChecksums();
  [[nodiscard]] Result<void> ReadFacts(const std::string& top);
  [[nodiscard]] Result<void> ReadSources();
  [[nodiscard]] Result<void> CheckColumnIndex();
  [[nodiscard]] Result<std::vector<ShardRow>> ShardRows();
  [[nodiscard]] Result<void> TakeAbsences(std::vector<ShardRow>& shards);
  [[nodiscard]] Result<std::vector<uint32_t>> Numbers(Which which);
  [[nodiscard]] Result<void> VisitCheckpointsOf(uint32_t piece, uint32_t number, const VisitCheckpoint& visit);
  [[nodiscard]] Result<void> VisitCheckpoints(const std::vector<ShardRow>& pieces, const VisitCheckpoint& visit);
  [[nodiscard]] Result<void> VisitBlocks(const std::vector<ShardRow>& pieces, const VisitBlock& visit);
  [[nodiscard]] Result<CheckedRows> Rows(std::string_view table, bool all = false);
  [[nodiscard]] Result<CheckedRows> Rows(const std::string& part, std::string_view table, bool all,
                                         std::string_view condition);
  [[nodiscard]] tl::unexpected<Error> Inconsistent(const std::string& what) const { return DamagedIndex(path(), what); }

  sqlite::Database database_;
  std::shared_ptr<const IndexFile> index_;
  DatasetFacts facts_;
  uint64_t shards_ = 0;
  std::vector<uint32_t> first_pieces_;  // of the shards that are there, once ForEachCheckpoint has asked for them
  uint64_t generation_ = 0;             // the last one
  std::map<std::string, TableShape, std::less<>> shapes_;
  PartSums sums_;
};

}  // namespace ofindex

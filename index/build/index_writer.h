#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/result.h"
#include "index/build/dataset_id.h"
#include "index/catalog/catalog_writer.h"
#include "index/columns/column_choice.h"
#include "index/columns/feature_totals.h"
#include "index/scan/block_queue.h"
#include "index/scan/feature_table.h"
#include "index/shards/shard_probe.h"
#include "mmap/offsets/offset_map_writer.h"

namespace ofindex {

/// Writes an index and its map together from the shards' blocks, in order. Assigns ordinals to the records and the id
/// to the dataset. Not thread-safe.
class IndexWriter {
 public:
  /// Writes the index to `index_path`, an empty file, and its map to `map`; a part has no map. Errors: kIo.
  [[nodiscard]] static Result<IndexWriter> Begin(const std::string& index_path, std::optional<OutputFile> map,
                                                 ColumnChoice columns);

  /// Begins the next shard, or piece of one. Ignores the totals of `row`. Its `file` must be the number of
  /// a piece here, or kOwnFile for a first piece.
  void BeginShard(const ProbedShard& shard);
  void BeginShard(const ShardRow& row);

  static constexpr uint32_t kOwnFile = UINT32_MAX;

  /// Adds the next block of the shard; its first_record becomes an ordinal.
  [[nodiscard]] Result<void> AddBlock(BuiltBlock block);

  /// The features of an index whose blocks are copied: their names, and their numbers here; none for a dropped one.
  struct CopiedFeatures {
    std::vector<std::string> names;
    std::vector<std::optional<uint32_t>> numbers;
  };

  /// Adds the features of an index whose facts are `facts`, before any of its blocks.
  [[nodiscard]] CopiedFeatures AddFeatures(const std::vector<FeatureRow>& features, const DatasetFacts& facts);

  /// Lets the features that were added keep the SQL names that they have in `features`.
  void KeepNames(const std::vector<FeatureRow>& features) { table_.KeepNames(features); }

  /// Adds a block of another index to the shard, with its chunks and bad records; `bad` is as in BuiltBlock. Each
  /// chunk must be of one of `features`. Errors: kIndex if it begins before the last block ends; kIo.
  [[nodiscard]] Result<void> CopyBlock(BlockRow row, std::vector<ChunkRow> chunks, const CopiedFeatures& features,
                                       std::vector<uint32_t> bad);

  /// Adds the totals of the features in the blocks that were copied.
  void CopyTotals(const FeatureTotals& totals, const CopiedFeatures& features);

  /// Adds that a shard was, or is, missing.
  [[nodiscard]] Result<void> AddAbsence(const AbsenceRow& absence);

  /// Ends the shard.
  [[nodiscard]] Result<void> EndShard(ShardFindings findings);

  /// Adds the files that are not in the index, at most kMaxSkipped. Sets their count in `facts`.
  [[nodiscard]] Result<void> AddSkipped(const std::vector<SkippedFile>& skipped, DatasetFacts& facts);

  /// Writes the rows that belong to no single shard. Takes checked, format, payload, message, sources, part and earlier
  /// generations from `facts` and fills in the rest. `index_path` is the path that the index was written to. Errors:
  /// kIo.
  [[nodiscard]] Result<void> Finish(DatasetFacts& facts, const std::string& index_path);

  [[nodiscard]] const std::vector<ShardRow>& pieces() const { return shards_; }

  /// Returns the number of blocks, which is that of the last one.
  [[nodiscard]] uint64_t blocks() const { return blocks_; }

  /// Bad records and damage of the shards that are there; numbered by piece.
  [[nodiscard]] const std::vector<BadRow>& bad() const { return bad_; }
  [[nodiscard]] const std::vector<DamageRow>& damage() const { return damage_; }

  /// Features, available after Finish, and the number of those that have no column because there are too many.
  [[nodiscard]] const std::vector<FeatureRow>& features() const { return features_; }
  [[nodiscard]] uint64_t without_column() const { return without_column_; }

 private:
  IndexWriter(CatalogWriter catalog, std::optional<OffsetMapWriter> map, ColumnChoice columns)
      : catalog_(std::move(catalog)),
        map_(std::move(map)),
        columns_(columns.Text()),
        derive_(columns.derived.Text()),
        table_(std::move(columns)) {}

  [[nodiscard]] Result<void> AddRow(BlockRow& row);
  [[nodiscard]] Result<void> AddColumns(BlockColumns columns);
  [[nodiscard]] Result<void> AddChunk(ChunkRow chunk, uint32_t feature);
  [[nodiscard]] Result<void> EndBlock(const BlockRow& row, const std::vector<uint32_t>& bad);
  [[nodiscard]] Result<void> FinishFeatures(DatasetFacts& facts);

  CatalogWriter catalog_;
  std::optional<OffsetMapWriter> map_;
  DatasetId id_;
  std::string columns_;  // as the user chose them
  std::string derive_;   // likewise
  FeatureTable table_;
  FeatureTotals totals_;  // of the shard, by the numbers that the table gave
  std::vector<FeatureRow> features_;
  uint64_t without_column_ = 0;
  bool dropped_ = false;
  uint64_t blocks_ = 0;
  uint64_t ordinals_ = 0;
  uint64_t shard_end_ = 0;  // of the shard's last block
  std::vector<ShardRow> shards_;
  std::vector<BadRow> bad_;
  std::vector<DamageRow> damage_;
};

}  // namespace ofindex

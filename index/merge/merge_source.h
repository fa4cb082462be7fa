#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/attachments/carried_columns.h"
#include "index/build/index_writer.h"
#include "index/catalog/block_cursor.h"
#include "index/catalog/catalog_reader.h"
#include "index/scan/block_queue.h"

namespace ofindex {

/// An index or a part whose shards are copied into another index, one by one. Keeps its shards, damage and bad records
/// in memory, and reads each block once. Moves, does not copy; not thread-safe.
class MergeSource {
 public:
  /// Opens the index at `path`, and compares its rows with their checksums, except blobs, which are checked as they are
  /// copied. Keeps the file open until Rest(). Errors: kNotFound, kIndex, kIo; kStale if it is rewritten meanwhile.
  [[nodiscard]] static Result<MergeSource> Open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const DatasetFacts& facts() const { return facts_; }
  [[nodiscard]] const std::vector<ShardRow>& shards() const { return shards_; }  ///< all pieces, gone ones too
  [[nodiscard]] const std::vector<AbsenceRow>& absences() const { return absences_; }
  [[nodiscard]] const std::vector<GenerationRow>& generations() const { return generations_; }
  [[nodiscard]] const std::vector<DamageRow>& damage() const { return damage_; }

  /// Returns where the last record of each piece ends, in bytes of its shard; 0 for one without records.
  [[nodiscard]] const std::vector<uint64_t>& ends() const { return ends_; }

  /// Returns the columns that are attached to its records; null if there are none.
  [[nodiscard]] const std::shared_ptr<const AttachmentFile>& attached() const { return attached_; }

  /// Adds these columns to `sources`, with the blocks that were copied; nothing if there are none.
  void AddCarriedTo(std::vector<CarriedSource>& sources) const {
    if (attached_) sources.push_back({attached_, copied_blocks_});
  }

  /// Ends what a killed update has begun with these columns, before another update. Errors: kIo.
  [[nodiscard]] Result<void> SettleAttached() const { return SettleBeside(attached_index_); }

  /// Returns the identity of the file: see IdentityOf.
  [[nodiscard]] uint64_t identity() const { return identity_; }

  /// Reads the features, by number. Errors: kIndex, kStale, kIo.
  [[nodiscard]] Result<std::vector<FeatureRow>> ReadFeatures();

  /// Reads the files that were skipped. Errors: kIndex, kStale, kIo.
  [[nodiscard]] Result<std::vector<SkippedFile>> ReadSkipped();

  /// Adds the features to `writer`, before the first shard is copied; calls after the first do nothing. Errors: kIndex,
  /// kStale, kIo.
  [[nodiscard]] Result<void> AddFeaturesTo(IndexWriter& writer);

  /// Adds the blocks of `shard` to the shard that `writer` has begun, and to `findings` what was found besides. Fastest
  /// if the shards are copied in order. Counts records in `progress`. Errors: kIndex, kStale, kIo, kInterrupted.
  [[nodiscard]] Result<void> CopyShard(uint32_t shard, IndexWriter& writer, ShardFindings& findings,
                                       Progress& progress);

  /// Closes the file, and frees the memory of the connection; the next copy opens it again.
  void Rest();

 private:
  explicit MergeSource(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] Result<void> Connect();
  [[nodiscard]] Result<void> ReadTables();
  [[nodiscard]] Result<void> OpenAttached(const std::vector<BlockRow>& blocks);
  [[nodiscard]] Result<void> CopyBlocks(uint32_t shard, IndexWriter& writer, Progress& progress);
  [[nodiscard]] std::vector<uint32_t> BadOf(const BlockRow& block) const;

  std::string path_;
  uint64_t identity_ = 0;
  std::unique_ptr<CatalogReader> catalog_;
  std::optional<BlockCursor> cursor_;  // over the catalog
  BlockCursor::Position position_;     // after the blocks that were copied last

  DatasetFacts facts_;
  std::vector<ShardRow> shards_;
  std::vector<AbsenceRow> absences_;
  std::vector<GenerationRow> generations_;
  std::vector<uint64_t> ends_;
  std::vector<uint64_t> first_blocks_;  // the number of blocks before each shard
  std::vector<DamageRow> damage_;
  std::vector<BadRow> bad_;
  std::optional<IndexWriter::CopiedFeatures> copied_;
  AttachedIndex attached_index_;
  std::shared_ptr<const AttachmentFile> attached_;
  std::vector<CopiedBlock> copied_blocks_;
};

}  // namespace ofindex

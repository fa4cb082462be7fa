#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/attachments/attachment_file.h"
#include "index/attachments/attachments_beside.h"
#include "index/catalog/shared_catalog.h"
#include "query/columns/chunks/column_source.h"

namespace ofindex {

using AttachmentFiles = std::vector<std::shared_ptr<const AttachmentFile>>;

/// Opens the files of columns that are attached to the records of `index`: that next to it, if there is one, and
/// `others`, which are laid over it. Errors: kStale if the columns of a file are not those of these records; kIndex,
/// kIo.
[[nodiscard]] Result<AttachmentFiles> OpenAttachments(const IndexFile& index, SharedCatalog& catalog,
                                                      const std::vector<std::string>& others);

/// Returns what attached columns depend on. Errors: kIndex, kStale.
[[nodiscard]] Result<AttachedIndex> AttachedIndexOf(const IndexFile& index, SharedCatalog& catalog);

/// The columns of an index, and after them those that are attached to its records: features with one column each, whose
/// values are not in the records. So everything that reads columns reads them without knowing. As thread-safe as the
/// source below it.
class AttachedColumns final : public ColumnSource {
 public:
  /// Lays the columns of `files`, which belong to these records, over `index`. Returns `index` itself if there are
  /// none. Errors: kStale if a column has the name of one of the index; kUsage if two files have a column of one name.
  [[nodiscard]] static Result<std::unique_ptr<ColumnSource>> Over(std::unique_ptr<ColumnSource> index,
                                                                  AttachmentFiles files);

  const std::vector<ShardRow>& shards() const override { return index_->shards(); }
  const std::vector<BlockMetadata>& blocks() const override { return index_->blocks(); }
  const std::vector<FeatureRow>& features() const override { return features_; }
  uint64_t ordinals() const override { return index_->ordinals(); }

  Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature, ColumnRole role) override;
  Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t block) override;

  Result<std::vector<PackedOffsets::Extent>> Places(uint64_t block) override { return index_->Places(block); }
  bool has_hashes() const override { return index_->has_hashes(); }
  Result<std::vector<uint8_t>> HashData(uint64_t block) override { return index_->HashData(block); }

 private:
  struct Attached {
    const AttachmentFile* file;
    const AttachedColumn* column;
    std::vector<const AttachedChunk*> chunks;  // by block that is there; null: no record has a value
  };

  AttachedColumns(std::unique_ptr<ColumnSource> index, AttachmentFiles files);

  void Add(const AttachmentFile& file, const AttachedColumn& column);

  std::unique_ptr<ColumnSource> index_;
  AttachmentFiles files_;
  std::vector<FeatureRow> features_;  // of the index, then of the attached columns
  size_t own_;                        // number of those of the index
  std::vector<Attached> attached_;
};

}  // namespace ofindex

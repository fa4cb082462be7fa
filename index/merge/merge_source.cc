#include "index/merge/merge_source.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {
namespace {

bool ByShard(const DamageRow& a, const DamageRow& b) { return a.shard < b.shard; }

}  // namespace

Result<MergeSource> MergeSource::Open(const std::string& path) {
  MergeSource source(path);
  OFINDEX_TRY(source.ReadTables());
  return source;
}

Result<void> MergeSource::Connect() {
  if (catalog_) return {};
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(path_));
  if (identity_ != 0 && file->identity() != identity_) return ReplacedIndex(path_);
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::OpenAny(file));
  identity_ = file->identity();
  catalog_ = std::make_unique<CatalogReader>(std::move(catalog));
  return {};
}

Result<void> MergeSource::ReadTables() {
  OFINDEX_TRY(Connect());
  OFINDEX_TRY(catalog_->CheckRows(CatalogReader::Blobs::kUnchecked));
  facts_ = catalog_->facts();
  OFINDEX_ASSIGN(shards_, catalog_->Pieces());
  OFINDEX_ASSIGN(absences_, catalog_->Absences());
  OFINDEX_ASSIGN(generations_, catalog_->Generations());
  OFINDEX_ASSIGN(const std::vector<BlockRow> blocks, catalog_->ReadBlockMetadata());
  for (uint64_t block = 0, shard = 0; shard < shards_.size(); ++shard) {
    while (block < blocks.size() && blocks[block].shard < shard) ++block;
    first_blocks_.push_back(block);
  }
  ends_.resize(shards_.size());
  for (const BlockRow& block : blocks) ends_[block.shard] = block.end;
  attached_index_ = {.path = path_, .shown = path_, .generations = {}, .blocks = {}};
  if (!facts_.part && MayHaveAttachments(path_)) OFINDEX_TRY(OpenAttached(blocks));
  OFINDEX_ASSIGN(damage_, catalog_->Damage(CatalogReader::Which::kAll));
  OFINDEX_ASSIGN(bad_, catalog_->Bad(CatalogReader::Which::kAll));
  if (std::is_sorted(damage_.begin(), damage_.end(), ByShard)) return {};
  return DamagedIndex(path_, "the rows of table damage are not in the order of the shards");
}

Result<void> MergeSource::OpenAttached(const std::vector<BlockRow>& blocks) {
  attached_index_.generations = generations_;
  for (const BlockRow& block : blocks) attached_index_.blocks.push_back({block.first_record, block.records});
  OFINDEX_ASSIGN(attached_, OpenBeside(attached_index_));
  return {};
}

void MergeSource::Rest() {
  cursor_.reset();
  catalog_.reset();
}

Result<std::vector<SkippedFile>> MergeSource::ReadSkipped() {
  OFINDEX_TRY(Connect());
  return catalog_->Skipped();
}

Result<std::vector<FeatureRow>> MergeSource::ReadFeatures() {
  OFINDEX_TRY(Connect());
  return catalog_->Features();
}

Result<void> MergeSource::AddFeaturesTo(IndexWriter& writer) {
  if (copied_) return {};
  OFINDEX_TRY(Connect());
  OFINDEX_ASSIGN(const std::vector<FeatureRow> features, catalog_->Features());
  copied_ = writer.AddFeatures(features, facts_);
  return {};
}

std::vector<uint32_t> MergeSource::BadOf(const BlockRow& block) const {
  std::vector<uint32_t> bad;
  auto row = std::lower_bound(bad_.begin(), bad_.end(), block.first_record,
                              [](const BadRow& each, uint64_t record) { return each.record < record; });
  for (; row != bad_.end() && row->record - block.first_record < block.records; ++row) {
    bad.push_back(BadEntry(static_cast<uint32_t>(row->record - block.first_record), row->reason));
  }
  return bad;
}

Result<void> MergeSource::CopyBlocks(uint32_t shard, IndexWriter& writer, Progress& progress) {
  if (position_.block != first_blocks_[shard]) {
    cursor_.reset();
    OFINDEX_ASSIGN(position_, catalog_->PositionAfter(first_blocks_[shard]));
  }
  if (!cursor_) {
    OFINDEX_ASSIGN(cursor_, catalog_->BlocksAfter(position_));
  }
  BlockRow block;
  std::vector<ChunkRow> chunks;
  for (uint64_t left = shards_[shard].records; left != 0; left -= block.records) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const bool is_block, cursor_->Next(block, chunks));
    if (!is_block || block.shard != shard || block.records > left) {
      return DamagedIndex(path_, "the blocks are not those of the shards");
    }
    for (const ChunkRow& chunk : chunks) {
      if (chunk.feature < copied_->names.size()) continue;
      return DamagedIndex(path_, StrCat("a chunk is of feature ", chunk.feature, ", which it does not have"));
    }
    position_ = cursor_->position();
    std::vector<uint32_t> bad = BadOf(block);
    OFINDEX_TRY(writer.CopyBlock(block, std::move(chunks), *copied_, std::move(bad)));
    if (attached_) copied_blocks_.push_back({.from = position_.block, .to = writer.blocks()});
    progress.records_done.fetch_add(block.records, std::memory_order_relaxed);
  }
  return {};
}

Result<void> MergeSource::CopyShard(uint32_t shard, IndexWriter& writer, ShardFindings& findings, Progress& progress) {
  OFINDEX_TRY(AddFeaturesTo(writer));
  OFINDEX_TRY(Connect());
  if (shards_[shard].records != 0) OFINDEX_TRY(CopyBlocks(shard, writer, progress));
  OFINDEX_ASSIGN(const FeatureTotals totals, catalog_->TotalsOf(shards_[shard], shard));
  if (!totals.empty() && totals.rbegin()->first >= copied_->names.size()) {
    return DamagedIndex(
        path_, StrCat("shard ", shard, " has totals of feature ", totals.rbegin()->first, ", which it does not have"));
  }
  writer.CopyTotals(totals, *copied_);
  const auto [damage, end] =
      std::equal_range(damage_.begin(), damage_.end(), DamageRow{.shard = shard, .range = {}}, ByShard);
  for (auto row = damage; row != end; ++row) findings.damage.push_back(row->range);
  if (shards_[shard].compression == Compression::kNone) return {};
  findings.stream.inflated_bytes = shards_[shard].inflated_bytes;
  const auto add = [&](const CheckpointRow& row) -> Result<void> {
    findings.stream.checkpoints.push_back({.position = row.position, .bit = row.bit, .stored = row.window});
    return {};
  };
  return catalog_->ForEachCheckpoint(shard, add, CatalogReader::Which::kAll);
}

}  // namespace ofindex

#include "index/catalog/block_cursor.h"

#include <limits>
#include <set>
#include <utility>

#include "base/text.h"
#include "index/catalog/catalog.h"
#include "index/catalog/row_checksums.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
namespace {

// Returns the chunk in a row; nullopt if it is none.
std::optional<ChunkRow> ChunkOf(const sqlite::Statement& row) {
  const std::optional<ColumnRole> role = ParseColumnRole(row.Text(2));
  if (!role || !Fits32(row.Int(1)) || row.Int(3) < 1 || !Fits32(row.Int(4)) || !Fits32(row.Int(5)) ||
      row.Int(5) > row.Int(4)) {
    return std::nullopt;
  }
  return ChunkRow{.feature = static_cast<uint32_t>(row.Int(1)),
                  .role = *role,
                  .block = row.Unsigned(3),
                  .nulls = static_cast<uint32_t>(row.Int(4)),
                  .nans = static_cast<uint32_t>(row.Int(5)),
                  .min = row.Value(6),
                  .max = row.Value(7),
                  .data = Copied(row.Blob(9))};
}

}  // namespace

BlockRow BlockMetadataOf(const sqlite::Statement& row) {
  for (const int column : {2, 4, 5}) {
    if (row.Int(column) < 0) return {};
  }
  if (!Fits32(row.Int(1)) || !Fits32(row.Int(3))) return {};
  return {.shard = static_cast<uint32_t>(row.Int(1)),
          .first_record = row.Unsigned(2),
          .records = static_cast<uint32_t>(row.Int(3)),
          .begin = row.Unsigned(4),
          .end = row.Unsigned(5)};
}

// Steps to the next chunk unless one is waiting. Returns false after the last.
Result<bool> BlockCursor::StepChunk() {
  if (has_chunk_ || no_chunks_) return has_chunk_;
  OFINDEX_ASSIGN(has_chunk_, chunks_.Next());
  no_chunks_ = !has_chunk_;
  return has_chunk_;
}

Result<bool> BlockCursor::Next(BlockRow& row, std::vector<ChunkRow>& chunks) {
  chunks.clear();
  RowHash hash;
  OFINDEX_ASSIGN(const bool is_row, blocks_.Next());
  if (!is_row) {
    OFINDEX_ASSIGN(const bool is_left, StepChunk());
    if (is_left) return DamagedIndex(path_, StrCat("chunk ", chunks_.Int(0), " is of no block"));
    return false;
  }
  row = BlockMetadataOf(blocks_);
  row.offsets = Copied(blocks_.Blob(7));
  row.hashes = Copied(blocks_.Blob(8));
  position_.block = blocks_.Unsigned(0);
  const bool hashes_fit = row.hashes.empty() || row.hashes.size() == uint64_t{row.records} * 8;
  if (row.records == 0 || row.records > kBlockRecords || !hashes_fit || !block_shape_->RowHolds(blocks_, hash) ||
      !PackedOffsets::Sound(row.offsets, row.records)) {
    return DamagedIndex(path_, StrCat("row ", blocks_.Int(0), " of table block"));
  }
  std::set<std::pair<uint32_t, ColumnRole>> seen;
  for (;;) {
    OFINDEX_ASSIGN(const bool is_chunk, StepChunk());
    if (!is_chunk || chunks_.Unsigned(3) > position_.block) return true;
    std::optional<ChunkRow> chunk = ChunkOf(chunks_);
    if (!chunk || chunk->block != position_.block || !chunk_shape_->RowHolds(chunks_, hash)) {
      return DamagedIndex(path_, StrCat("row ", chunks_.Int(0), " of table chunk"));
    }
    if (!seen.emplace(chunk->feature, chunk->role).second) {
      return DamagedIndex(path_,
                          StrCat("row ", chunks_.Int(0), " of table chunk is of a column that the block has twice"));
    }
    position_.chunk = chunks_.Unsigned(0);
    chunks.push_back(std::move(*chunk));
    has_chunk_ = false;
  }
}

}  // namespace ofindex

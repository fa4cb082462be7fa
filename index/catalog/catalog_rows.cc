#include <algorithm>
#include <utility>

#include "base/framing.h"
#include "base/text.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/shard_files.h"
#include "mmap/offsets/packed_offsets.h"

// The part of CatalogReader that reads blocks, damage and checkpoints. Checksums detect changed rows; values are
// validated anyway, because whoever forges a row can forge its checksum.

namespace ofindex {
namespace {

std::optional<DamageReason> ParseDamageReason(std::string_view name) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(kLastDamageReason); ++i) {
    if (name == Name(static_cast<DamageReason>(i))) return static_cast<DamageReason>(i);
  }
  return std::nullopt;
}

CheckpointRow CheckpointOf(const sqlite::Statement& row, uint32_t shard) {
  return {.shard = shard, .position = row.Unsigned(1), .bit = row.Unsigned(2), .window = Copied(row.Blob(3))};
}

BlockRow BlockOf(const sqlite::Statement& row) {
  BlockRow block = BlockMetadataOf(row);
  block.offsets = Copied(row.Blob(7));
  block.hashes = Copied(row.Blob(8));
  return block;
}

// Follows the blocks of an index, and checks that each is a valid successor.
class BlocksInOrder {
 public:
  explicit BlocksInOrder(const std::vector<ShardRow>& shards) : shards_(shards) {}

  bool Take(const BlockRow& block) {
    if (block.shard >= shards_.size() || block.shard < shard_) return false;
    if (block.shard > shard_ && !EndShardsBefore(block.shard)) return false;
    const ShardRow& shard = shards_[block.shard];
    const uint64_t framing = FramingBytes(shard.framing) * block.records;
    if (block.first_record != records_ || block.records < 1 || block.records > kBlockRecords || block.begin < end_ ||
        block.begin < shard.begin || block.end < block.begin || block.end > shard.readable_bytes() ||
        block.end - block.begin < framing) {
      return false;
    }
    records_ += block.records;
    payload_bytes_ += block.end - block.begin - framing;
    end_ = block.end;
    return true;
  }

  // Returns true if the blocks of all shards were seen.
  bool End() { return EndShardsBefore(shards_.size()); }

 private:
  bool EndShardsBefore(size_t shard) {
    for (; shard_ < shard; ++shard_) {
      const ShardRow& ended = shards_[shard_];
      if (records_ != ended.first_record + ended.records || payload_bytes_ != ended.payload_bytes) return false;
      payload_bytes_ = 0;
      end_ = 0;
    }
    return true;
  }

  const std::vector<ShardRow>& shards_;
  size_t shard_ = 0;
  uint64_t records_ = 0;
  uint64_t payload_bytes_ = 0;  // of this shard, so far
  uint64_t end_ = 0;            // of the previous block in this shard
};

}  // namespace

Result<std::vector<DamageRow>> CatalogReader::Damage(Which which) {
  OFINDEX_ASSIGN(const std::vector<uint32_t> numbers, Numbers(which));
  OFINDEX_ASSIGN(CheckedRows rows, Rows("damage"));
  std::vector<DamageRow> damage;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    const std::optional<DamageReason> reason = ParseDamageReason(rows->Text(4));
    if (!reason) return Inconsistent("an unknown reason for damage");
    DamagedRange range{rows->Unsigned(2), rows->Unsigned(3), *reason};
    if (const auto file_begin = rows->UnsignedOrNull(5)) range.file = {*file_begin, rows->Unsigned(6)};
    if (!rows.AreNonNegative({1, 2, 3, 5, 6}) || rows->Unsigned(1) >= shards_ || range.begin > range.end) {
      return Inconsistent(StrCat("row ", rows->Int(0), " of table damage lies in no shard"));
    }
    const uint32_t number = numbers[rows->Unsigned(1)];
    if (number != ShardFiles::kGone) damage.push_back({number, range});
  }
  if (which == Which::kAll) return damage;
  std::stable_sort(damage.begin(), damage.end(),
                   [](const DamageRow& a, const DamageRow& b) { return a.shard < b.shard; });
  return damage;
}

Result<std::vector<BadRow>> CatalogReader::Bad(Which which) {
  OFINDEX_ASSIGN(const std::vector<uint32_t> numbers, Numbers(which));
  OFINDEX_ASSIGN(CheckedRows rows, Rows("bad"));
  std::vector<BadRow> bad;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return bad;
    const std::optional<BadReason> reason = ParseBadReason(rows->Text(3));
    if (!reason) return Inconsistent("an unknown reason for a bad record");
    if (!rows.AreNonNegative({0, 1, 2}) || rows->Unsigned(0) >= facts_.ordinals || rows->Unsigned(1) >= shards_) {
      return Inconsistent(StrCat("bad record ", rows->Int(0), " is not in the dataset"));
    }
    const uint32_t number = numbers[rows->Unsigned(1)];
    if (number != ShardFiles::kGone) bad.push_back({rows->Unsigned(0), number, rows->Unsigned(2), *reason});
  }
}

Result<std::vector<SkippedFile>> CatalogReader::Skipped() {
  OFINDEX_ASSIGN(CheckedRows rows, Rows("skipped"));
  std::vector<SkippedFile> skipped;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    const std::optional<SkippedFile::Kind> kind = ParseSkippedKind(rows->Text(3));
    if (!kind) return Inconsistent("an unknown kind of skipped file");
    SkippedFile file{.path = std::string(rows->Text(1)), .reason = std::string(rows->Text(2)), .kind = *kind};
    if (const auto size = rows->UnsignedOrNull(4)) {
      file.state = FileState{*size, rows->Int(5), rows->Int(6), rows->Unsigned(7)};
    }
    skipped.push_back(std::move(file));
  }
  if (skipped.size() <= facts_.skipped) return skipped;
  return Inconsistent("it has more skipped files than it counts");
}

Result<void> CatalogReader::ForEachCheckpoint(std::optional<uint32_t> shard, const VisitCheckpoint& visit,
                                              Which which) {
  if (shard && which == Which::kAll) return VisitCheckpointsOf(*shard, *shard, visit);
  if (shard && !first_pieces_.empty()) return VisitCheckpointsOf(first_pieces_[*shard], *shard, visit);
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, Pieces());
  if (which == Which::kAll) return VisitCheckpoints(pieces, visit);
  const ShardFiles files(pieces);
  first_pieces_ = files.first_pieces;
  if (shard) return VisitCheckpointsOf(first_pieces_[*shard], *shard, visit);
  // Compares all rows with the checksum of their table.
  OFINDEX_TRY(VisitCheckpoints(pieces, [](const CheckpointRow&) -> Result<void> { return {}; }));
  for (uint32_t number = 0; number < files.rows.size(); ++number) {
    if (files.rows[number].compression == Compression::kNone) continue;
    OFINDEX_TRY(VisitCheckpointsOf(files.first_pieces[number], number, visit));
  }
  return {};
}

// Visits the checkpoints of one piece, as those of shard `number`.
Result<void> CatalogReader::VisitCheckpointsOf(uint32_t piece, uint32_t number, const VisitCheckpoint& visit) {
  OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare("SELECT shard, position, bit, window FROM checkpoint "
                                                           "WHERE shard = ? ORDER BY position"));
  OFINDEX_TRY(rows.Bind(piece));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return {};
    OFINDEX_TRY(visit(CheckpointOf(rows, number)));
  }
}

// Visits all checkpoints, numbered by piece.
Result<void> CatalogReader::VisitCheckpoints(const std::vector<ShardRow>& pieces, const VisitCheckpoint& visit) {
  OFINDEX_ASSIGN(CheckedRows rows, Rows("checkpoint", true));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return {};
    if (!rows.AreNonNegative({0, 1, 2}) || rows->Unsigned(0) >= pieces.size() ||
        pieces[rows->Unsigned(0)].compression == Compression::kNone) {
      return Inconsistent("a checkpoint of a shard that is not compressed");
    }
    OFINDEX_TRY(visit(CheckpointOf(*rows.operator->(), static_cast<uint32_t>(rows->Int(0)))));
  }
}

Result<void> CatalogReader::ForEachBlock(const VisitBlock& visit, Which which) {
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, Pieces());
  if (which == Which::kAll) return VisitBlocks(pieces, visit);
  const ShardFiles files(pieces);
  return VisitBlocks(pieces, [&](const BlockRow& block) -> Result<void> {
    const uint32_t number = files.numbers[block.shard];
    if (number == ShardFiles::kGone) return {};
    if (number == block.shard) return visit(block);
    BlockRow numbered = block;
    numbered.shard = number;
    return visit(numbered);
  });
}

// Pieces of a shard that has grown are not adjacent, nor are pieces in natural order after an update.
Result<void> CatalogReader::ForEachBlockByShard(const VisitBlock& visit) {
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, Pieces());
  const ShardFiles files(pieces);
  bool in_order = true;
  for (uint32_t i = 0; i < pieces.size(); ++i) in_order = in_order && files.numbers[i] == i;
  if (in_order) return ForEachBlock(visit);
  struct Range {
    uint64_t first = 0;
    uint64_t last = 0;
  };
  std::vector<Range> ranges(pieces.size());  // of the blocks of each piece; the rows are compared with their checksum
  uint64_t number = 0;
  OFINDEX_TRY(VisitBlocks(pieces, [&](const BlockRow& block) -> Result<void> {
    Range& range = ranges[block.shard];
    range.last = ++number;
    if (range.first == 0) range.first = number;
    return {};
  }));
  std::vector<std::vector<uint32_t>> pieces_of(files.rows.size());
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    if (files.numbers[i] != ShardFiles::kGone && ranges[i].first != 0) pieces_of[files.numbers[i]].push_back(i);
  }
  database_.RenewBudget();
  const TableShape& shape = shapes_.find("block")->second;
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare(StrCat(shape.Select(true), " WHERE block BETWEEN ? AND ? ORDER BY block")));
  for (uint32_t shard = 0; shard < pieces_of.size(); ++shard) {
    for (const uint32_t piece : pieces_of[shard]) {
      OFINDEX_TRY(rows.Bind(ranges[piece].first, ranges[piece].last));
      for (;;) {
        OFINDEX_ASSIGN(const bool row, rows.Next());
        if (!row) break;
        BlockRow block = BlockOf(rows);
        block.shard = shard;
        OFINDEX_TRY(visit(block));
      }
    }
  }
  return {};
}

// Visits all blocks, numbered by piece.
Result<void> CatalogReader::VisitBlocks(const std::vector<ShardRow>& pieces, const VisitBlock& visit) {
  OFINDEX_ASSIGN(CheckedRows rows, Rows("block", true));
  BlocksInOrder order(pieces);
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    const BlockRow block = BlockOf(*rows.operator->());
    const bool hashes_fit = block.hashes.empty() || block.hashes.size() == uint64_t{block.records} * 8;
    if (!order.Take(block) || !PackedOffsets::Sound(block.offsets, block.records) || !hashes_fit) {
      return Inconsistent(StrCat("the block at record ", rows->Int(2), " does not follow the one before it"));
    }
    OFINDEX_TRY(visit(block));
  }
  if (!order.End()) return Inconsistent("its blocks do not add up to its shards");
  return {};
}

Result<std::vector<BlockRow>> CatalogReader::ReadBlockMetadata() {
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, Pieces());
  OFINDEX_ASSIGN(CheckedRows rows, Rows("block"));
  BlocksInOrder order(pieces);
  std::vector<BlockRow> blocks;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    blocks.push_back(BlockMetadataOf(*rows.operator->()));
    if (!order.Take(blocks.back())) {
      return Inconsistent(StrCat("the block at record ", rows->Int(2), " does not follow the one before it"));
    }
  }
  if (!order.End()) return Inconsistent("its blocks do not add up to its shards");
  return blocks;
}

// Chunks are in the order of their blocks, but the table has no index by block: this is a binary search by their
// numbers.
Result<BlockCursor::Position> CatalogReader::PositionAfter(uint64_t block) {
  database_.RenewBudget();
  OFINDEX_ASSIGN(sqlite::Statement last, database_.Prepare("SELECT max(chunk) FROM chunk"));
  OFINDEX_ASSIGN(const bool row, last.Next());
  uint64_t low = 0;                            // chunks up to here are of blocks up to `block`
  uint64_t high = row ? last.Unsigned(0) : 0;  // chunks past it are not
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    OFINDEX_ASSIGN(sqlite::Statement next, database_.Prepare("SELECT chunk, block FROM chunk WHERE chunk > ? LIMIT 1"));
    OFINDEX_TRY(next.Bind(middle));
    OFINDEX_ASSIGN(const bool is_chunk, next.Next());
    const bool before = is_chunk && next.Unsigned(1) <= block;
    if (before && (next.Unsigned(0) <= middle || next.Unsigned(0) > high))
      return Inconsistent("the order of its chunks");
    before ? low = next.Unsigned(0) : high = middle;
  }
  return BlockCursor::Position{.block = block, .chunk = low};
}

Result<BlockCursor> CatalogReader::BlocksAfter(const BlockCursor::Position& after) {
  database_.RenewBudget();
  const TableShape& block_shape = shapes_.find("block")->second;
  const TableShape& chunk_shape = shapes_.find("chunk")->second;
  OFINDEX_ASSIGN(sqlite::Statement blocks,
                 database_.Prepare(StrCat(block_shape.Select(true), " WHERE block > ? ORDER BY block")));
  OFINDEX_ASSIGN(sqlite::Statement chunks,
                 database_.Prepare(StrCat(chunk_shape.Select(true), " WHERE chunk > ? ORDER BY chunk")));
  OFINDEX_TRY(blocks.Bind(after.block));
  OFINDEX_TRY(chunks.Bind(after.chunk));
  return BlockCursor(std::move(blocks), std::move(chunks), block_shape, chunk_shape, path(), after);
}

}  // namespace ofindex

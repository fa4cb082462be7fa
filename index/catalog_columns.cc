#include <limits>
#include <utility>

#include "base/text.h"
#include "index/catalog_reader.h"
#include "mmap/packed_offsets.h"

// The part of CatalogReader that reads features and their columns.

namespace ofindex {
namespace {

std::vector<uint8_t> Copied(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

std::optional<ColumnRole> ParseRole(std::string_view name) {
  for (ColumnRole role : {ColumnRole::kValue, ColumnRole::kCount, ColumnRole::kSize, ColumnRole::kList}) {
    if (name == Name(role)) return role;
  }
  return std::nullopt;
}

// False for what no 32 bits hold, and for less than nothing.
bool Fits32(int64_t value) { return value >= 0 && value <= std::numeric_limits<uint32_t>::max(); }

}  // namespace

Result<std::vector<FeatureRow>> CatalogReader::Features() {
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare("SELECT name, kinds, present, \"values\", values_min, values_max, single, "
                                   "largest_bytes, whole, value_column, count_column, size_column, type, sketch, "
                                   "feature FROM feature ORDER BY feature"));
  std::vector<FeatureRow> features;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return features;
    const std::optional<uint8_t> kinds = ParseKinds(rows.Text(1));
    if (!kinds || rows.Unsigned(14) != features.size() || !Fits32(rows.Int(4)) || !Fits32(rows.Int(5))) {
      return NoSense(StrCat("the row of feature ", features.size()));
    }
    features.push_back({.feature = static_cast<uint32_t>(features.size()),
                        .name = rows.Value(0).bytes,
                        .kinds = *kinds,
                        .present = rows.Unsigned(2),
                        .values = rows.Unsigned(3),
                        .values_min = static_cast<uint32_t>(rows.Int(4)),
                        .values_max = static_cast<uint32_t>(rows.Int(5)),
                        .largest_bytes = rows.Unsigned(7),
                        .single = rows.Unsigned(6),
                        .type = std::string(rows.Text(12)),
                        .sql_value = std::string(rows.Text(9)),
                        .sql_count = std::string(rows.Text(10)),
                        .sql_size = std::string(rows.Text(11)),
                        .whole = rows.Int(8) != 0,
                        .sketch = Copied(rows.Blob(13))});
  }
}

Result<void> CatalogReader::ForEachChunk(const VisitChunk& visit) {
  OFINDEX_ASSIGN(
      sqlite::Statement rows,
      database_.Prepare("SELECT feature, role, block, nulls, nans, min, max, data FROM chunk ORDER BY chunk"));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return {};
    const std::optional<ColumnRole> role = ParseRole(rows.Text(1));
    if (!role || !Fits32(rows.Int(0)) || !Fits32(rows.Int(3)) || !Fits32(rows.Int(4))) return NoSense("a chunk");
    OFINDEX_TRY(visit({.feature = static_cast<uint32_t>(rows.Int(0)),
                       .role = *role,
                       .block = rows.Unsigned(2),
                       .nulls = static_cast<uint32_t>(rows.Int(3)),
                       .nans = static_cast<uint32_t>(rows.Int(4)),
                       .min = rows.Value(5),
                       .max = rows.Value(6),
                       .data = Copied(rows.Blob(7))}));
  }
}

Result<std::vector<ChunkRow>> CatalogReader::ChunkHeads(uint32_t feature, ColumnRole role) {
  database_.RenewBudget();
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare("SELECT block, nulls, nans, min, max FROM chunk WHERE feature = ? AND role = ? "
                                   "ORDER BY block"));
  OFINDEX_TRY(rows.Bind(feature, Name(role)));
  std::vector<ChunkRow> heads;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return heads;
    if (!Fits32(rows.Int(1)) || !Fits32(rows.Int(2))) return NoSense("a chunk");
    heads.push_back({.feature = feature,
                     .role = role,
                     .block = rows.Unsigned(0),
                     .nulls = static_cast<uint32_t>(rows.Int(1)),
                     .nans = static_cast<uint32_t>(rows.Int(2)),
                     .min = rows.Value(3),
                     .max = rows.Value(4),
                     .data = {}});
  }
}

Result<std::vector<uint8_t>> CatalogReader::ChunkData(uint32_t feature, ColumnRole role, uint64_t block) {
  database_.RenewBudget();
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare("SELECT data FROM chunk WHERE feature = ? AND role = ? AND block = ?"));
  OFINDEX_TRY(rows.Bind(feature, Name(role), block));
  OFINDEX_ASSIGN(const bool row, rows.Next());
  if (!row) return NoSense(StrCat("no chunk of feature ", feature, " in block ", block));
  return Copied(rows.Blob(0));
}

Result<std::vector<BlockRow>> CatalogReader::BlockHeads() {
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare("SELECT shard, first_record, records FROM block ORDER BY block"));
  std::vector<BlockRow> blocks;
  uint64_t records = 0;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    if (rows.Unsigned(1) != records || rows.Int(2) < 1 || rows.Int(2) > int64_t{kBlockRecords} ||
        !Fits32(rows.Int(0))) {
      return NoSense(StrCat("the block at record ", records));
    }
    blocks.push_back({.shard = static_cast<uint32_t>(rows.Int(0)),
                      .first_record = records,
                      .records = static_cast<uint32_t>(rows.Int(2))});
    records += blocks.back().records;
  }
  if (records != facts_.records) return NoSense("its blocks do not add up to its records");
  return blocks;
}

}  // namespace ofindex

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/text.h"
#include "index/catalog/block_cursor.h"
#include "index/catalog/catalog_reader.h"
#include "index/columns/derivations.h"

// The part of CatalogReader that reads features and their columns.

namespace ofindex {

Result<std::vector<FeatureRow>> CatalogReader::Features() {
  OFINDEX_ASSIGN(CheckedRows rows, Rows("feature"));
  const Derivations derivations = Derivations::ParseText(facts_.derive).value_or(Derivations());
  std::vector<FeatureRow> features;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return features;
    const std::optional<uint8_t> kinds = ParseKinds(rows->Text(2));
    const auto in_range = [&](int column) {
      return rows->Int(column) >= 0 && rows->Unsigned(column) <= facts_.records;
    };
    if (!kinds || rows->Unsigned(0) != features.size() || !Fits32(rows->Int(5)) || !Fits32(rows->Int(6)) ||
        !in_range(3) || !in_range(7) || rows->Int(4) < 0 || rows->Int(8) < 0) {
      return Inconsistent(StrCat("the row of feature ", features.size()));
    }
    features.push_back({.feature = static_cast<uint32_t>(features.size()),
                        .name = rows->Value(1).bytes,
                        .kinds = *kinds,
                        .present = rows->Unsigned(3),
                        .values = rows->Unsigned(4),
                        .values_min = static_cast<uint32_t>(rows->Int(5)),
                        .values_max = static_cast<uint32_t>(rows->Int(6)),
                        .largest_bytes = rows->Unsigned(8),
                        .single = rows->Unsigned(7),
                        .type = std::string(rows->Text(13)),
                        .sql_value = std::string(rows->Text(10)),
                        .sql_count = std::string(rows->Text(11)),
                        .sql_size = std::string(rows->Text(12)),
                        .whole = rows->Int(9) != 0,
                        .sketch = Copied(rows->Blob(14))});
    derivations.SetColumns(features.back());
  }
}

Result<FeatureTotals> CatalogReader::TotalsOf(const ShardRow& row, uint32_t shard) {
  database_.RenewBudget();
  const TableShape& shape = shapes_.find("shard_feature")->second;
  OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare(StrCat(shape.Select(true), " WHERE shard = ?")));
  OFINDEX_TRY(rows.Bind(shard));
  OFINDEX_ASSIGN(const bool is_there, rows.Next());
  if (!is_there) return FeatureTotals();
  RowHash hash;
  std::optional<FeatureTotals> totals;
  if (shape.RowHolds(rows, hash)) totals = ParseTotals(rows.Blob(2), row.records);
  if (!totals) return Inconsistent(StrCat("row ", shard, " of table shard_feature"));
  return std::move(*totals);
}

Result<std::vector<ChunkRow>> CatalogReader::ReadChunkMetadata(uint32_t feature, ColumnRole role) {
  database_.RenewBudget();
  OFINDEX_ASSIGN(CheckedRows rows,
                 Rows(ChunkPart(feature, Name(role)), "chunk", false, " WHERE feature = ? AND role = ?"));
  OFINDEX_TRY(rows.Bind(feature, Name(role)));
  std::vector<ChunkRow> chunk_metadata;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return chunk_metadata;
    const uint64_t before = chunk_metadata.empty() ? 0 : chunk_metadata.back().block;
    if (rows->Int(3) < 1 || rows->Unsigned(3) <= before || !Fits32(rows->Int(4)) || !Fits32(rows->Int(5)) ||
        rows->Int(5) > rows->Int(4)) {
      return Inconsistent(StrCat("row ", rows->Int(0), " of table chunk"));
    }
    chunk_metadata.push_back({.feature = feature,
                              .role = role,
                              .block = rows->Unsigned(3),
                              .nulls = static_cast<uint32_t>(rows->Int(4)),
                              .nans = static_cast<uint32_t>(rows->Int(5)),
                              .min = rows->Value(6),
                              .max = rows->Value(7),
                              .data = {}});
  }
}

// The table's index may lead to a row of another column or block, so the row's own key is checked.
Result<std::vector<uint8_t>> CatalogReader::ChunkData(uint32_t feature, ColumnRole role, uint64_t block) {
  database_.RenewBudget();
  const std::string place = StrCat("the ", Name(role), " chunk of feature ", feature, " in block ", block);
  OFINDEX_ASSIGN(sqlite::Statement numbers,
                 database_.Prepare("SELECT chunk FROM chunk WHERE feature = ? AND role = ? AND block = ?"));
  OFINDEX_TRY(numbers.Bind(feature, Name(role), block));
  OFINDEX_ASSIGN(const bool is_there, numbers.Next());
  if (!is_there) return Inconsistent(StrCat(place, " is missing"));
  const TableShape& shape = shapes_.find("chunk")->second;
  OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare(StrCat(shape.Select(true), " WHERE chunk = ?")));
  OFINDEX_TRY(rows.Bind(numbers.Int(0)));
  OFINDEX_ASSIGN(const bool row, rows.Next());
  RowHash hash;
  const bool sound = row && rows.Int(1) == int64_t{feature} && rows.Text(2) == Name(role) &&
                     rows.Unsigned(3) == block && shape.RowHolds(rows, hash);
  if (!sound) return Inconsistent(StrCat("the checksum of ", place, " is wrong"));
  return Copied(rows.Blob(shape.covered));
}

Result<std::vector<uint8_t>> CatalogReader::HashData(uint64_t block) {
  database_.RenewBudget();
  const TableShape& shape = shapes_.find("block")->second;
  OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare(StrCat(shape.Select(true), " WHERE block = ?")));
  OFINDEX_TRY(rows.Bind(block));
  OFINDEX_ASSIGN(const bool row, rows.Next());
  RowHash hash;
  if (!row || rows.Unsigned(0) != block || !shape.RowHolds(rows, hash)) {
    return Inconsistent(StrCat("row ", block, " of table block"));
  }
  return Copied(rows.Blob(8));
}

// The rows were compared by a scan of the table; here they are read through the table's index.
Result<void> CatalogReader::CheckColumnIndex() {
  for (const auto& [part, sum] : sums_) {
    if (!part.starts_with("chunk/")) continue;
    const size_t slash = part.find('/', 6);
    uint32_t feature = 0;
    std::from_chars(part.data() + 6, part.data() + std::min(slash, part.size()), feature);
    const std::optional<ColumnRole> role =
        slash == std::string::npos ? std::nullopt : ParseColumnRole(std::string_view(part).substr(slash + 1));
    if (!role || part != ChunkPart(feature, Name(*role))) return Inconsistent(StrCat("column ", Printable(part)));
    OFINDEX_TRY(ReadChunkMetadata(feature, *role));
  }
  return {};
}

}  // namespace ofindex

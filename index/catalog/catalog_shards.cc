#include <numeric>
#include <utility>

#include "base/framing.h"
#include "base/text.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/hex_digits.h"
#include "index/catalog/shard_files.h"

// The part of CatalogReader that reads shards: their pieces, and the times for which they were missing.

namespace ofindex {
namespace {

// Returns true if a shard's row is plausible: it has a path, and its size has room for its records.
bool IsPossible(const ShardRow& shard) {
  const uint64_t framing = FramingBytes(shard.framing);
  const uint64_t bytes = shard.readable_bytes();
  return !shard.path.empty() && shard.records <= bytes / framing &&
         shard.payload_bytes <= bytes - framing * shard.records;
}

// Returns true if all that pieces of one shard have in common is the same.
bool AreOfOneFile(const ShardRow& a, const ShardRow& b) {
  return a.path == b.path && a.identity == b.identity && a.gone == b.gone && a.framing == b.framing &&
         a.payload == b.payload && a.compression == b.compression && a.inflated_bytes == b.inflated_bytes;
}

}  // namespace

Result<std::vector<AbsenceRow>> CatalogReader::Absences() {
  OFINDEX_ASSIGN(CheckedRows rows, Rows("absence"));
  std::vector<AbsenceRow> absences;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return absences;
    const AbsenceRow absence{static_cast<uint32_t>(rows->Int(1)), rows->Unsigned(2), rows->UnsignedOrNull(3)};
    // A shard is missing since an update, so not since the first generation, which is a build.
    const bool sound = rows.AreNonNegative({1, 2, 3}) && rows->Unsigned(1) < shards_ && absence.since >= 2 &&
                       absence.since <= generation_ &&
                       (!absence.until || (*absence.until > absence.since && *absence.until <= generation_));
    if (!sound) {
      return Inconsistent(StrCat("row ", rows->Int(0), " of table absence: expected one of ", shards_,
                                 " shards, and generations from 2 to ", generation_, ", got shard ", rows->Int(1),
                                 " since ", rows->Int(2), absence.until ? StrCat(" until ", rows->Int(3)) : ""));
    }
    absences.push_back(absence);
  }
}

// Marks the shards that are missing now.
Result<void> CatalogReader::TakeAbsences(std::vector<ShardRow>& shards) {
  OFINDEX_ASSIGN(const std::vector<AbsenceRow> absences, Absences());
  if (absences.empty()) return {};
  std::vector<uint64_t> until(shards.size());  // the end of the last absence of each
  for (const AbsenceRow& absence : absences) {
    ShardRow& shard = shards[absence.shard];
    if (shard.is_gone() || absence.since < until[absence.shard]) {
      return Inconsistent(StrCat("shard ", absence.shard, " is missing twice at once"));
    }
    absence.until ? until[absence.shard] = *absence.until : shard.gone = absence.since;
  }
  return {};
}

Result<std::vector<ShardRow>> CatalogReader::Shards() {
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, Pieces());
  return std::move(ShardFiles(pieces).rows);
}

Result<std::vector<ShardRow>> CatalogReader::Pieces() {
  OFINDEX_ASSIGN(std::vector<ShardRow> shards, ShardRows());
  OFINDEX_TRY(TakeAbsences(shards));
  uint64_t records = 0;
  uint64_t payload_bytes = 0;
  uint64_t data_bytes = 0;
  for (const ShardRow& shard : shards) {
    const ShardRow& first = shards[shard.file];
    if (!AreOfOneFile(first, shard))
      return Inconsistent(StrCat("a piece of shard ", shard.file, " is of another file"));
    if (shard.is_gone()) continue;
    records += shard.records;
    if (__builtin_add_overflow(payload_bytes, shard.payload_bytes, &payload_bytes) ||
        (&first == &shard && __builtin_add_overflow(data_bytes, shard.identity.size, &data_bytes))) {
      return Inconsistent("its shards have too many bytes");
    }
  }
  if (records == facts_.records && payload_bytes == facts_.payload_bytes && data_bytes == facts_.data_bytes) {
    return shards;
  }
  return Inconsistent("its shards do not add up to its totals");
}

Result<std::vector<ShardRow>> CatalogReader::ShardRows() {
  OFINDEX_ASSIGN(CheckedRows rows, Rows("shard"));
  std::vector<ShardRow> shards;
  uint64_t records = 0;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    const std::optional<Framing> framing = ParseFraming(rows->Text(2));
    const std::optional<Compression> compression = ParseCompression(rows->Text(3));
    const std::optional<PayloadKind> payload = ParsePayloadKind(rows->Text(4));
    const std::optional<uint64_t> fingerprint = FromHex(rows->Text(9));
    if (!framing || !payload || !fingerprint || !compression) {
      return Inconsistent(StrCat("shard ", shards.size(), " has an unknown format"));
    }
    ShardRow shard{.path = std::string(rows->Text(1)),
                   .framing = *framing,
                   .payload = *payload,
                   .identity = {{.size = rows->Unsigned(5),
                                 .mtime_ns = rows->Int(6),
                                 .ctime_ns = rows->Int(7),
                                 .inode = rows->Unsigned(8)},
                                *fingerprint},
                   .first_record = rows->Unsigned(12),
                   .records = rows->Unsigned(13),
                   .payload_bytes = rows->Unsigned(14),
                   .compression = *compression,
                   .inflated_bytes = rows->Unsigned(15),
                   .file = static_cast<uint32_t>(rows->Int(10)),
                   .begin = rows->Unsigned(11)};
    const bool sound = rows->Unsigned(0) == shards.size() && rows.AreNonNegative({5, 10, 11, 12, 13, 14, 15}) &&
                       rows->Unsigned(10) <= shards.size() && shard.first_record == records && IsPossible(shard) &&
                       (shard.file == shards.size() ? shard.begin == 0 : shards[shard.file].file == shard.file) &&
                       !__builtin_add_overflow(records, shard.records, &records);
    if (!sound) return Inconsistent(StrCat("shard ", shards.size(), " has an impossible row"));
    shards.push_back(std::move(shard));
  }
  if (shards.size() == shards_ && records == facts_.ordinals) return shards;
  return Inconsistent("its shards do not add up to its totals");
}

// Returns by piece the number of its shard; ShardFiles::kGone if it is not asked for.
Result<std::vector<uint32_t>> CatalogReader::Numbers(Which which) {
  if (which == Which::kThere) {
    OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, Pieces());
    return std::move(ShardFiles(pieces).numbers);
  }
  std::vector<uint32_t> numbers(shards_);
  std::iota(numbers.begin(), numbers.end(), uint32_t{0});
  return numbers;
}

}  // namespace ofindex

#include "index/catalog_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/schema.h"
#include "mmap/packed_offsets.h"

namespace ofindex {
namespace {

constexpr char kRebuildHint[] = "build the index anew with `ofindex build --force`";

std::optional<uint64_t> FromHex(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 16 || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool ParseId(std::string_view digits, Digest128& id) {
  if (digits.size() != 32) return false;
  for (size_t half = 0; half < 2; ++half) {
    const std::optional<uint64_t> value = FromHex(digits.substr(16 * half, 16));
    if (!value) return false;
    for (size_t i = 0; i < 8; ++i) id[8 * half + i] = static_cast<uint8_t>(*value >> (56 - 8 * i));
  }
  return true;
}

std::optional<DamageReason> ParseDamageReason(std::string_view name) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(kLastDamageReason); ++i) {
    if (name == Name(static_cast<DamageReason>(i))) return static_cast<DamageReason>(i);
  }
  return std::nullopt;
}

// The SQLite header of a file of ours: magic, application_id at 68, user_version at 60 (sqlite.org/fileformat.html).
Result<void> CheckHeader(const std::string& path) {
  auto file = File::OpenRead(path);
  if (!file) {
    const bool missing = !StatFile(path);
    return missing ? Fail(ErrorCode::kNotFound, StrCat(Printable(path), ": there is no index"),
                          "build it with `ofindex build DATA`")
                   : tl::unexpected(std::move(file).error());
  }
  std::array<uint8_t, 100> header{};
  OFINDEX_TRY(file->ReadAt(0, header));
  const auto big_endian = [&](size_t at) {
    return uint32_t{header[at]} << 24 | uint32_t{header[at + 1]} << 16 | uint32_t{header[at + 2]} << 8 | header[at + 3];
  };
  const bool ours = AsText(header).starts_with("SQLite format 3") && big_endian(68) == kApplicationId;
  if (!ours) {
    return Fail(ErrorCode::kIndex, StrCat(Printable(path), ": not an index of ofindex"),
                "give the index, or the DATA that it was built of");
  }
  if (big_endian(60) != kFormatVersion) {
    return Fail(
        ErrorCode::kIndex,
        StrCat(Printable(path), ": an index of another version; expected ", kFormatVersion, ", got ", big_endian(60)),
        kRebuildHint);
  }
  return {};
}

// Only tables of exactly our making are read: none with computed columns, orders or circles of their own.
Result<bool> HasOurTables(sqlite::Database& database) {
  OFINDEX_ASSIGN(sqlite::Statement rows, database.Prepare("SELECT sql FROM sqlite_schema ORDER BY rowid"));
  std::string schema = "\n";
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return schema == kSchema;
    schema += StrCat(rows.Text(0), ";\n");
  }
}

}  // namespace

tl::unexpected<Error> CatalogReader::NoSense(const std::string& what) const {
  return Fail(ErrorCode::kIndex, StrCat(Printable(path_), ": the index is damaged: ", what), kRebuildHint);
}

Result<CatalogReader> CatalogReader::Open(const std::string& path) {
  OFINDEX_TRY(CheckHeader(path));
  OFINDEX_ASSIGN(sqlite::Database database, sqlite::Database::OpenImmutable(path));
  CatalogReader reader(std::move(database), path);
  OFINDEX_ASSIGN(const bool ours, HasOurTables(reader.database_));
  if (!ours) return reader.NoSense("it has other tables than an index has");
  OFINDEX_TRY(reader.ReadFacts());
  return reader;
}

Result<void> CatalogReader::ReadFacts() {
  OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare("SELECT key, value FROM dataset"));
  std::map<std::string, std::string, std::less<>> values;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) break;
    values.emplace(rows.Text(0), rows.Text(1));
  }
  const auto number = [&](std::string_view key) {
    const auto it = values.find(key);
    uint64_t value = 0;
    if (it != values.end()) std::from_chars(it->second.data(), it->second.data() + it->second.size(), value);
    return value;
  };
  if (!ParseId(values["id"], facts_.id)) return NoSense("no id");
  const std::optional<uint64_t> rows_hash = FromHex(values["rows_hash"]);
  if (!rows_hash) return NoSense("no hash of its rows");
  facts_.rows_hash = *rows_hash;
  facts_.records = number("records");
  facts_.payload_bytes = number("payload_bytes");
  facts_.data_bytes = number("data_bytes");
  facts_.checked = values["checked"] == Name(Checked::kPayloads) ? Checked::kPayloads : Checked::kFraming;
  facts_.format = values["format"];
  facts_.payload = values["payload"];
  facts_.compression = values["compression"];
  facts_.columns = values["columns"];
  facts_.message = values["message"];
  facts_.features_dropped = number("features_dropped") != 0;
  OFINDEX_ASSIGN(sqlite::Statement sources, database_.Prepare("SELECT argument FROM source ORDER BY position"));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, sources.Next());
    if (!row) return {};
    facts_.sources.emplace_back(sources.Text(0));
  }
}

Result<std::vector<GenerationRow>> CatalogReader::Generations() {
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare("SELECT number, records, fingerprint FROM generation ORDER BY number"));
  std::vector<GenerationRow> generations;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return generations;
    generations.push_back({rows.Int(0), rows.Unsigned(1), std::string(rows.Text(2))});
  }
}

Result<std::vector<ShardRow>> CatalogReader::Shards() {
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare("SELECT path, format, payload, size, mtime_ns, fingerprint, first_record, records, "
                                   "payload_bytes, compression, inflated_bytes FROM shard ORDER BY shard"));
  std::vector<ShardRow> shards;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return shards;
    const std::optional<Framing> framing = ParseFraming(rows.Text(1));
    const std::optional<PayloadKind> payload = ParsePayloadKind(rows.Text(2));
    const std::optional<uint64_t> fingerprint = FromHex(rows.Text(5));
    const std::optional<Compression> compression = ParseCompression(rows.Text(9));
    if (!framing || !payload || !fingerprint || !compression) {
      return NoSense(StrCat("shard ", shards.size(), " is of a format that this version does not know"));
    }
    shards.push_back({.path = std::string(rows.Text(0)),
                      .framing = *framing,
                      .payload = *payload,
                      .identity = {.size = rows.Unsigned(3), .mtime_ns = rows.Int(4), .fingerprint = *fingerprint},
                      .first_record = rows.Unsigned(6),
                      .records = rows.Unsigned(7),
                      .payload_bytes = rows.Unsigned(8),
                      .compression = *compression,
                      .inflated_bytes = rows.Unsigned(10)});
  }
}

Result<std::vector<DamageRow>> CatalogReader::Damage() {
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare("SELECT shard, \"begin\", \"end\", reason, file_begin, file_end FROM damage "
                                   "ORDER BY damage"));
  std::vector<DamageRow> damage;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return damage;
    const std::optional<DamageReason> reason = ParseDamageReason(rows.Text(3));
    if (!reason) return NoSense("a reason for damage that this version does not know");
    DamagedRange range{rows.Unsigned(1), rows.Unsigned(2), *reason};
    if (const auto file_begin = rows.UnsignedOrNull(4)) range.file = {*file_begin, rows.Unsigned(5)};
    damage.push_back({static_cast<uint32_t>(rows.Int(0)), range});
  }
}

Result<std::vector<BadRow>> CatalogReader::Bad() {
  OFINDEX_ASSIGN(sqlite::Statement rows,
                 database_.Prepare("SELECT record, shard, \"offset\", reason FROM bad ORDER BY record"));
  std::vector<BadRow> bad;
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return bad;
    const std::optional<BadReason> reason = ParseBadReason(rows.Text(3));
    if (!reason) return NoSense("a reason for a bad record that this version does not know");
    bad.push_back({rows.Unsigned(0), static_cast<uint32_t>(rows.Int(1)), rows.Unsigned(2), *reason});
  }
}

Result<void> CatalogReader::ForEachCheckpoint(std::optional<uint32_t> shard, const VisitCheckpoint& visit) {
  OFINDEX_ASSIGN(sqlite::Statement rows, database_.Prepare("SELECT shard, position, bit, window FROM checkpoint "
                                                           "WHERE shard BETWEEN ? AND ? ORDER BY shard, position"));
  OFINDEX_TRY(rows.Bind(shard.value_or(0), shard.value_or(std::numeric_limits<uint32_t>::max())));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return {};
    CheckpointRow checkpoint{
        .shard = static_cast<uint32_t>(rows.Int(0)), .position = rows.Unsigned(1), .bit = rows.Unsigned(2)};
    const ByteView window = rows.Blob(3);
    checkpoint.window.assign(window.begin(), window.end());
    OFINDEX_TRY(visit(checkpoint));
  }
}

Result<void> CatalogReader::ForEachBlock(const VisitBlock& visit) {
  OFINDEX_ASSIGN(
      sqlite::Statement rows,
      database_.Prepare("SELECT shard, first_record, records, \"begin\", \"end\", offsets, hashes FROM block "
                        "ORDER BY block"));
  for (;;) {
    OFINDEX_ASSIGN(const bool row, rows.Next());
    if (!row) return {};
    BlockRow block{.shard = static_cast<uint32_t>(rows.Int(0)),
                   .first_record = rows.Unsigned(1),
                   .records = static_cast<uint32_t>(rows.Int(2)),
                   .begin = rows.Unsigned(3),
                   .end = rows.Unsigned(4)};
    const ByteView offsets = rows.Blob(5);
    block.offsets.assign(offsets.begin(), offsets.end());
    const ByteView hashes = rows.Blob(6);
    block.hashes.assign(hashes.begin(), hashes.end());
    const bool hashes_fit = block.hashes.empty() || block.hashes.size() == uint64_t{block.records} * 8;
    if (!PackedOffsets::Sound(block.offsets, block.records) || !hashes_fit) {
      return NoSense(StrCat("the offsets of the block at record ", block.first_record));
    }
    OFINDEX_TRY(visit(block));
  }
}

}  // namespace ofindex

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/record.h"
#include "base/shard_identity.h"
#include "index/catalog/damage.h"
#include "index/catalog/part_facts.h"
#include "index/catalog/skipped_file.h"
#include "mmap/inflate/checkpoint.h"

namespace ofindex {

// The contents of an index as values: the rows of its tables (docs/index_format.md), without SQLite.

inline constexpr int64_t kFormatVersion = 5;

/// How thoroughly the payloads were checked when the index was built.
enum class Checked : uint8_t {
  kFraming,   ///< headers only
  kPayloads,  ///< every payload byte: CRC32C for TFRecord, and XXH3 of each record kept in the index
};

[[nodiscard]] constexpr std::string_view Name(Checked checked) {
  return checked == Checked::kFraming ? "framing" : "payloads";
}

/// One piece of a shard, with the totals of its records: a shard that has grown has a piece for each update that found
/// it longer, and every other shard has one. All pieces of a shard have its path, formats and identity.
struct ShardRow {
  std::string path;  ///< relative to the index
  Framing framing = Framing::kEmpty;
  PayloadKind payload = PayloadKind::kOpaque;
  ShardIdentity identity;
  uint64_t first_record = 0;
  uint64_t records = 0;
  uint64_t payload_bytes = 0;
  Compression compression = Compression::kNone;
  uint64_t inflated_bytes = 0;  ///< for a compressed shard
  uint32_t file = 0;            ///< number of the shard's first piece
  uint64_t begin = 0;           ///< where the piece begins: the end of the last record before it; 0 for the first
  uint64_t gone = 0;            ///< generation since which the shard is missing; 0: it is there

  [[nodiscard]] bool is_gone() const { return gone != 0; }

  /// Returns the size of the bytes that hold its records.
  [[nodiscard]] uint64_t readable_bytes() const {
    return compression == Compression::kNone ? identity.size : inflated_bytes;
  }
};

[[nodiscard]] inline bool AnyCompressed(const std::vector<ShardRow>& shards) {
  return std::any_of(shards.begin(), shards.end(),
                     [](const ShardRow& shard) { return shard.compression != Compression::kNone; });
}

/// The greatest number of a generation.
inline constexpr int64_t kMaxGeneration = int64_t{1} << 53;

/// The time for which a piece is missing, in generations: from `since` up to, but not including, `until`.
struct AbsenceRow {
  uint32_t shard = 0;
  uint64_t since = 0;
  std::optional<uint64_t> until = {};  ///< nullopt: it is missing still
};

/// A position at which a compressed shard can be entered (mmap/inflate/checkpoint.h).
struct CheckpointRow {
  uint32_t shard = 0;
  uint64_t position = 0;
  uint64_t bit = 0;
  std::vector<uint8_t> window = {};  ///< as returned by StoreWindow

  [[nodiscard]] Checkpoint checkpoint() const { return {.position = position, .bit = bit, .stored = window}; }
};

/// One block: up to kBlockRecords consecutive records of a shard.
struct BlockRow {
  uint32_t shard = 0;
  uint64_t first_record = 0;
  uint32_t records = 0;
  uint64_t begin = 0;                 ///< start of the first record, in bytes of the shard
  uint64_t end = 0;                   ///< end of the last record
  std::vector<uint8_t> offsets = {};  ///< packed; see mmap/offsets/packed_offsets.h
  std::vector<uint8_t> hashes = {};   ///< u64 XXH3 of each payload, or empty
};

/// A range of a shard that holds no record.
struct DamageRow {
  uint32_t shard = 0;
  DamagedRange range;
};

/// A record whose framing is sound but whose payload is not.
struct BadRow {
  uint64_t record = 0;
  uint32_t shard = 0;
  uint64_t offset = 0;  ///< of its framing in the shard
  BadReason reason = BadReason::kPayloadCrc;
};

/// One build or update.
struct GenerationRow {
  int64_t number = 1;
  uint64_t records = 0;     ///< the ordinals given out so far
  std::string fingerprint;  ///< the id of the dataset, 32 hexadecimal digits
};

/// The facts of a whole dataset.
struct DatasetFacts {
  Digest128 id{};
  uint64_t records = 0;   ///< those that are there; as many as `ordinals` unless shards have gone
  uint64_t ordinals = 0;  ///< one more than the last ordinal
  uint64_t payload_bytes = 0;
  uint64_t data_bytes = 0;  ///< of all shards that are there, framing and damage included
  Checked checked = Checked::kFraming;
  std::string format = "auto";       ///< the build's --format
  std::string payload = "auto";      ///< the build's --payload
  std::string compression = "auto";  ///< the build's --compression
  std::string columns = "auto";      ///< the build's --columns
  std::string derive = "";           ///< the build's --derive, as Derivations::Text() has it; empty if none
  std::string message = "";          ///< the build's --message; empty if the payloads were decoded by their own kind
  bool features_dropped = false;     ///< there were more names than an index keeps: it has the first in byte order
  uint64_t skipped = 0;              ///< files named by DATA that are not shards; up to kMaxSkipped have a row
  std::vector<std::string> sources;  ///< the build's DATA, relative to the index
  std::optional<PartFacts> part;     ///< the index is not whole
  int64_t before = 0;                ///< number of the generation before this one
  std::vector<GenerationRow> earlier = {};  ///< generations before this one whose ordinals hold, up to `before`
};

/// Maximum number of skipped files that have a row in an index; a folder may hold millions of images. Unreadable files
/// come first, then the others in natural order.
inline constexpr uint64_t kMaxSkipped = 10'000;

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/format.h>

namespace ofindex::v1 {

/// One shard of a dataset.
struct Shard {
  std::string path;  ///< relative to the folder of the index
  Framing framing = Framing::kEmpty;
  Compression compression = Compression::kNone;
  PayloadKind payload = PayloadKind::kOpaque;
  uint64_t first_record = 0;  ///< its records are consecutive, except those found by later updates
  uint64_t records = 0;
  uint64_t bytes = 0;          ///< size of the file
  uint64_t payload_bytes = 0;  ///< payload size of all records, without framing and compression
};

/// A shard that was missing or changed at an update. Its records are gone: no record has their ordinals, until the
/// shard is restored.
struct GoneShard {
  std::string path;  ///< relative to the folder of the index
  uint64_t records = 0;
  uint64_t since = 0;  ///< number of the update that found it missing
};

/// One feature, over all records of a dataset.
struct FeatureInfo {
  std::string name;                  ///< its exact bytes
  std::vector<FeatureKind> kinds;    ///< kinds that occur, ascending
  uint64_t records = 0;              ///< number of records that have the feature
  uint64_t values = 0;               ///< number of values in all records
  uint32_t values_min = 0;           ///< fewest values in a record that has the feature
  uint32_t values_max = 0;           ///< most values in a record
  std::vector<std::string> columns;  ///< its columns in SQL, the most informative first; may be empty
  std::string type;                  ///< SQL type of the first column: "INTEGER", "TEXT|BLOB", "JSON" for lists
};

/// Bytes [begin, end) of a shard that hold no record.
struct Damage {
  std::string shard;
  uint64_t begin = 0;  ///< for a compressed shard, in its inflated bytes
  uint64_t end = 0;
  std::string reason;  ///< a word of docs/record_formats.md: "torn_tail", "bad_length"
};

/// A record whose framing is sound, so that it has an ordinal, but whose payload is not what was written.
struct BadRecord {
  uint64_t record = 0;
  std::string shard;
  uint64_t offset = 0;  ///< byte of the shard at which its framing begins
  std::string reason;   ///< "payload_crc", "malformed"
};

/// A file that is not what a build or a check expected, and why.
struct FileNote {
  std::string path;
  std::string reason;
};

/// The facts of a dataset, as they are in its index. A plain value.
struct DatasetInfo {
  std::string index;  ///< path
  std::string id;     ///< 32 hexadecimal digits; the same for a copy of the data
  uint64_t records = 0;
  uint64_t ordinals = 0;  ///< one more than the last ordinal: more than `records` if records are gone
  uint64_t payload_bytes = 0;
  uint64_t data_bytes = 0;            ///< size of all shards, including framing and damage
  bool payloads_checked = false;      ///< every payload byte was checked by the build
  std::vector<Shard> shards;          ///< in natural order of their paths
  std::vector<GoneShard> gone;        ///< ascending by ordinals
  std::vector<FeatureInfo> features;  ///< in byte order of their names
  std::vector<BadRecord> bad;         ///< ascending
  std::vector<Damage> damage;         ///< ascending
  std::vector<FileNote> skipped;      ///< files of DATA that are not shards
};

}  // namespace ofindex::v1

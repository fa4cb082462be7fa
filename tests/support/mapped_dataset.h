#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/record.h"
#include "mmap/record_reader.h"
#include "tests/support/temp_dir.h"

namespace ofindex {

/// A shard to be made: its path below the dataset's folder, and what it holds.
struct ShardPlan {
  std::string path;
  Framing framing = Framing::kTfRecord;
  std::vector<std::string> payloads;
  std::vector<uint32_t> bad = {};  ///< records of the shard that the index marks bad, ascending
};

/// A dataset on disk with a map of it, made without SQLite and without a walk: the offsets are those that the shards
/// were written with. Shard paths are as an index beside the folder would have them.
class MappedDataset {
 public:
  explicit MappedDataset(std::vector<ShardPlan> shards, uint32_t block_records = 7);

  /// Opens a reader of the map, of which at most `copied_bytes` are copied. Ends the test if that fails.
  [[nodiscard]] RecordReader Open(ReaderOptions options = {}, uint64_t copied_bytes = kCopiedMapBytes) const;

  /// The folder that stored paths are relative to; the dataset's own is `folder() + "/data"`.
  [[nodiscard]] const std::string& folder() const { return dir_.path(); }
  [[nodiscard]] std::string map_path() const { return dir_ / "data.ofidx-map"; }
  [[nodiscard]] std::string shard_path(size_t shard) const { return dir_ / ("data/" + plans_[shard].path); }

  /// The bytes that shard `shard` was written with.
  [[nodiscard]] const std::string& shard_bytes(size_t shard) const { return bytes_[shard]; }

  /// All payloads, by ordinal.
  [[nodiscard]] const std::vector<std::string>& payloads() const { return payloads_; }

  /// The places of all records, by ordinal.
  [[nodiscard]] const std::vector<RecordLocation>& locations() const { return locations_; }

 private:
  void WriteShard(uint32_t shard);
  void WriteMap(uint32_t block_records) const;

  TempDir dir_;
  std::vector<ShardPlan> plans_;
  std::vector<std::string> bytes_;
  std::vector<std::string> payloads_;
  std::vector<RecordLocation> locations_;
};

/// Two TFRecord shards and two OFRecord shards of some hundred records, and an empty one between them.
[[nodiscard]] std::vector<ShardPlan> MixedShards(size_t payload_bytes = 300);

}  // namespace ofindex

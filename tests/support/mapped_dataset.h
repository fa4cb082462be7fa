#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/record.h"
#include "mmap/record_reader.h"
#include "tests/support/temp_dir.h"

namespace ofindex {

/// The plan of a shard: its path below the dataset's folder, and its content.
struct ShardPlan {
  std::string path;
  Framing framing = Framing::kTfRecord;
  std::vector<std::string> payloads;
  std::vector<uint32_t> bad = {};  ///< the records marked bad, as indexes in the shard, ascending
  bool gone = false;               ///< the shard is written, but the map has a hole in its place
};

/// A dataset on disk with its map, created without SQLite and without walking the shards: the record offsets are known
/// from writing them. The map stores the shard paths of an index next to the folder data/.
class MappedDataset {
 public:
  explicit MappedDataset(std::vector<ShardPlan> shards, uint32_t block_records = 7);

  /// Opens a reader of the map, which copies at most about `copied_bytes` of its blocks. Ends the test on failure.
  [[nodiscard]] RecordReader Open(ReaderOptions options = {}, uint64_t copied_bytes = kCopiedMapBytes) const;

  /// Returns the folder that stored paths are relative to. The shards are in `folder() + "/data"`.
  [[nodiscard]] const std::string& folder() const { return dir_.path(); }
  [[nodiscard]] std::string map_path() const { return dir_ / "data.ofidx-map"; }
  [[nodiscard]] std::string shard_path(size_t shard) const { return dir_ / ("data/" + plans_[shard].path); }

  /// Returns the bytes that shard `shard` was written with.
  [[nodiscard]] const std::string& shard_bytes(size_t shard) const { return bytes_[shard]; }

  /// Returns whether the records of shard `shard` are gone.
  [[nodiscard]] bool gone(size_t shard) const { return plans_[shard].gone; }

  /// Returns all payloads, by ordinal, those that are gone included.
  [[nodiscard]] const std::vector<std::string>& payloads() const { return payloads_; }

  /// Returns the locations of all records, by ordinal, those that are gone included.
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

/// Returns two TFRecord shards and two OFRecord shards with a few hundred records, and an empty shard between them.
[[nodiscard]] std::vector<ShardPlan> MixedShards(size_t payload_bytes = 300);

}  // namespace ofindex

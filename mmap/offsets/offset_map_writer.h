#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/result.h"
#include "mmap/inflate/checkpoint.h"
#include "mmap/offsets/offset_map_format.h"

namespace ofindex {

/// Writes a NAME.ofidx-map: all blocks in ordinal order, all shards with their checkpoints, then Finish. The shards
/// that are gone are added too, without blocks. Keeps 64 bytes per block and 32 bytes per checkpoint in memory.
/// Movable, not copyable; not thread-safe.
class OffsetMapWriter {
 public:
  /// Starts a map in `out`, an empty file. Errors: kIo.
  [[nodiscard]] static Result<OffsetMapWriter> Begin(OutputFile out);

  /// Appends the next block. Its first record is at or after the end of the previous block; the ordinals in between are
  /// gone. `packed` are packed offsets; `bad` lists the bad records in ascending order, in the form described at
  /// MapBlock. Reads only shard, begin, end, first_record and records of `block`.
  [[nodiscard]] Result<void> AddBlock(MapBlock block, ByteView packed, std::span<const uint32_t> bad);

  /// Appends the next checkpoint of the shard to be added next. Errors: kIo.
  [[nodiscard]] Result<void> AddCheckpoint(const Checkpoint& checkpoint);

  /// Appends the next shard, with the checkpoints added since the previous shard.
  void AddShard(const MapShard& shard);

  /// Writes the tables and the header and flushes to the system; the caller that publishes the map syncs it to disk.
  /// `header` provides index_id, index_binding, payload_bytes, data_dir_bytes and, if the last ordinals are gone,
  /// records. Errors: kIo.
  [[nodiscard]] Result<void> Finish(MapHeader header);

 private:
  explicit OffsetMapWriter(OutputFile out) : out_(std::move(out)) {}

  void AddJumps(uint64_t end);

  OutputFile out_;
  uint64_t end_ = 0;  // of the last block's ordinals
  uint64_t live_ = 0;
  uint64_t blocks_ = 0;
  uint64_t shards_ = 0;
  std::vector<uint8_t> block_table_;
  std::vector<uint8_t> shard_table_;
  std::vector<uint8_t> jump_table_;
  std::vector<uint8_t> stream_table_;
  std::vector<uint8_t> point_table_;
  uint64_t points_taken_ = 0;  // points of earlier shards
  std::string names_;
  std::vector<uint8_t> stored_;
};

}  // namespace ofindex

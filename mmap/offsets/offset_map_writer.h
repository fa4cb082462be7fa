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

/// Writes a NAME.ofidx-map: all blocks, in ordinal order, all shards with their checkpoints, then Finish. Keeps 64
/// bytes a block and 32 bytes a checkpoint in memory. Moves, does not copy; not thread-safe.
class OffsetMapWriter {
 public:
  /// Begins a map in `out`, an empty file. Errors: kIo.
  [[nodiscard]] static Result<OffsetMapWriter> Begin(OutputFile out);

  /// Adds the next block: its records follow those of the block before. `packed` are packed offsets, `bad` as MapBlock
  /// says, ascending. Only shard, begin, end and records of `block` are read.
  [[nodiscard]] Result<void> AddBlock(MapBlock block, ByteView packed, std::span<const uint32_t> bad);

  /// Adds the next checkpoint of the shard that is added next. Errors: kIo.
  [[nodiscard]] Result<void> AddCheckpoint(const Checkpoint& checkpoint);

  /// Adds the next shard, with the checkpoints that were added since the shard before.
  void AddShard(const MapShard& shard);

  /// Writes the tables and the header, and hands everything to the system; whoever publishes the map waits for the
  /// disk. `header` gives index_id, index_binding, payload_bytes and data_dir_bytes. Errors: kIo.
  [[nodiscard]] Result<void> Finish(MapHeader header);

 private:
  explicit OffsetMapWriter(OutputFile out) : out_(std::move(out)) {}

  OutputFile out_;
  uint64_t records_ = 0;
  uint64_t blocks_ = 0;
  uint64_t shards_ = 0;
  std::vector<uint8_t> block_table_;
  std::vector<uint8_t> shard_table_;
  std::vector<uint8_t> jump_table_;
  std::vector<uint8_t> stream_table_;
  std::vector<uint8_t> point_table_;
  uint64_t points_taken_ = 0;  // by shards before
  std::string names_;
  std::vector<uint8_t> stored_;
};

}  // namespace ofindex

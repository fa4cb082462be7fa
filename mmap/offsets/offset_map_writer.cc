#include "mmap/offsets/offset_map_writer.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace ofindex {
namespace {

// Grows `table` by one entry and returns the place to write it.
uint8_t* NextEntry(std::vector<uint8_t>& table, uint64_t bytes) {
  table.resize(table.size() + bytes);
  return table.data() + table.size() - bytes;
}

}  // namespace

Result<OffsetMapWriter> OffsetMapWriter::Begin(OutputFile out) {
  OffsetMapWriter writer(std::move(out));
  // All zeros, which is not a valid header: an abandoned map is never mistaken for a complete one.
  const std::array<uint8_t, kMapHeaderBytes> no_header{};
  OFINDEX_TRY(writer.out_.Append(no_header));
  return writer;
}

Result<void> OffsetMapWriter::AddBlock(MapBlock block, ByteView packed, std::span<const uint32_t> bad) {
  assert(block.first_record >= end_);
  AddJumps(block.first_record);
  block.packed_at = out_.size();
  block.packed_bytes = static_cast<uint32_t>(packed.size());
  block.bad = static_cast<uint32_t>(bad.size());
  stored_.assign(packed.begin(), packed.end());
  for (uint32_t one : bad) StoreLe32(NextEntry(stored_, 4), one);
  OFINDEX_TRY(out_.Append(stored_));
  block.Encode(stored_, NextEntry(block_table_, kMapEntryBytes));
  end_ = block.first_record + block.records;
  live_ += block.records;
  ++blocks_;
  return {};
}

// Adds the jumps of ordinals less than `end`, which is where the next block begins: they lead to the last block.
void OffsetMapWriter::AddJumps(uint64_t end) {
  const uint64_t last = std::max<uint64_t>(blocks_, 1) - 1;
  while (jump_table_.size() / 4 < JumpCount(end)) {
    StoreLe32(NextEntry(jump_table_, 4), static_cast<uint32_t>(last));
  }
}

Result<void> OffsetMapWriter::AddCheckpoint(const Checkpoint& checkpoint) {
  const MapPoint point{.position = checkpoint.position,
                       .bit = checkpoint.bit,
                       .stored_at = out_.size(),
                       .stored_bytes = static_cast<uint32_t>(checkpoint.stored.size())};
  point.Encode(NextEntry(point_table_, kMapPointBytes));
  return out_.Append(checkpoint.stored);
}

void OffsetMapWriter::AddShard(const MapShard& shard) {
  if (shard.compression != Compression::kNone) {
    const uint64_t points = point_table_.size() / kMapPointBytes;
    const MapStream stream{.shard = static_cast<uint32_t>(shards_),
                           .inflated_bytes = shard.inflated_bytes,
                           .first_point = points_taken_,
                           .points = points - points_taken_};
    stream.Encode(NextEntry(stream_table_, kMapEntryBytes));
    points_taken_ = points;
  }
  EncodeMapShard(shard, names_.size(), NextEntry(shard_table_, kMapShardBytes));
  names_ += shard.path;
  ++shards_;
}

Result<void> OffsetMapWriter::Finish(MapHeader header) {
  header.records = std::max(header.records, end_);
  header.live = live_;
  AddJumps(header.records);
  header.shards = shards_;
  header.blocks = blocks_;
  header.names_bytes = names_.size();
  header.names_at = out_.size();
  OFINDEX_TRY(out_.Append(AsBytes(names_)));
  header.shards_at = out_.size();
  OFINDEX_TRY(out_.Append(shard_table_));
  header.blocks_at = out_.size();
  OFINDEX_TRY(out_.Append(block_table_));
  header.jumps_at = out_.size();
  OFINDEX_TRY(out_.Append(jump_table_));
  header.streams = stream_table_.size() / kMapEntryBytes;
  header.streams_at = out_.size();
  OFINDEX_TRY(out_.Append(stream_table_));
  header.points = point_table_.size() / kMapPointBytes;
  header.points_at = out_.size();
  OFINDEX_TRY(out_.Append(point_table_));
  header.file_bytes = out_.size();
  std::array<uint8_t, kMapHeaderBytes> bytes;
  header.Encode(bytes.data());
  OFINDEX_TRY(out_.WriteAt(0, bytes));
  return out_.Flush();
}

}  // namespace ofindex

#include "mmap/offset_map.h"

#include <algorithm>
#include <array>

#include "base/allocation.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr char kMapHint[] = "remove the map: it is derived from the index, and the next command makes it anew";

// True if a table of `count` entries of `bytes` bytes lies at `at` in a file of `size` bytes.
bool TableFits(uint64_t at, uint64_t count, uint64_t bytes, uint64_t size) {
  return count <= size / bytes && Fits(at, count * bytes, size);
}

}  // namespace

tl::unexpected<Error> OffsetMap::Damaged(uint64_t offset, const char* what) const {
  return Fail(ErrorCode::kIndex, StrCat(Printable(path_), "@", offset, ": ", what), kMapHint);
}

Result<OffsetMap> OffsetMap::Open(const std::string& path) {
  if (auto facts = StatFile(path); !facts) {
    return Fail(ErrorCode::kNotFound, facts.error().message, "build the index with `ofindex build DATA`");
  }
  OFINDEX_ASSIGN(const File file, File::OpenRead(path));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  OffsetMap map;
  map.path_ = path;
  std::array<uint8_t, kMapHeaderBytes> header;
  OFINDEX_ASSIGN(const size_t n, file.ReadAt(0, header));
  if (n != header.size() || !map.header_.Decode(header.data())) {
    return map.Damaged(0, "not a map of this version, or damaged");
  }
  if (map.header_.file_bytes != facts.size)
    return map.Damaged(facts.size, "the map is cut short, or longer than it says");
  OFINDEX_TRY(map.CheckLayout());
  OFINDEX_ASSIGN(map.file_, MappedFile::Map(file, facts.size));
  map.data_ = map.file_.bytes().data();
  // The header says how many, and whoever made the file says what the header says.
  return WithMemory("the blocks of a map", [&]() -> Result<OffsetMap> {
    map.checked_ = std::make_unique<std::atomic<bool>[]>(map.header_.blocks);
    return std::move(map);
  });
}

Result<void> OffsetMap::CheckLayout() const {
  const uint64_t size = header_.file_bytes;
  const bool fits = Fits(header_.names_at, header_.names_bytes, size) &&
                    TableFits(header_.shards_at, header_.shards, kMapEntryBytes, size) &&
                    TableFits(header_.blocks_at, header_.blocks, kMapEntryBytes, size) &&
                    TableFits(header_.jumps_at, JumpCount(header_.records), 4, size) &&
                    TableFits(header_.streams_at, header_.streams, kMapEntryBytes, size) &&
                    TableFits(header_.points_at, header_.points, kMapPointBytes, size);
  if (!fits) return Damaged(0, "a table lies outside the file");
  return {};
}

bool OffsetMap::CheckBlock(uint64_t number) const {
  const uint8_t* entry = BlockEntry(number);
  MapBlock block;
  block.Decode(entry);
  if (!Fits(block.packed_at, block.stored_bytes(), header_.file_bytes) || block.shard >= header_.shards) return false;
  const ByteView stored = file_.bytes().subspan(block.packed_at, block.stored_bytes());
  if (!MapBlock::ChecksumHolds(entry, stored)) return false;
  if (!PackedOffsets::Sound(stored.first(block.packed_bytes), block.records)) return false;
  checked_[number].store(true, std::memory_order_release);
  return true;
}

uint32_t OffsetMap::BadReason(const MapBlock& block, uint32_t record) const {
  const uint8_t* list = data_ + block.packed_at + block.packed_bytes;
  uint32_t low = 0;
  uint32_t high = block.bad;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const uint32_t one = LoadLe32(list + size_t{4} * middle);
    if ((one & 0xffff) == record) return one >> 16;
    if ((one & 0xffff) < record) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 0;
}

// The last block of [low, high] that does not begin after the record.
uint64_t OffsetMap::SearchBlocks(uint64_t ordinal, uint64_t low, uint64_t high) const {
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    if (LoadLe64(BlockEntry(middle)) <= ordinal) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

Result<OffsetMap::CheckedBlock> OffsetMap::Block(uint64_t number) const {
  if (!checked_[number].load(std::memory_order_acquire) && !CheckBlock(number)) {
    return Damaged(header_.blocks_at + number * kMapEntryBytes, "the block's checksum does not hold");
  }
  CheckedBlock checked;
  checked.block.Decode(BlockEntry(number));
  checked.packed = data_ + checked.block.packed_at;
  return checked;
}

Result<OffsetMap::Place> OffsetMap::Find(uint64_t ordinal) const {
  uint64_t number = 0;
  if (!FindBlock(ordinal, number)) return Damaged(header_.jumps_at, "the jump table is damaged");
  OFINDEX_ASSIGN(const CheckedBlock checked, Block(number));
  const MapBlock& block = checked.block;
  const uint64_t record = ordinal - block.first_record;
  if (record >= block.records) return Damaged(header_.jumps_at, "the jump table is damaged");
  const PackedOffsets::Extent extent = PackedOffsets(checked.packed).At(static_cast<uint32_t>(record));
  if (extent.begin > extent.end || extent.begin < block.begin || extent.end > block.end) {
    return Damaged(block.packed_at, "a record lies outside its block");
  }
  const uint32_t reason = block.bad == 0 ? 0 : BadReason(block, static_cast<uint32_t>(record));
  return Place{.shard = block.shard, .bad_reason = reason, .begin = extent.begin, .end = extent.end};
}

Result<MapShard> OffsetMap::Shard(uint64_t shard) const {
  MapShard found;
  const uint64_t at = header_.shards_at + shard * kMapEntryBytes;
  const ByteView names = file_.bytes().subspan(header_.names_at, header_.names_bytes);
  if (!DecodeMapShard(data_ + at, names, found)) return Damaged(at, "the shard's checksum does not hold");
  if (found.compression == Compression::kNone) return found;
  OFINDEX_ASSIGN(const MapStream stream, StreamOf(shard));
  found.inflated_bytes = stream.inflated_bytes;
  return found;
}

// The streams stand in the order of their shards.
Result<MapStream> OffsetMap::StreamOf(uint64_t shard) const {
  uint64_t low = 0;
  uint64_t high = header_.streams;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const uint64_t at = header_.streams_at + middle * kMapEntryBytes;
    MapStream stream;
    if (!stream.Decode(data_ + at)) return Damaged(at, "the checksum of a compressed shard does not hold");
    if (stream.shard == shard) return stream;
    if (stream.shard < shard) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Damaged(header_.streams_at, "a compressed shard has no checkpoints");
}

// Some of the map's points.
class OffsetMap::Points final : public Checkpoints {
 public:
  Points(const OffsetMap& map, uint64_t first, uint64_t count)
      : bytes_(map.file_.bytes()), at_(map.header_.points_at + first * kMapPointBytes), count_(count) {}

  [[nodiscard]] size_t size() const override { return count_; }
  [[nodiscard]] Result<Checkpoint> At(size_t i) const override {
    MapPoint point;
    point.Decode(bytes_.data() + at_ + i * kMapPointBytes);
    if (!Fits(point.stored_at, point.stored_bytes, bytes_.size())) {
      return Fail(ErrorCode::kIndex, "a checkpoint lies outside the map", kMapHint);
    }
    return Checkpoint{
        .position = point.position, .bit = point.bit, .stored = bytes_.subspan(point.stored_at, point.stored_bytes)};
  }

 private:
  const ByteView bytes_;
  const uint64_t at_;
  const uint64_t count_;
};

Result<std::unique_ptr<Checkpoints>> OffsetMap::CheckpointsOf(uint64_t shard) const {
  OFINDEX_ASSIGN(const MapStream stream, StreamOf(shard));
  if (!Fits(stream.first_point, stream.points, header_.points)) {
    return Damaged(header_.points_at, "the checkpoints of a shard lie outside their table");
  }
  return std::make_unique<Points>(*this, stream.first_point, stream.points);
}

}  // namespace ofindex

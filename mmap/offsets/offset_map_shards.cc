#include <cstring>
#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "mmap/files/fault_guard.h"
#include "mmap/offsets/offset_map.h"

// The shards of a map: their entries, and the checkpoints of the compressed ones.

namespace ofindex {

Result<MapShard> OffsetMap::ReadShard(uint64_t shard) const {
  const uint64_t at = header_.shards_at + shard * kMapShardBytes;
  const auto damaged = [&] { return Damaged(at, "the shard's checksum is wrong"); };
  std::array<uint8_t, kMapShardBytes> entry{};
  OFINDEX_TRY(CopyOut(at, entry));
  const MapName name = NameOfMapShard(entry.data());
  if (!Fits(name.at, name.bytes, header_.names_bytes)) return damaged();
  std::string path(name.bytes, '\0');
  OFINDEX_TRY(CopyOut(header_.names_at + name.at, {reinterpret_cast<uint8_t*>(path.data()), path.size()}));
  MapShard found;
  if (!DecodeMapShard(entry.data(), std::move(path), found)) return damaged();
  if (found.compression == Compression::kNone) return found;
  OFINDEX_ASSIGN(const MapStream stream, StreamOf(shard));
  found.inflated_bytes = stream.inflated_bytes;
  return found;
}

Result<MapShard> OffsetMap::Shard(uint64_t shard) const {
  return WithMemory("the path of a shard", [&] { return Consistent([&] { return ReadShard(shard); }); });
}

// The streams are sorted by shard.
Result<MapStream> OffsetMap::StreamOf(uint64_t shard) const {
  uint64_t low = 0;
  uint64_t high = header_.streams;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const uint64_t at = header_.streams_at + middle * kMapEntryBytes;
    std::array<uint8_t, kMapEntryBytes> entry{};
    OFINDEX_TRY(CopyOut(at, entry));
    MapStream stream;
    if (!stream.Decode(entry.data())) return Damaged(at, "the checksum of a compressed shard is wrong");
    if (stream.shard == shard) return stream;
    if (stream.shard < shard) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Damaged(header_.streams_at, "a compressed shard has no checkpoints");
}

// A range of the map's points. Each has a checksum, which is checked when it is used.
class OffsetMap::Points final : public Checkpoints {
 public:
  Points(std::string path, ByteView map, uint64_t at, uint64_t count)
      : path_(std::move(path)), bytes_(map), at_(at), count_(count) {}

  [[nodiscard]] size_t size() const override { return count_; }
  [[nodiscard]] Result<Checkpoint> At(size_t i) const override {
    std::array<uint8_t, kMapPointBytes> entry{};
    const uint8_t* const from = bytes_.data() + at_ + i * kMapPointBytes;
    if (!FaultGuard::Run([&] { std::memcpy(entry.data(), from, entry.size()); })) {
      return Fail(ErrorCode::kStale, StrCat(Printable(path_), ": the map was truncated since it was opened"),
                  kOffsetMapReopenHint);
    }
    MapPoint point;
    point.Decode(entry.data());
    if (!Fits(point.stored_at, point.stored_bytes, bytes_.size())) {
      return Fail(ErrorCode::kIndex, StrCat(Printable(path_), ": a checkpoint lies outside the map"), kOffsetMapHint);
    }
    return Checkpoint{
        .position = point.position, .bit = point.bit, .stored = bytes_.subspan(point.stored_at, point.stored_bytes)};
  }

 private:
  const std::string path_;
  const ByteView bytes_;
  const uint64_t at_;
  const uint64_t count_;
};

Result<std::unique_ptr<Checkpoints>> OffsetMap::CheckpointsOf(uint64_t shard) const {
  OFINDEX_ASSIGN(const MapStream stream, Consistent([&] { return StreamOf(shard); }));
  if (!Fits(stream.first_point, stream.points, header_.points)) {
    return Damaged(header_.points_at, "the checkpoints of a shard lie outside their table");
  }
  return std::make_unique<Points>(path(), ByteView(data_, header_.file_bytes),
                                  header_.points_at + stream.first_point * kMapPointBytes, stream.points);
}

}  // namespace ofindex

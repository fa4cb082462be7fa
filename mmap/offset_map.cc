#include "mmap/offset_map.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "mmap/fault_guard.h"

namespace ofindex {
namespace {

constexpr char kMapHint[] = "`ofindex build DATA` makes the map again from its index";
constexpr char kReopenHint[] = "open the dataset again";

// More than a block takes whose records are as many, as far apart and as bad as can be.
constexpr uint64_t kMostBlockBytes = uint64_t{1} << 20;

// True if a table of `count` entries of `bytes` bytes lies at `at` in a file of `size` bytes.
bool TableFits(uint64_t at, uint64_t count, uint64_t bytes, uint64_t size) {
  return count <= size / bytes && Fits(at, count * bytes, size);
}

// The reason why a record is bad, 0 if it is not; `list` is that of its block's bad records.
uint32_t ReasonIn(const uint8_t* list, const MapBlock& block, uint32_t record) {
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

}  // namespace

tl::unexpected<Error> OffsetMap::Damaged(uint64_t offset, const char* what) const {
  return Fail(ErrorCode::kIndex, StrCat(Printable(path()), "@", offset, ": ", what), kMapHint);
}

tl::unexpected<Error> OffsetMap::Rewritten() const {
  return Fail(ErrorCode::kStale, StrCat(Printable(path()), ": the map was cut or rewritten since it was opened"),
              kReopenHint);
}

Result<OffsetMap> OffsetMap::Open(const std::string& path, const std::string& shown, uint64_t copied_bytes) {
  if (auto facts = StatFile(path); !facts) {
    return Fail(ErrorCode::kNotFound, facts.error().message, "build the index with `ofindex build DATA`");
  }
  OFINDEX_ASSIGN(File opened, File::OpenRead(path, shown));
  OffsetMap map(std::move(opened));
  const File& file = map.watch_.file();
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  OFINDEX_ASSIGN(const size_t n, file.ReadAt(0, map.header_bytes_));
  if (n != map.header_bytes_.size() || !map.header_.Decode(map.header_bytes_.data())) {
    return map.Damaged(0, "not a map of this version, or damaged");
  }
  if (map.header_.file_bytes != facts.size)
    return map.Damaged(facts.size, "the map is cut short, or longer than it says");
  OFINDEX_TRY(map.CheckLayout());
  OFINDEX_ASSIGN(map.file_, MappedFile::Map(file, facts.size));
  map.data_ = map.file_.bytes().data();
  // The header says how many, and whoever made the file says what the header says.
  return WithMemory("the blocks of a map", [&]() -> Result<OffsetMap> {
    map.blocks_ = std::make_unique<KnownBlocks>(map.header_.blocks, copied_bytes);
    return std::move(map);
  });
}

Result<void> OffsetMap::CheckLayout() const {
  const uint64_t size = header_.file_bytes;
  const bool fits = Fits(header_.names_at, header_.names_bytes, size) &&
                    TableFits(header_.shards_at, header_.shards, kMapShardBytes, size) &&
                    TableFits(header_.blocks_at, header_.blocks, kMapEntryBytes, size) &&
                    TableFits(header_.jumps_at, JumpCount(header_.records), 4, size) &&
                    TableFits(header_.streams_at, header_.streams, kMapEntryBytes, size) &&
                    TableFits(header_.points_at, header_.points, kMapPointBytes, size);
  if (!fits) return Damaged(0, "a table lies outside the file");
  return {};
}

// The header and all blocks that were used are still what they were.
Result<void> OffsetMap::CheckSound() const {
  OFINDEX_ASSIGN(const FileFacts facts, watch_.file().Facts());
  std::array<uint8_t, kMapHeaderBytes> header{};
  OFINDEX_TRY(watch_.file().ReadAt(0, header));
  if (facts.size != header_.file_bytes || header != header_bytes_) return Rewritten();
  for (uint64_t i = 0; i < blocks_->count; ++i) {
    const Known* const known = blocks_->known[i].load(std::memory_order_acquire);
    if (known != nullptr && !Holds(*known)) return Rewritten();
  }
  return {};
}

Result<void> OffsetMap::CopyOut(uint64_t at, std::span<uint8_t> out) const {
  if (out.empty()) return {};
  if (!FaultGuard::Run([&] { std::memcpy(out.data(), data_ + at, out.size()); })) return Rewritten();
  return {};
}

// ---------------------------------------------------------------- blocks

// The block's bytes in the file, all of them, are those that were copied, and the checksum is theirs. It is computed of
// a copy: what is computed in a guarded section must own nothing.
bool OffsetMap::Holds(const Known& known) const {
  bool holds = false;
  static_cast<void>(WithMemory("a block of a map", [&]() -> Result<void> {
    std::array<uint8_t, kMapEntryBytes> entry{};
    std::vector<uint8_t> stored(known.block.stored_bytes());
    OFINDEX_TRY(CopyOut(EntryAt(known.number), entry));
    OFINDEX_TRY(CopyOut(known.block.packed_at, stored));
    holds = entry == known.entry && std::equal(known.stored.begin(), known.stored.end(), stored.begin()) &&
            MapBlock::ChecksumHolds(entry.data(), stored);
    return {};
  }));
  return holds;
}

Result<std::unique_ptr<OffsetMap::Known>> OffsetMap::ReadBlock(uint64_t number) const {
  const auto damaged = [&] { return Damaged(EntryAt(number), "the block's checksum does not hold"); };
  auto known = std::make_unique<Known>();
  known->number = number;
  OFINDEX_TRY(CopyOut(EntryAt(number), known->entry));
  MapBlock& block = known->block;
  block.Decode(known->entry.data());
  const uint64_t frames = PackedOffsets::FramesBytes(block.records);
  if (!Fits(block.packed_at, block.stored_bytes(), header_.file_bytes) || block.shard >= header_.shards ||
      frames > block.packed_bytes || block.stored_bytes() > kMostBlockBytes) {
    return damaged();
  }
  const bool whole = TakeRoom(*known);
  known->stored.resize(whole ? block.stored_bytes() : frames);
  OFINDEX_TRY(CopyOut(block.packed_at, known->stored));
  const bool holds = whole ? MapBlock::ChecksumHolds(known->entry.data(), known->stored) : Holds(*known);
  if (!holds || !PackedOffsets::Sound(known->stored, block.packed_bytes, block.records)) return damaged();
  return known;
}

bool OffsetMap::TakeRoom(Known& known) const {
  const uint64_t bytes = known.block.stored_bytes();
  uint64_t room = blocks_->room.load(std::memory_order_relaxed);
  while (room >= bytes) {
    if (!blocks_->room.compare_exchange_weak(room, room - bytes, std::memory_order_relaxed)) continue;
    known.room = &blocks_->room;
    return true;
  }
  return false;
}

// Two threads may read the same block at once; the one that comes second gives its own up.
Result<const OffsetMap::Known*> OffsetMap::KnownBlock(uint64_t number) const {
  std::atomic<const Known*>& place = blocks_->known[number];
  if (const Known* const known = place.load(std::memory_order_acquire)) return known;
  return WithMemory("a block of a map", [&]() -> Result<const Known*> {
    OFINDEX_ASSIGN(std::unique_ptr<Known> read, ReadBlock(number));
    const Known* expected = nullptr;
    if (!place.compare_exchange_strong(expected, read.get(), std::memory_order_acq_rel)) return expected;
    return read.release();
  });
}

Result<OffsetMap::CheckedBlock> OffsetMap::Block(uint64_t number) const {
  OFINDEX_ASSIGN(const Known* const known, KnownBlock(number));
  return CheckedBlock{
      .block = known->block, .frames = known->stored.data(), .packed = known->StoredIn(data_), .owned = known->owned()};
}

// ---------------------------------------------------------------- records

// The jump table gives the blocks of the first and the last record that share the ordinal's upper bits.
bool OffsetMap::CellOf(uint64_t cell, Cell& found) const {
  const uint8_t* jumps = data_ + header_.jumps_at;
  found.first = LoadLe32(jumps + 4 * cell);
  found.last = cell + 1 < JumpCount(header_.records) ? LoadLe32(jumps + 4 * (cell + 1)) : header_.blocks - 1;
  return found.first <= found.last && found.last < header_.blocks;
}

// The last block of the ordinal's cell that does not begin after the record: one of the first two in a well-filled
// dataset, whose blocks hold 65,536 records.
bool OffsetMap::FindBlock(uint64_t ordinal, uint64_t& number) const {
  Cell cell{};
  if (!CellOf(ordinal / kJumpRecords, cell)) return false;
  uint64_t low = cell.first;
  uint64_t high = cell.last;
  for (int step = 0; step < 2; ++step) {
    const uint64_t next = std::min(low + 1, high);
    if (LoadLe64(data_ + EntryAt(next)) > ordinal) high = low;
    low = std::min(next, high);
  }
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    if (LoadLe64(data_ + EntryAt(middle)) <= ordinal) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  number = low;
  return true;
}

bool OffsetMap::ReadCell(uint64_t cell, std::atomic<uint64_t>* first_records, Cell& found) const {
  volatile bool sound = false;
  const bool whole = FaultGuard::Run([&] {
    if (!CellOf(cell, found)) return;
    for (uint64_t block = found.first; block <= found.last; ++block) {
      first_records[block].store(LoadLe64(data_ + EntryAt(block)), std::memory_order_relaxed);
    }
    sound = true;
  });
  return whole && sound;
}

// Reads the map, unless the block was copied whole.
OffsetMap::Step OffsetMap::PlaceIn(const Known& known, uint64_t number, uint64_t ordinal, Place& place) const {
  const MapBlock& block = known.block;
  const uint64_t record = ordinal - block.first_record;
  if (record >= block.records) return Step::kBadJumps;
  const uint8_t* const stored = known.StoredIn(data_);
  const auto extent = PackedOffsets(known.stored.data(), stored).At(static_cast<uint32_t>(record));
  if (extent.begin > extent.end || extent.begin < block.begin || extent.end > block.end) return Step::kOutside;
  const uint32_t reason =
      block.bad == 0 ? 0 : ReasonIn(stored + block.packed_bytes, block, static_cast<uint32_t>(record));
  place = {.shard = block.shard, .bad_reason = reason, .begin = extent.begin, .end = extent.end, .block = number};
  return Step::kDone;
}

// Runs inside the guard: may stop at any load. `at` is the record being looked up, `other` a block that is not known
// yet.
OffsetMap::Step OffsetMap::LookUp(std::span<const uint64_t> ordinals, std::span<Place> places, volatile size_t& at,
                                  volatile uint64_t& other) const {
  const Known* known = nullptr;
  uint64_t number = 0;
  for (size_t i = at; i < ordinals.size(); ++i) {
    at = i;
    const uint64_t ordinal = ordinals[i];
    if (known == nullptr || ordinal - known->block.first_record >= known->block.records) {
      if (!FindBlock(ordinal, number)) return Step::kBadJumps;
      known = blocks_->known[number].load(std::memory_order_acquire);
      other = number;
      if (known == nullptr) return Step::kOtherBlock;
    }
    const Step step = PlaceIn(*known, number, ordinal, places[i]);
    if (step == Step::kOutside) other = known->block.packed_at;
    if (step != Step::kDone) return step;
  }
  return Step::kDone;
}

Result<void> OffsetMap::FindAll(std::span<const uint64_t> ordinals, std::span<Place> places) const {
  volatile size_t at = 0;
  volatile uint64_t other = 0;
  volatile Step step = Step::kDone;
  for (;;) {
    if (!FaultGuard::Run([&] { step = LookUp(ordinals, places, at, other); })) return Rewritten();
    switch (step) {
      case Step::kDone: return {};
      case Step::kOtherBlock: OFINDEX_TRY(KnownBlock(other)); break;
      case Step::kBadJumps: return Damaged(header_.jumps_at, "the jump table is damaged");
      case Step::kOutside: return Damaged(other, "a record lies outside its block");
    }
  }
}

// A block may have been copied while the file was another one, and become known when it was sound again.
Result<void> OffsetMap::CompareNew(std::span<const Place> places) const {
  uint64_t last = UINT64_MAX;
  for (const Place& place : places) {
    if (std::exchange(last, place.block) == place.block) continue;
    const Known* const known = blocks_->known[place.block].load(std::memory_order_acquire);
    if (!known->confirmed.load(std::memory_order_relaxed) && !Holds(*known)) return Rewritten();
  }
  return {};
}

// What was compared while the file was sound stays right, whatever becomes of the file.
void OffsetMap::Confirm(std::span<const Place> places) const {
  uint64_t last = UINT64_MAX;
  for (const Place& place : places) {
    if (std::exchange(last, place.block) == place.block) continue;
    const Known* const known = blocks_->known[place.block].load(std::memory_order_acquire);
    if (!known->confirmed.load(std::memory_order_relaxed)) known->confirmed.store(true, std::memory_order_release);
  }
}

Result<void> OffsetMap::Find(std::span<const uint64_t> ordinals, std::span<Place> places) const {
  const std::span<Place> found = places.first(ordinals.size());
  const auto read = [&]() -> Result<void> {
    OFINDEX_TRY(FindAll(ordinals, found));
    return CompareNew(found);
  };
  OFINDEX_TRY(Consistent(read));
  Confirm(found);
  return {};
}

// The map says which block to look at, and that block says whether the record is its own: no more of the map counts.
bool OffsetMap::FindOwned(uint64_t ordinal, Place& place) const {
  volatile uint64_t found = header_.blocks;
  const bool whole = FaultGuard::Run([&] {
    uint64_t number = 0;
    if (FindBlock(ordinal, number)) found = number;
  });
  if (!whole || found >= header_.blocks) return false;
  const Known* const known = blocks_->known[found].load(std::memory_order_acquire);
  return known != nullptr && known->owned() && PlaceIn(*known, found, ordinal, place) == Step::kDone;
}

Result<OffsetMap::Place> OffsetMap::Find(uint64_t ordinal) const {
  Place place{};
  if (FindOwned(ordinal, place)) return place;
  OFINDEX_TRY(Find(std::span(&ordinal, 1), std::span(&place, 1)));
  return place;
}

// ---------------------------------------------------------------- shards

Result<MapShard> OffsetMap::ReadShard(uint64_t shard) const {
  const uint64_t at = header_.shards_at + shard * kMapShardBytes;
  const auto damaged = [&] { return Damaged(at, "the shard's checksum does not hold"); };
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

// The streams stand in the order of their shards.
Result<MapStream> OffsetMap::StreamOf(uint64_t shard) const {
  uint64_t low = 0;
  uint64_t high = header_.streams;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const uint64_t at = header_.streams_at + middle * kMapEntryBytes;
    std::array<uint8_t, kMapEntryBytes> entry{};
    OFINDEX_TRY(CopyOut(at, entry));
    MapStream stream;
    if (!stream.Decode(entry.data())) return Damaged(at, "the checksum of a compressed shard does not hold");
    if (stream.shard == shard) return stream;
    if (stream.shard < shard) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Damaged(header_.streams_at, "a compressed shard has no checkpoints");
}

// Some of the map's points. Each has a checksum, which is looked at where it is used.
class OffsetMap::Points final : public Checkpoints {
 public:
  Points(const uint8_t* map, uint64_t map_bytes, uint64_t at, uint64_t count)
      : bytes_(map, map_bytes), at_(at), count_(count) {}

  [[nodiscard]] size_t size() const override { return count_; }
  [[nodiscard]] Result<Checkpoint> At(size_t i) const override {
    std::array<uint8_t, kMapPointBytes> entry{};
    const uint8_t* const from = bytes_.data() + at_ + i * kMapPointBytes;
    if (!FaultGuard::Run([&] { std::memcpy(entry.data(), from, entry.size()); })) {
      return Fail(ErrorCode::kStale, "the map was cut since it was opened", kReopenHint);
    }
    MapPoint point;
    point.Decode(entry.data());
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
  OFINDEX_ASSIGN(const MapStream stream, Consistent([&] { return StreamOf(shard); }));
  if (!Fits(stream.first_point, stream.points, header_.points)) {
    return Damaged(header_.points_at, "the checkpoints of a shard lie outside their table");
  }
  return std::make_unique<Points>(data_, header_.file_bytes, header_.points_at + stream.first_point * kMapPointBytes,
                                  stream.points);
}

// ---------------------------------------------------------------- all of it

// Blocks follow one another, and each jump leads to the block of its record.
Result<void> OffsetMap::CheckBlocks(const Progress& progress) const {
  uint64_t records = 0;
  uint64_t jump = 0;
  for (uint64_t number = 0; number < header_.blocks; ++number) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const std::unique_ptr<Known> known, ReadBlock(number));
    if (known->block.first_record != records)
      return Damaged(EntryAt(number), "the block does not follow the one before");
    records += known->block.records;
    for (; jump * kJumpRecords < records; ++jump) {
      std::array<uint8_t, 4> entry{};
      const uint64_t at = header_.jumps_at + 4 * jump;
      if (jump >= JumpCount(header_.records)) break;
      OFINDEX_TRY(CopyOut(at, entry));
      if (LoadLe32(entry.data()) != number) return Damaged(at, "the jump table is damaged");
    }
  }
  if (records != header_.records) return Damaged(header_.blocks_at, "the blocks have other records than the header");
  return {};
}

Result<void> OffsetMap::CheckShards(const Progress& progress) const {
  for (uint64_t number = 0; number < header_.shards; ++number) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const MapShard shard, ReadShard(number));
    if (shard.compression != Compression::kNone) OFINDEX_TRY(CheckPoints(number, progress));
  }
  return {};
}

// The checkpoints of a shard: not what they inflate to, only that they are what was written.
Result<void> OffsetMap::CheckPoints(uint64_t shard, const Progress& progress) const {
  OFINDEX_ASSIGN(const MapStream stream, StreamOf(shard));
  OFINDEX_ASSIGN(const std::unique_ptr<Checkpoints> points, CheckpointsOf(shard));
  for (size_t i = 0; i < points->size(); ++i) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const Checkpoint point, points->At(i));
    if (CopyOfCheckpoint(point)) continue;
    return Damaged(header_.points_at + (stream.first_point + i) * kMapPointBytes,
                   "the checksum of a checkpoint does not hold");
  }
  return {};
}

Result<void> OffsetMap::CheckAll(const Progress& progress) const {
  return WithMemory("the map", [&]() -> Result<void> {
    OFINDEX_TRY(CheckBlocks(progress));
    return CheckShards(progress);
  });
}

}  // namespace ofindex

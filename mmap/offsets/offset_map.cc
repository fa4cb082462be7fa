#include "mmap/offsets/offset_map.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "mmap/files/fault_guard.h"

namespace ofindex {
namespace {

// More than the largest possible block: most records, farthest apart, all bad.
constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 20;

// Bytes of the tables that are requested when a map is opened: all of them, for up to some 10,000 blocks and shards.
//
// What a lookup is going to read is requested beforehand, in exact ranges. At a page fault that needs the disk, the
// kernel reads the device's whole read-ahead instead, up to several MiB, before the lookup continues.
constexpr uint64_t kRequestedTableBytes = uint64_t{1} << 20;

// Returns true if a table of `count` entries of `bytes` bytes at `at` fits in a file of `size` bytes.
bool TableFits(uint64_t at, uint64_t count, uint64_t bytes, uint64_t size) {
  return count <= size / bytes && Fits(at, count * bytes, size);
}

// Returns why a record is bad, 0 if it is not; `list` is its block's list of bad records.
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
  return Fail(ErrorCode::kIndex, StrCat(Printable(path()), "@", offset, ": ", what), kOffsetMapHint);
}

tl::unexpected<Error> OffsetMap::Rewritten() const {
  return Fail(ErrorCode::kStale, StrCat(Printable(path()), ": the map was truncated or rewritten since it was opened"),
              kOffsetMapReopenHint);
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
    return map.Damaged(facts.size, "the map is truncated, or longer than its header says");
  OFINDEX_TRY(map.CheckLayout());
  OFINDEX_ASSIGN(map.file_, MappedFile::Map(file, facts.size));
  map.data_ = map.file_.bytes().data();
  const uint64_t tables_at = map.header_.names_at;
  map.file_.Prefetch(tables_at, std::min(kRequestedTableBytes, facts.size - tables_at));
  // The header gives the count, and the header is untrusted.
  return WithMemory("the blocks of a map", [&]() -> Result<OffsetMap> {
    map.blocks_ = std::make_unique<BlockCache>(map.header_.blocks, copied_bytes);
    return std::move(map);
  });
}

Result<void> OffsetMap::CheckLayout() const {
  const uint64_t size = header_.file_bytes;
  if (header_.live > header_.records) return Damaged(0, "the map claims more records than ordinals");
  const bool fits = Fits(header_.names_at, header_.names_bytes, size) &&
                    TableFits(header_.shards_at, header_.shards, kMapShardBytes, size) &&
                    TableFits(header_.blocks_at, header_.blocks, kMapEntryBytes, size) &&
                    TableFits(header_.jumps_at, JumpCount(header_.records), 4, size) &&
                    TableFits(header_.streams_at, header_.streams, kMapEntryBytes, size) &&
                    TableFits(header_.points_at, header_.points, kMapPointBytes, size);
  if (!fits) return Damaged(0, "a table lies outside the file");
  return {};
}

// Checks that the header and all blocks used so far are unchanged.
Result<void> OffsetMap::CheckSound() const {
  OFINDEX_ASSIGN(const FileFacts facts, watch_.file().Facts());
  std::array<uint8_t, kMapHeaderBytes> header{};
  OFINDEX_TRY(watch_.file().ReadAt(0, header));
  if (facts.size != header_.file_bytes || header != header_bytes_) return Rewritten();
  for (uint64_t i = 0; i < blocks_->count; ++i) {
    const CachedBlock* const cached = blocks_->cached[i].load(std::memory_order_acquire);
    if (cached != nullptr && !Holds(*cached)) return Rewritten();
  }
  return {};
}

Result<void> OffsetMap::CopyOut(uint64_t at, std::span<uint8_t> out) const {
  if (out.empty()) return {};
  if (!FaultGuard::Run([&] { std::memcpy(out.data(), data_ + at, out.size()); })) return Rewritten();
  return {};
}

// ---------------------------------------------------------------- blocks

// Returns true if all bytes of the block in the file equal the copy, and the checksum matches. The checksum is computed
// over a copy, outside the guarded section, because code in a guarded section must own no resources.
bool OffsetMap::Holds(const CachedBlock& cached) const {
  bool holds = false;
  static_cast<void>(WithMemory("a block of a map", [&]() -> Result<void> {
    std::array<uint8_t, kMapEntryBytes> entry{};
    std::vector<uint8_t> stored(cached.block.stored_bytes());
    OFINDEX_TRY(CopyOut(EntryAt(cached.number), entry));
    OFINDEX_TRY(CopyOut(cached.block.packed_at, stored));
    holds = entry == cached.entry && std::equal(cached.stored.begin(), cached.stored.end(), stored.begin()) &&
            MapBlock::ChecksumHolds(entry.data(), stored);
    return {};
  }));
  return holds;
}

Result<std::unique_ptr<OffsetMap::CachedBlock>> OffsetMap::ReadBlock(uint64_t number) const {
  const auto damaged = [&] { return Damaged(EntryAt(number), "the block's checksum is wrong"); };
  auto cached = std::make_unique<CachedBlock>();
  cached->number = number;
  OFINDEX_TRY(CopyOut(EntryAt(number), cached->entry));
  MapBlock& block = cached->block;
  block.Decode(cached->entry.data());
  const uint64_t frames = PackedOffsets::FramesBytes(block.records);
  if (!Fits(block.packed_at, block.stored_bytes(), header_.file_bytes) || block.shard >= header_.shards ||
      frames > block.packed_bytes || block.stored_bytes() > kMaxBlockBytes) {
    return damaged();
  }
  file_.Prefetch(block.packed_at, block.stored_bytes());
  const bool whole = TakeRoom(*cached);
  cached->stored.resize(whole ? block.stored_bytes() : frames);
  OFINDEX_TRY(CopyOut(block.packed_at, cached->stored));
  const bool holds = whole ? MapBlock::ChecksumHolds(cached->entry.data(), cached->stored) : Holds(*cached);
  if (!holds || !PackedOffsets::Sound(cached->stored, block.packed_bytes, block.records)) return damaged();
  return cached;
}

bool OffsetMap::TakeRoom(CachedBlock& cached) const {
  const uint64_t bytes = cached.block.stored_bytes();
  uint64_t room = blocks_->room.load(std::memory_order_relaxed);
  while (room >= bytes) {
    if (!blocks_->room.compare_exchange_weak(room, room - bytes, std::memory_order_relaxed)) continue;
    cached.room = &blocks_->room;
    return true;
  }
  return false;
}

// Two threads may read the same block at once; the second discards its copy.
Result<const OffsetMap::CachedBlock*> OffsetMap::GetBlock(uint64_t number) const {
  std::atomic<const CachedBlock*>& place = blocks_->cached[number];
  if (const CachedBlock* const cached = place.load(std::memory_order_acquire)) return cached;
  return WithMemory("a block of a map", [&]() -> Result<const CachedBlock*> {
    OFINDEX_ASSIGN(std::unique_ptr<CachedBlock> read, ReadBlock(number));
    const CachedBlock* expected = nullptr;
    if (!place.compare_exchange_strong(expected, read.get(), std::memory_order_acq_rel)) return expected;
    return read.release();
  });
}

Result<OffsetMap::CheckedBlock> OffsetMap::Block(uint64_t number) const {
  OFINDEX_ASSIGN(const CachedBlock* const cached, GetBlock(number));
  return CheckedBlock{.block = cached->block,
                      .frames = cached->stored.data(),
                      .packed = cached->StoredIn(data_),
                      .owned = cached->owned()};
}

// ---------------------------------------------------------------- records

// Looks up the blocks of the first and last record that share the ordinal's upper bits in the jump table.
bool OffsetMap::CellOf(uint64_t cell, Cell& found) const {
  const uint8_t* jumps = data_ + header_.jumps_at;
  found.first = LoadLe32(jumps + 4 * cell);
  found.last = cell + 1 < JumpCount(header_.records) ? LoadLe32(jumps + 4 * (cell + 1)) : header_.blocks - 1;
  return found.first <= found.last && found.last < header_.blocks;
}

// Finds the last block of the ordinal's cell that does not begin after the record: one of the first two in a
// well-filled dataset, whose blocks hold 65,536 records. Finds the first block if all begin after it.
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

// Reads the map unless the block was copied whole.
OffsetMap::Step OffsetMap::PlaceIn(const CachedBlock& cached, uint64_t number, uint64_t ordinal, Place& place) const {
  const MapBlock& block = cached.block;
  const uint64_t record = ordinal - block.first_record;
  if (record >= block.records) return Step::kMissing;
  const uint8_t* const stored = cached.StoredIn(data_);
  const auto extent = PackedOffsets(cached.stored.data(), stored).At(static_cast<uint32_t>(record));
  if (extent.begin > extent.end || extent.begin < block.begin || extent.end > block.end) return Step::kOutside;
  const uint32_t reason =
      block.bad == 0 ? 0 : ReasonIn(stored + block.packed_bytes, block, static_cast<uint32_t>(record));
  place = {.shard = block.shard, .bad_reason = reason, .begin = extent.begin, .end = extent.end, .block = number};
  return Step::kDone;
}

// Runs in a guarded section, so a fault may end it at any load. Starts at ordinals[at], and keeps `at` up to date. Sets
// `other` to a block that must be read first or lacks the record, or to the offset of the damage.
OffsetMap::Step OffsetMap::LookUp(std::span<const uint64_t> ordinals, std::span<Place> places, volatile size_t& at,
                                  volatile uint64_t& other) const {
  const CachedBlock* cached = nullptr;
  uint64_t number = 0;
  for (size_t i = at; i < ordinals.size(); ++i) {
    at = i;
    const uint64_t ordinal = ordinals[i];
    if (cached == nullptr || ordinal - cached->block.first_record >= cached->block.records) {
      if (!FindBlock(ordinal, number)) return header_.blocks == 0 ? Step::kMissing : Step::kBadJumps;
      cached = blocks_->cached[number].load(std::memory_order_acquire);
      other = number;
      if (cached == nullptr) return Step::kOtherBlock;
    }
    const Step step = PlaceIn(*cached, number, ordinal, places[i]);
    if (step == Step::kOutside) other = cached->block.packed_at;
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
      case Step::kOtherBlock: OFINDEX_TRY(GetBlock(other)); break;
      case Step::kMissing: return Missing(ordinals[at], other);
      case Step::kBadJumps: return Damaged(header_.jumps_at, "the jump table is damaged");
      case Step::kOutside: return Damaged(other, "a record lies outside its block");
    }
  }
}

// Compares new blocks with the file: a block may have been copied while the file had other content, and been added only
// after the file was sound again.
Result<void> OffsetMap::CompareNew(std::span<const Place> places) const {
  uint64_t last = UINT64_MAX;
  for (const Place& place : places) {
    if (std::exchange(last, place.block) == place.block) continue;
    const CachedBlock* const cached = blocks_->cached[place.block].load(std::memory_order_acquire);
    if (!cached->confirmed.load(std::memory_order_relaxed) && !Holds(*cached)) return Rewritten();
  }
  return {};
}

// Marks the blocks as confirmed. A copy that was compared while the file was sound stays valid, whatever happens to the
// file later.
void OffsetMap::Confirm(std::span<const Place> places) const {
  uint64_t last = UINT64_MAX;
  for (const Place& place : places) {
    if (std::exchange(last, place.block) == place.block) continue;
    const CachedBlock* const cached = blocks_->cached[place.block].load(std::memory_order_acquire);
    if (!cached->confirmed.load(std::memory_order_relaxed)) cached->confirmed.store(true, std::memory_order_release);
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

// The jump table of the map only suggests a block. The block's own copy tells whether it holds the record, so a wrong
// suggestion does no harm.
bool OffsetMap::FindOwned(uint64_t ordinal, Place& place) const {
  volatile uint64_t found = header_.blocks;
  const bool whole = FaultGuard::Run([&] {
    uint64_t number = 0;
    if (FindBlock(ordinal, number)) found = number;
  });
  if (!whole || found >= header_.blocks) return false;
  const CachedBlock* const cached = blocks_->cached[found].load(std::memory_order_acquire);
  return cached != nullptr && cached->owned() && PlaceIn(*cached, found, ordinal, place) == Step::kDone;
}

Result<OffsetMap::Place> OffsetMap::Find(uint64_t ordinal) const {
  Place place{};
  if (FindOwned(ordinal, place)) return place;
  OFINDEX_TRY(Find(std::span(&ordinal, 1), std::span(&place, 1)));
  return place;
}

}  // namespace ofindex

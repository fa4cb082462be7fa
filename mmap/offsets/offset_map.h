#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file_watch.h"
#include "base/progress.h"
#include "base/result.h"
#include "mmap/files/mapped_file.h"
#include "mmap/inflate/checkpoint.h"
#include "mmap/offsets/offset_map_format.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {

/// The most bytes of map blocks that a process copies: packed offsets of some 2.5 million records of 250 bytes.
inline constexpr uint64_t kCopiedMapBytes = uint64_t{4} << 20;

/// What to do about a map that is damaged, and about one that was rewritten under its reader.
inline constexpr char kOffsetMapHint[] = "`ofindex build DATA` makes the map again from its index";
inline constexpr char kOffsetMapReopenHint[] = "open the dataset again";

/// Where every record of a dataset lies: a NAME.ofidx-map, mapped and shared by all processes of the host.
///
/// Immutable and thread-safe; usable after fork. Every byte of the file is taken for hostile: whatever it holds, an
/// answer is either what the map's checksums vouch for or an error. A map is replaced by rename, which does not concern
/// those that have the old one open. One that is cut or rewritten in place under a reader is an error, too, or gives
/// the answers that it gave before: the file is read in guarded sections, what leads from one place of it to another is
/// used from private copies, and an answer is given if the file has not changed meanwhile, or its bytes are found to be
/// what they were. The first blocks that are used are copied as a whole; only the way to them is then read in the file.
class OffsetMap {
 public:
  /// Opens in O(1), whatever the number of records and shards: reads the header, nothing else. Messages call the map
  /// `shown`, or `path` without that. At most about `copied_bytes` of blocks are copied as they are used.
  /// Errors: kNotFound  there is no such file; kIndex  it is no map, or not of this version, or damaged; kIo, kLimit.
  [[nodiscard]] static Result<OffsetMap> Open(const std::string& path, const std::string& shown = {},
                                              uint64_t copied_bytes = kCopiedMapBytes);

  [[nodiscard]] const MapHeader& header() const { return header_; }
  [[nodiscard]] uint64_t records() const { return header_.records; }
  [[nodiscard]] uint64_t shards() const { return header_.shards; }

  /// The map's file. What is read by way of a CheckedBlock is to be believed if the file has not changed since its
  /// state was asked for.
  [[nodiscard]] const FileWatch& watch() const { return watch_; }

  /// A record's place: [begin, end) of the shard, framing included.
  struct Place {
    uint32_t shard;
    uint32_t bad_reason;  ///< 0 for a sound record
    uint64_t begin;
    uint64_t end;
    uint64_t block;  ///< of the map
  };

  /// Place of record `ordinal`, less than records(). O(1); two cache misses in a large map, and no system call if its
  /// block is copied. ReadyBlocks is faster where many records are read.
  /// Errors: kIndex  the map is damaged; kStale  it was cut or rewritten since it was opened.
  [[nodiscard]] Result<Place> Find(uint64_t ordinal) const;

  /// Replaces each of `places` by that of the record in `ordinals` at the same place; both are of one size. Faster than
  /// one by one, above all in ascending order. Errors: the same.
  [[nodiscard]] Result<void> Find(std::span<const uint64_t> ordinals, std::span<Place> places) const;

  /// A block whose checksum held when it was first asked for, and its packed offsets, sound for all its records: their
  /// frames, which are a copy, and all of them. Valid while the map lives. Unless they are `owned`, the offsets are
  /// those in the map, to be read in a guarded section and believed if the file has not changed; if they are, they are
  /// a copy of what the map held while it was sound.
  struct CheckedBlock {
    const MapBlock& block;
    const uint8_t* frames;
    const uint8_t* packed;
    bool owned;
  };

  /// Block `number`, less than header().blocks. Errors: kIndex; kStale  the map was cut.
  [[nodiscard]] Result<CheckedBlock> Block(uint64_t number) const;

  /// The blocks [first, last] that hold the records with ordinals [kJumpRecords * cell, kJumpRecords * (cell + 1)).
  struct Cell {
    uint64_t first;
    uint64_t last;
  };

  /// Reads cell `cell`, less than JumpCount(records()), and puts the first record of each of its blocks into
  /// `first_records` at the block's number. What is found is a hint: whoever uses a block checks that it holds the
  /// record. Returns false if the map is damaged or cut.
  [[nodiscard]] bool ReadCell(uint64_t cell, std::atomic<uint64_t>* first_records, Cell& found) const;

  /// Shard `shard`, less than shards(). Errors: kIndex, kStale, kLimit.
  [[nodiscard]] Result<MapShard> Shard(uint64_t shard) const;

  /// The checkpoints of shard `shard`, which is compressed; the map must outlive them. Errors: kIndex, kStale.
  [[nodiscard]] Result<std::unique_ptr<Checkpoints>> CheckpointsOf(uint64_t shard) const;

  /// Reads all of the map: every checksum holds, and its tables agree. Errors: kIndex  names the first table entry that
  /// is damaged, or whose bytes are; kStale, kLimit; kInterrupted  `progress.cancel` was set.
  [[nodiscard]] Result<void> CheckAll(const Progress& progress = {}) const;

  /// Bytes at the front of every shard's path that name the folder they all lie in, "train/" for example.
  [[nodiscard]] uint64_t data_dir_bytes() const { return header_.data_dir_bytes; }

 private:
  class Points;
  enum class Step { kDone, kOtherBlock, kBadJumps, kOutside };

  /// A block's entry and frames, copied, and found to be what the entry's checksum is of.
  struct Known {
    Known() = default;
    ~Known() {
      if (room != nullptr) room->fetch_add(block.stored_bytes(), std::memory_order_relaxed);
    }
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;

    uint64_t number = 0;
    std::array<uint8_t, kMapEntryBytes> entry;
    MapBlock block;
    std::vector<uint8_t> stored;                 // the block's bytes: all of them if whole(), else those of the frames
    std::atomic<uint64_t>* room = nullptr;       // which a whole block has its bytes of, until it goes
    mutable std::atomic<bool> confirmed{false};  // they were compared with those of the file while it was sound

    [[nodiscard]] bool whole() const { return room != nullptr; }
    [[nodiscard]] bool owned() const { return whole() && confirmed.load(std::memory_order_acquire); }
    [[nodiscard]] const uint8_t* StoredIn(const uint8_t* map) const {
      return whole() ? stored.data() : map + block.packed_at;
    }
  };

  /// The blocks that were asked for, by number; null where none was.
  struct KnownBlocks {
    KnownBlocks(uint64_t blocks, uint64_t bytes)
        : known(std::make_unique<std::atomic<const Known*>[]>(blocks)), count(blocks), room(bytes) {}
    ~KnownBlocks() {
      for (uint64_t i = 0; i < count; ++i) delete known[i].load(std::memory_order_acquire);
    }
    KnownBlocks(const KnownBlocks&) = delete;
    KnownBlocks& operator=(const KnownBlocks&) = delete;

    std::unique_ptr<std::atomic<const Known*>[]> known;
    const uint64_t count;
    std::atomic<uint64_t> room;  // bytes that may yet be copied
  };

  explicit OffsetMap(File file) : watch_(std::move(file)) {}

  [[nodiscard]] const std::string& path() const { return watch_.file().path(); }
  [[nodiscard]] Result<void> CheckLayout() const;
  [[nodiscard]] Result<void> CheckSound() const;
  [[nodiscard]] Result<void> CheckBlocks(const Progress& progress) const;
  [[nodiscard]] Result<void> CheckShards(const Progress& progress) const;
  [[nodiscard]] Result<void> CheckPoints(uint64_t shard, const Progress& progress) const;
  [[nodiscard]] Result<void> FindAll(std::span<const uint64_t> ordinals, std::span<Place> places) const;
  [[nodiscard]] Step LookUp(std::span<const uint64_t> ordinals, std::span<Place> places, volatile size_t& at,
                            volatile uint64_t& other) const;
  [[nodiscard]] bool CellOf(uint64_t cell, Cell& found) const;
  [[nodiscard]] bool FindBlock(uint64_t ordinal, uint64_t& number) const;
  [[nodiscard]] bool FindOwned(uint64_t ordinal, Place& place) const;
  [[nodiscard]] Step PlaceIn(const Known& known, uint64_t number, uint64_t ordinal, Place& place) const;
  [[nodiscard]] Result<void> CompareNew(std::span<const Place> places) const;
  void Confirm(std::span<const Place> places) const;
  [[nodiscard]] Result<const Known*> KnownBlock(uint64_t number) const;
  [[nodiscard]] Result<std::unique_ptr<Known>> ReadBlock(uint64_t number) const;
  [[nodiscard]] bool Holds(const Known& known) const;
  [[nodiscard]] bool TakeRoom(Known& known) const;
  [[nodiscard]] Result<MapShard> ReadShard(uint64_t shard) const;
  [[nodiscard]] Result<MapStream> StreamOf(uint64_t shard) const;
  [[nodiscard]] Result<void> CopyOut(uint64_t at, std::span<uint8_t> out) const;
  [[nodiscard]] tl::unexpected<Error> Damaged(uint64_t offset, const char* what) const;
  [[nodiscard]] tl::unexpected<Error> Rewritten() const;
  [[nodiscard]] uint64_t EntryAt(uint64_t block) const { return header_.blocks_at + block * kMapEntryBytes; }

  // Calls `read` while the file does not change, or as often as it takes.
  template <typename Read>
  [[nodiscard]] auto Consistent(Read&& read) const {
    return watch_.Consistent([this] { return CheckSound(); }, read);
  }

  std::array<uint8_t, kMapHeaderBytes> header_bytes_;
  MapHeader header_;
  FileWatch watch_;
  MappedFile file_;
  const uint8_t* data_ = nullptr;  // to be read in a guarded section
  std::unique_ptr<KnownBlocks> blocks_;
};

[[nodiscard]] constexpr uint64_t JumpCount(uint64_t records) {
  return records / kJumpRecords + (records % kJumpRecords != 0 ? 1 : 0);
}

}  // namespace ofindex

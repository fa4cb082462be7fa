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

/// Maximum bytes of map blocks that a process copies: packed offsets of some 2.5 million records of 250 bytes.
inline constexpr uint64_t kCopiedMapBytes = uint64_t{4} << 20;

/// Hints for a damaged map, and for one that was rewritten under its reader.
inline constexpr char kOffsetMapHint[] = "rebuild the map from its index with `ofindex build DATA`";
inline constexpr char kOffsetMapReopenHint[] = "open the dataset again";

/// The location of every record in a dataset: a NAME.ofidx-map, mapped and shared by all processes of the host.
///
/// Immutable and thread-safe; usable after fork. Every byte of the file is untrusted: for any content, an answer is
/// either verified by the map's checksums or an error. A map is replaced by rename, which does not affect
/// readers that have the old one open. If a map is truncated or rewritten in place under a reader, the answers are
/// errors or the same as before: the file is read in guarded sections, references from one place in it to another
/// are followed only in private copies, and an answer is returned only if the file has not changed meanwhile, or
/// its bytes are verified to be the same. The first blocks that are used are copied whole; from then on, only the
/// entries that lead to these blocks are read from the file.
class OffsetMap {
 public:
  /// Opens a map in O(1), for any number of records and shards: reads only the header. Messages use `shown`, or `path`
  /// if `shown` is empty. Copies at most about `copied_bytes` of blocks, as they are used.
  /// Errors: kNotFound if there is no such file; kIndex if the file is not a map, has another version, or is damaged;
  /// kIo, kLimit.
  [[nodiscard]] static Result<OffsetMap> Open(const std::string& path, const std::string& shown = {},
                                              uint64_t copied_bytes = kCopiedMapBytes);

  [[nodiscard]] const MapHeader& header() const { return header_; }

  /// Returns the end of the ordinals, and how many of them have a record. The others are holes: their records are gone.
  [[nodiscard]] uint64_t records() const { return header_.records; }
  [[nodiscard]] uint64_t live() const { return header_.live; }

  [[nodiscard]] uint64_t shards() const { return header_.shards; }

  /// Returns the map's file. Data read through a CheckedBlock can be trusted if the file has not changed since
  /// watch().state() was loaded.
  [[nodiscard]] const FileWatch& watch() const { return watch_; }

  /// The location of a record: [begin, end) in the shard, framing included.
  struct Place {
    uint32_t shard;
    uint32_t bad_reason;  ///< 0 for a sound record
    uint64_t begin;
    uint64_t end;
    uint64_t block;  ///< in the map
  };

  /// Returns the place of record `ordinal`, which is less than records(). O(1): two cache misses in a large map, and no
  /// system call if the block is copied. HotBlockCache is faster for many records.
  /// Errors: kOutOfRange if the record is gone; kIndex if the map is damaged; kStale if the map was truncated or
  /// rewritten after it was opened.
  [[nodiscard]] Result<Place> Find(uint64_t ordinal) const;

  /// Sets places[i] to the place of record ordinals[i]; both spans have the same size. Faster than one call per record,
  /// above all for ascending ordinals. Errors: as for one record.
  [[nodiscard]] Result<void> Find(std::span<const uint64_t> ordinals, std::span<Place> places) const;

  /// A block whose checksum held when it was first used, and its packed offsets, which are sound for all its records.
  /// `frames` is a copy of the frames; `packed` is the whole blob. Valid while the map lives. If `owned`, `packed` is a
  /// copy, made while the map was sound. Otherwise `packed` points into the map: read it in a guarded section, and
  /// trust the result only if the file has not changed.
  struct CheckedBlock {
    const MapBlock& block;
    const uint8_t* frames;
    const uint8_t* packed;
    bool owned;
  };

  /// Returns block `number`, which is less than header().blocks. Errors: kIndex; kStale if the map was truncated.
  [[nodiscard]] Result<CheckedBlock> Block(uint64_t number) const;

  /// The blocks [first, last], among which are all that hold records with ordinals [kJumpRecords * cell, kJumpRecords *
  /// (cell + 1)).
  struct Cell {
    uint64_t first;
    uint64_t last;
  };

  /// Reads cell `cell`, which is less than JumpCount(records()), and stores the first record of each of its blocks in
  /// `first_records` at the block's number. The result is only a hint: the caller must check that a block holds the
  /// record. Returns false if the map is damaged or truncated.
  [[nodiscard]] bool ReadCell(uint64_t cell, std::atomic<uint64_t>* first_records, Cell& found) const;

  /// Returns shard `shard`, which is less than shards(). Errors: kIndex, kStale, kLimit.
  [[nodiscard]] Result<MapShard> Shard(uint64_t shard) const;

  /// Returns the checkpoints of the compressed shard `shard`; the map must outlive them. Errors: kIndex, kStale.
  [[nodiscard]] Result<std::unique_ptr<Checkpoints>> CheckpointsOf(uint64_t shard) const;

  /// Reads the whole map and checks every checksum and the consistency of its tables. Errors: kIndex, whose message
  /// gives the first table entry that is damaged or refers to damaged bytes; kStale, kLimit; kInterrupted if
  /// `progress.cancel` was set.
  [[nodiscard]] Result<void> CheckAll(const Progress& progress = {}) const;

  /// Returns the length in bytes of the shards' common folder, for example "train/", with which each of their paths
  /// begins.
  [[nodiscard]] uint64_t data_dir_bytes() const { return header_.data_dir_bytes; }

 private:
  class Points;
  enum class Step { kDone, kOtherBlock, kMissing, kBadJumps, kOutside };

  /// A copy of a block's entry and frames, verified by the entry's checksum.
  struct CachedBlock {
    CachedBlock() = default;
    ~CachedBlock() {
      if (room != nullptr) room->fetch_add(block.stored_bytes(), std::memory_order_relaxed);
    }
    CachedBlock(const CachedBlock&) = delete;
    CachedBlock& operator=(const CachedBlock&) = delete;

    uint64_t number = 0;
    std::array<uint8_t, kMapEntryBytes> entry;
    MapBlock block;
    std::vector<uint8_t> stored;                 // all bytes of the block if whole(), otherwise its frames
    std::atomic<uint64_t>* room = nullptr;       // budget to which a whole block returns its bytes when destroyed
    mutable std::atomic<bool> confirmed{false};  // compared with the file's bytes while the file was sound

    [[nodiscard]] bool whole() const { return room != nullptr; }
    [[nodiscard]] bool owned() const { return whole() && confirmed.load(std::memory_order_acquire); }
    [[nodiscard]] const uint8_t* StoredIn(const uint8_t* map) const {
      return whole() ? stored.data() : map + block.packed_at;
    }
  };

  /// The blocks used so far, by number; null for the others.
  struct BlockCache {
    BlockCache(uint64_t blocks, uint64_t bytes)
        : cached(std::make_unique<std::atomic<const CachedBlock*>[]>(blocks)), count(blocks), room(bytes) {}
    ~BlockCache() {
      for (uint64_t i = 0; i < count; ++i) delete cached[i].load(std::memory_order_acquire);
    }
    BlockCache(const BlockCache&) = delete;
    BlockCache& operator=(const BlockCache&) = delete;

    std::unique_ptr<std::atomic<const CachedBlock*>[]> cached;
    const uint64_t count;
    std::atomic<uint64_t> room;  // bytes that may still be copied
  };

  explicit OffsetMap(File file) : watch_(std::move(file)) {}

  [[nodiscard]] const std::string& path() const { return watch_.file().path(); }
  [[nodiscard]] Result<void> CheckLayout() const;
  [[nodiscard]] Result<void> CheckSound() const;
  [[nodiscard]] Result<void> CheckBlocks(const Progress& progress) const;
  [[nodiscard]] Result<void> CheckJumps(uint64_t end, uint64_t blocks, uint64_t& jump) const;
  [[nodiscard]] Result<void> CheckShards(const Progress& progress) const;
  [[nodiscard]] Result<void> CheckPoints(uint64_t shard, const Progress& progress) const;
  [[nodiscard]] Result<void> FindAll(std::span<const uint64_t> ordinals, std::span<Place> places) const;
  [[nodiscard]] Step LookUp(std::span<const uint64_t> ordinals, std::span<Place> places, volatile size_t& at,
                            volatile uint64_t& other) const;
  [[nodiscard]] bool CellOf(uint64_t cell, Cell& found) const;
  [[nodiscard]] bool FindBlock(uint64_t ordinal, uint64_t& number) const;
  [[nodiscard]] bool FindOwned(uint64_t ordinal, Place& place) const;
  [[nodiscard]] Step PlaceIn(const CachedBlock& cached, uint64_t number, uint64_t ordinal, Place& place) const;
  [[nodiscard]] Result<void> CompareNew(std::span<const Place> places) const;
  void Confirm(std::span<const Place> places) const;
  [[nodiscard]] Result<const CachedBlock*> GetBlock(uint64_t number) const;
  [[nodiscard]] Result<std::unique_ptr<CachedBlock>> ReadBlock(uint64_t number) const;
  [[nodiscard]] bool Holds(const CachedBlock& cached) const;
  [[nodiscard]] bool TakeRoom(CachedBlock& cached) const;
  [[nodiscard]] Result<MapShard> ReadShard(uint64_t shard) const;
  [[nodiscard]] Result<MapShard> ShardThatHeld(uint64_t ordinal) const;
  [[nodiscard]] Result<MapStream> StreamOf(uint64_t shard) const;
  [[nodiscard]] Result<void> CopyOut(uint64_t at, std::span<uint8_t> out) const;
  [[nodiscard]] tl::unexpected<Error> Damaged(uint64_t offset, const char* what) const;
  [[nodiscard]] tl::unexpected<Error> Rewritten() const;
  [[nodiscard]] tl::unexpected<Error> Missing(uint64_t ordinal, uint64_t number) const;
  [[nodiscard]] tl::unexpected<Error> Gone(uint64_t ordinal) const;
  [[nodiscard]] Result<bool> InHole(uint64_t ordinal, uint64_t number) const;
  [[nodiscard]] Result<uint64_t> CheckedFirst(uint64_t number) const;
  [[nodiscard]] uint64_t EntryAt(uint64_t block) const { return header_.blocks_at + block * kMapEntryBytes; }

  // Calls `read` while the file does not change, retrying if it does.
  template <typename Read>
  [[nodiscard]] auto Consistent(Read&& read) const {
    return watch_.Consistent([this] { return CheckSound(); }, read);
  }

  std::array<uint8_t, kMapHeaderBytes> header_bytes_;
  MapHeader header_;
  FileWatch watch_;
  MappedFile file_;
  const uint8_t* data_ = nullptr;  // read only in a guarded section
  std::unique_ptr<BlockCache> blocks_;
};

}  // namespace ofindex

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/batch/ready_blocks.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/record_batch.h"
#include "mmap/shard_paths.h"
#include "mmap/sources/open_shard.h"

namespace ofindex {

/// Of compressed shards: room for the spans of the 32 runs that `--block auto` has in flight.
inline constexpr uint64_t kInflatedCacheBytes = uint64_t{320} << 20;

struct ReaderOptions {
  IoMode io = IoMode::kAuto;
  std::string root = {};         ///< folder that holds a copy of the dataset; empty: the shards where the index says
  bool allow_bad = false;        ///< give the payloads of records that are marked bad, instead of an error
  uint64_t max_maps = 0;         ///< shards mapped at the most; 0: half of what the kernel allows a process
  uint64_t max_descriptors = 0;  ///< descriptors kept open at the most; 0: a quarter of the process's limit
  /// What is kept of compressed shards, inflated; at least the span that is read.
  uint64_t inflated_cache_bytes = kInflatedCacheBytes;
};

/// Gives any record of a dataset in O(1), by its ordinal. Immutable to its users and thread-safe, without locks but for
/// compressed shards; usable after fork by parent and child alike; never touches SQLite.
///
/// Shards are opened and checked against the index when first touched, and stay open while the reader lives. Past the
/// limits on maps and descriptors, shards are read by pread and looked up by name: slower, with the same answers.
class RecordReader {
 public:
  /// Takes `map`, whose shard paths are relative to `folder`. Opens no shard. Of a map that claims more shards than
  /// memory can hold, every read is kLimit. Relative paths are of the working directory `anchor`, whatever it is later.
  [[nodiscard]] static RecordReader Open(std::shared_ptr<const OffsetMap> map, const std::string& folder,
                                         ReaderOptions options = {}, std::string anchor = WorkingFolder());
  [[nodiscard]] static RecordReader Open(OffsetMap map, const std::string& folder, ReaderOptions options = {}) {
    return Open(std::make_shared<const OffsetMap>(std::move(map)), folder, std::move(options));
  }

  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  [[nodiscard]] uint64_t size() const { return map_->records(); }
  [[nodiscard]] const OffsetMap& map() const { return *map_; }

  /// Whether a shard is compressed, so that reading a record may take milliseconds.
  [[nodiscard]] bool inflates() const { return map_->header().streams != 0; }
  [[nodiscard]] uint64_t inflated_cache_bytes() const { return options_.inflated_cache_bytes; }

  /// Where record `ordinal` lies; opens its shard's entry, not the shard.
  /// Errors: kOutOfRange, kIndex.
  [[nodiscard]] Result<RecordLocation> Locate(uint64_t ordinal) const;

  /// Returns the payload of record `ordinal`, without copying.
  ///
  /// Covers the payload bytes alone: length prefix and checksums are excluded. Valid while this reader lives. The one
  /// unguarded read: touching the bytes after somebody has truncated the shard raises SIGBUS. Thread-safe. A shard that
  /// was changed before is noticed within a tick of the system's clock; later changes show in the bytes. Reads no byte,
  /// or the record's header alone; Copy() and CopyInto() check the framing around them. Of a
  /// compressed shard the payload is inflated into memory that the reader keeps, inflated_cache_bytes of it at the
  /// most: there View is guarded, and for few records.
  ///
  /// Errors: kOutOfRange  `ordinal` is not in [0, size())
  ///         kDamage      the record is marked bad, and the reader was not opened with allow_bad
  ///         kStale       the shard is no longer the file that was indexed (hint: `ofindex build --force`)
  ///         kLimit       the shard is not mapped: network file system, io=pread, or no map left; or it is compressed,
  ///                      and the views of such shards are as large as they may be together
  ///         kIndex       the map is damaged; kStale  it was cut or rewritten since it was opened
  [[nodiscard]] Result<ByteView> View(uint64_t ordinal) const;

  /// Returns what View does, if that takes no more than a look at the map. Opens nothing, waits for nothing and
  /// inflates nothing.
  [[nodiscard]] std::optional<ByteView> ViewAtOnce(uint64_t ordinal) const;

  /// Replaces each of `views` by a view of the record in `ordinals` at the same place; both are of one size. A good
  /// deal faster than one by one, because the places of several records are looked up at once: 64 at a time are enough.
  /// Errors: those of View; what `views` holds is then of no use.
  [[nodiscard]] Result<void> View(std::span<const uint64_t> ordinals, std::span<ByteView> views) const;

  /// Gives room for a payload of `length` bytes; null if there is none.
  using GiveRoom = std::function<uint8_t*(uint64_t length)>;

  /// Copies the payload of record `ordinal` to where `room`, called once or, where something was amiss, once more,
  /// says. The fastest way to one record: a shard that was cut is noticed at once, and so is a map that leads to
  /// anything but a record's header of that length; a shard or map that was changed otherwise is noticed within a tick
  /// of the system's clock, which is a few milliseconds. Copy() notices all at once. Thread-safe. Errors: those of
  /// Copy; kLimit  there was no room.
  [[nodiscard]] Result<void> CopyTo(uint64_t ordinal, const GiveRoom& room) const;

  /// Does what CopyTo does, if that takes no more than a copy out of a map: true if it was done. Opens nothing and
  /// inflates nothing. False says nothing of the reason, and `room` may have been called.
  [[nodiscard]] bool TryCopyTo(uint64_t ordinal, const GiveRoom& room) const;

  /// Replaces `out` by the payload of record `ordinal`. Thread-safe. Errors: those of View, where kLimit is memory;
  /// kIo.
  [[nodiscard]] Result<void> Copy(uint64_t ordinal, std::vector<uint8_t>& out) const;

  /// Copies the payloads of `ordinals` into `batch`, in the order asked for; repeats are allowed. Has the next records
  /// on their way into the cache; where the last batch had to wait for the disk, asks for all pages ahead and reads the
  /// records in the order in which they lie. Thread-safe. On an error, which names the record, the batch holds nothing
  /// of use.
  ///
  /// Errors: those of Copy.
  [[nodiscard]] Result<void> CopyInto(std::span<const uint64_t> ordinals, RecordBatch& batch) const;

  /// Asks the system to read records `first` to `first` + `count` - 1, all of which exist, in the background. A hint:
  /// what cannot be asked for is not. Thread-safe.
  void Prefetch(uint64_t first, uint64_t count) const;

  /// Reads bytes of shard `shard`, as offsets of the index name them: of its file, or inflated. For what lies around
  /// records; does not look whether the shard is still the file that was indexed. Returns how many; fewer only where it
  /// ends. Errors: kIndex, kIo; kStale  it no longer inflates to them.
  [[nodiscard]] Result<size_t> ReadBytes(uint32_t shard, uint64_t offset, std::span<uint8_t> out) const;

  /// Path of shard `shard` as the index has it, and where this reader looks for it. Errors: kIndex.
  [[nodiscard]] Result<std::string> ShardPath(uint32_t shard) const;

 private:
  struct Shards;

  RecordReader(std::shared_ptr<const OffsetMap> map, ShardPaths paths, ReaderOptions options);

  [[nodiscard]] bool ShardUnchanged(uint32_t shard, int64_t tick) const;
  [[nodiscard]] Result<ByteView> ViewChecked(uint64_t ordinal) const;
  [[nodiscard]] Result<ByteView> ViewInflated(RecordRead read, const OpenShard& shard) const;
  [[nodiscard]] Result<std::optional<OpenShard::Inflation>> InflationOf(uint32_t shard, const MapShard& entry) const;
  [[nodiscard]] Result<OffsetMap::Place> FindSound(uint64_t ordinal) const;
  [[nodiscard]] Result<void> CheckSound(uint64_t ordinal, const OffsetMap::Place& place) const;
  [[nodiscard]] Result<const OpenShard*> Shard(uint32_t shard) const;
  [[nodiscard]] Result<const OpenShard*> OpenNow(uint32_t shard) const;
  [[nodiscard]] Result<RecordRead> PlanRead(uint64_t ordinal, const OffsetMap::Place& place,
                                            const OpenShard& shard) const;
  [[nodiscard]] Result<void> CopyOneCarefully(uint64_t ordinal, const GiveRoom& room) const;
  [[nodiscard]] bool TryCopyWarm(std::span<const uint64_t> ordinals, RecordBatch& batch) const;
  [[nodiscard]] Result<void> CopyCarefully(std::span<const uint64_t> ordinals, RecordBatch& batch) const;
  [[nodiscard]] Result<void> FindPlaces(RecordBatch& batch) const;
  [[nodiscard]] Result<void> PlanBatch(std::span<const uint64_t> ordinals, RecordBatch& batch) const;
  [[nodiscard]] Result<void> ReadBatch(const RecordBatch& batch) const;

  std::shared_ptr<const OffsetMap> map_;
  ShardPaths paths_;
  ReaderOptions options_;
  std::unique_ptr<Shards> shards_;
  std::unique_ptr<ReadyBlocks> ready_;
};

}  // namespace ofindex

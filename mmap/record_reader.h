#pragma once

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
#include "mmap/lent_record.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/reader_options.h"
#include "mmap/record_batch.h"
#include "mmap/shard_paths.h"
#include "mmap/sources/open_shard.h"

namespace ofindex {

struct ReaderState;

/// Random access to the records of a dataset by ordinal, in O(1). Logically immutable and thread-safe, without locks
/// except for compressed shards; usable after fork in parent and child; never touches SQLite.
///
/// Shards are opened and checked against the index when first used, and stay open while the reader lives. Beyond the
/// limits on maps and descriptors, shards are read by pread and looked up by name: slower, with the same answers.
class RecordReader {
 public:
  /// Opens a reader over `map`, whose shard paths are relative to `folder`. Opens no shard. If the map claims more
  /// shards than memory can hold, every read fails with kLimit. Relative paths are resolved against the working
  /// directory `anchor`, even if it changes later.
  [[nodiscard]] static RecordReader Open(std::shared_ptr<const OffsetMap> map, const std::string& folder,
                                         const ReaderOptions& options = {},
                                         const std::string& anchor = WorkingFolder());
  [[nodiscard]] static RecordReader Open(OffsetMap map, const std::string& folder, const ReaderOptions& options = {}) {
    return Open(std::make_shared<const OffsetMap>(std::move(map)), folder, options);
  }

  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  /// Returns the end of the ordinals. Those of records that are gone are included: reading one of them is kOutOfRange.
  [[nodiscard]] uint64_t size() const { return map_->records(); }

  /// Returns the number of records that are not gone.
  [[nodiscard]] uint64_t live() const { return map_->live(); }
  [[nodiscard]] const OffsetMap& map() const { return *map_; }

  /// Returns whether any shard is compressed, so that reading a record may take milliseconds.
  [[nodiscard]] bool inflates() const { return map_->header().streams != 0; }
  [[nodiscard]] uint64_t inflated_cache_bytes() const { return inflated_cache_bytes_; }

  /// Returns the location of record `ordinal`. Reads its shard's entry, but does not open the shard.
  /// Errors: kOutOfRange, kIndex.
  [[nodiscard]] Result<RecordLocation> Locate(uint64_t ordinal) const;

  /// Returns the payload of record `ordinal`, without copying.
  ///
  /// Covers the payload bytes alone: length prefix and checksums are excluded. Valid while this reader lives.
  /// Thread-safe. This is the one unguarded read: touching the bytes after the shard was truncated raises SIGBUS.
  /// Changes made to a shard before the call are noticed within a tick of the system's clock; later changes are visible
  /// in the bytes. Reads at most the record's header, unlike Copy() and CopyInto(), which check the framing. The
  /// payload of a record in a compressed shard is inflated into memory that the reader keeps, at most
  /// inflated_cache_bytes in total: such views are safe to read, but meant for few records.
  ///
  /// Errors: kOutOfRange if `ordinal` is not in [0, size()) or its record is gone; kDamage if the record is marked bad,
  /// and the reader was not opened with allow_bad; kStale if the shard is no longer the file that was indexed (hint:
  /// `ofindex update`), or if the map was truncated or rewritten after it was opened; kLimit if the shard is not
  /// mapped (network file system, io=pread, or no map left), or if it is compressed and the views of compressed shards
  /// have reached their total limit; kIndex if the map is damaged.
  [[nodiscard]] Result<ByteView> View(uint64_t ordinal) const;

  /// Returns the result of View if the fast path can produce it, otherwise nullopt. Opens nothing, waits for nothing
  /// and inflates nothing.
  [[nodiscard]] std::optional<ByteView> ViewAtOnce(uint64_t ordinal) const;

  /// Sets views[i] to a view of record ordinals[i]; both spans have the same size. Much faster than one call per
  /// record, because several records are located at once; calls with 64 records reach full speed.
  /// Errors: those of View; the content of `views` is then unspecified.
  [[nodiscard]] Result<void> View(std::span<const uint64_t> ordinals, std::span<ByteView> views) const;

  /// Returns room for a payload of `length` bytes; null if there is none.
  using GiveRoom = std::function<uint8_t*(uint64_t length)>;

  /// Copies the payload of record `ordinal` to the address that `room` returns. `room` is called once, or again if the
  /// first attempt failed. The fastest way to read one record. A truncated shard is noticed immediately, and so is a
  /// map that does not lead to a record header with the right length. Any other change to the shard or map is noticed
  /// within a tick of the system's clock, a few milliseconds; Copy() notices every change immediately. Thread-safe.
  /// Errors: those of Copy; kLimit if `room` returned null.
  [[nodiscard]] Result<void> CopyTo(uint64_t ordinal, const GiveRoom& room) const;

  /// Does the same as CopyTo and returns true if the record can be copied straight from the map of its shard. Otherwise
  /// returns false without giving a reason; it may have called `room` even then. Opens nothing and inflates nothing.
  [[nodiscard]] bool TryCopyTo(uint64_t ordinal, const GiveRoom& room) const;

  /// Replaces the content of `out` by the payload of record `ordinal`. Thread-safe. Errors: those of View, but kLimit
  /// only if memory ran out; kIo.
  [[nodiscard]] Result<void> Copy(uint64_t ordinal, std::vector<uint8_t>& out) const;

  /// Returns the payload of record `ordinal`: lent by its shard, without a copy, if it has more than kLentRecordBytes
  /// and the shard is mapped; otherwise copied to `room`, which must outlive it. Thread-safe. Errors: those of Copy.
  [[nodiscard]] Result<LentRecord> Lend(uint64_t ordinal, std::vector<uint8_t>& room) const;

  /// Copies the payloads of `ordinals` into `batch`, in the order given; repeats are allowed. Prefetches the next
  /// records into the cache. If the previous batch had to wait for the disk, requests all pages in advance and reads
  /// the records in storage order. Thread-safe. On an error, which names the record, the content of the batch is
  /// unspecified.
  ///
  /// Errors: those of Copy.
  [[nodiscard]] Result<void> CopyInto(std::span<const uint64_t> ordinals, RecordBatch& batch) const;

  /// Asks the system to read records `first` to `first` + `count` - 1, all less than size(), in the background. Only a
  /// hint: records that cannot be prefetched are skipped, and so is the whole range if record `first` is gone.
  /// Thread-safe.
  void Prefetch(uint64_t first, uint64_t count) const;

  /// Reads bytes of shard `shard`. Like the offsets in the index, `offset` is in the file or, for a compressed shard,
  /// in its inflated bytes. Meant for the bytes around records; does not check whether the shard is still the indexed
  /// file. Returns the number of bytes read, which is smaller only at the end. Errors: kIndex, kIo; kStale if the shard
  /// no longer inflates to these bytes.
  [[nodiscard]] Result<size_t> ReadBytes(uint32_t shard, uint64_t offset, std::span<uint8_t> out) const;

  /// Returns the path at which this reader looks for shard `shard`, as used in messages. Errors: kIndex.
  [[nodiscard]] Result<std::string> ShardPath(uint32_t shard) const;

 private:
  RecordReader(std::shared_ptr<const OffsetMap> map, ShardPaths paths, const ReaderOptions& options);

  [[nodiscard]] Result<ByteView> ViewChecked(uint64_t ordinal) const;
  [[nodiscard]] Result<ByteView> ViewInflated(RecordRead read, const OpenShard& shard) const;
  [[nodiscard]] Result<void> CopyOneSlow(uint64_t ordinal, const GiveRoom& room) const;
  [[nodiscard]] bool TryCopyFast(std::span<const uint64_t> ordinals, RecordBatch& batch) const;
  [[nodiscard]] Result<void> CopySlow(std::span<const uint64_t> ordinals, RecordBatch& batch) const;

  std::shared_ptr<const OffsetMap> map_;
  uint64_t inflated_cache_bytes_;
  std::unique_ptr<ReaderState> state_;
};

}  // namespace ofindex

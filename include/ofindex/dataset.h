#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/bytes.h>
#include <ofindex/features.h>
#include <ofindex/info.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

class OpenedDataset;

struct OpenOptions {
  std::string root = {};   ///< folder that holds a copy of the shards; empty: the place given in the index
  bool map_shards = true;  ///< false: read shards by pread; View is then an error
  bool allow_bad = false;  ///< return the payloads of records that are marked bad, instead of an error
  /// Maximum bytes of inflated data to keep for compressed shards.
  uint64_t inflated_cache_bytes = uint64_t{320} << 20;
};

/// The payload of one record, not copied. Keeps the dataset open, so it may outlive every Dataset. Copies are cheap.
class RecordView {
 public:
  RecordView() = default;
  RecordView(std::shared_ptr<const void> owner, ByteView bytes) : owner_(std::move(owner)), bytes_(bytes) {}

  /// The payload, without framing. Valid as long as a copy of this object lives.
  [[nodiscard]] ByteView bytes() const { return bytes_; }

 private:
  std::shared_ptr<const void> owner_;
  ByteView bytes_;
};

/// The payloads of many records, one after the other in one buffer. Designed for reuse: the buffer only grows. Not
/// thread-safe. A moved-from batch is empty and may be filled again.
class OFINDEX_API RecordBatch {
 public:
  RecordBatch();
  RecordBatch(RecordBatch&& other) noexcept;
  RecordBatch& operator=(RecordBatch&& other) noexcept;
  ~RecordBatch();

  [[nodiscard]] size_t size() const { return ends_.size(); }

  /// Returns payload `i`, which is less than size(). Valid until the batch is filled again, moved or destroyed.
  [[nodiscard]] ByteView operator[](size_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {bytes_ + begin, ends_[i] - begin};
  }

  /// All payloads, concatenated, and the end offset of each in bytes().
  [[nodiscard]] ByteView bytes() const { return {bytes_, ends_.empty() ? 0 : ends_.back()}; }
  [[nodiscard]] std::span<const uint64_t> ends() const { return ends_; }

 private:
  friend class Dataset;
  struct OFINDEX_INTERNAL State;

  std::unique_ptr<State> state_;
  const uint8_t* bytes_ = nullptr;
  std::span<const uint64_t> ends_;
};

/// The location of a record.
struct RecordLocation {
  uint32_t shard = 0;   ///< index in DatasetInfo::shards
  uint64_t offset = 0;  ///< byte at which its framing begins: in the shard, or in its inflated bytes
  uint64_t length = 0;  ///< payload bytes, without framing
};

/// A dataset open for reading: one snapshot of an index, its shards and its columns. If the index is rebuilt, an open
/// dataset keeps reading the old one. It is an error to read a shard that was replaced or changed since it was indexed.
///
/// A handle: copies share the open dataset. It stays open as long as any copy, or any object made from one, lives. A
/// move is a copy, so there is no moved-from state. Immutable and thread-safe; usable after fork, in parent and child.
/// Ordinals, the numbers of records, are in [0, size()), in the order of the shards when the index was built. An update
/// of the index moves none: new records get the next ones, and those of records that are gone stay free.
class OFINDEX_API Dataset {
 public:
  /// Opens the index `name`, or the index of the data `name`. Takes the same time for any number of records and shards;
  /// opens no shard.
  /// Errors: kNotFound if there is no index (see BuildIndex); kIndex, kIo; kStale if the index keeps being replaced.
  [[nodiscard]] static Result<Dataset> Open(const std::string& name, const OpenOptions& options = {});

  Dataset(const Dataset&);
  Dataset& operator=(const Dataset&);
  ~Dataset();

  /// Number of ordinals: each record's is below it. Without updates, also the number of records.
  [[nodiscard]] uint64_t size() const;

  /// Number of records: those that are gone are not counted.
  [[nodiscard]] uint64_t live_size() const;

  /// Path of the index.
  [[nodiscard]] const std::string& index_path() const;

  /// Reads shards, features, damage and bad records from the index. Errors: kIndex, kIo; kStale if it was rewritten.
  [[nodiscard]] Result<DatasetInfo> Info() const;

  /// The first call reads the shards' names from the index. Errors: kOutOfRange; kIndex, kIo; kStale if the index was
  /// rewritten.
  [[nodiscard]] Result<RecordLocation> Locate(uint64_t ordinal) const;

  /// Returns the payload of record `ordinal`, copied and checked: a shard that is no longer the file that was indexed
  /// is an error. A truncated shard is noticed immediately, any other change within a tick of the system's clock, which
  /// is some milliseconds; ReadBatch notices every change immediately. The second form replaces the content of `out`,
  /// and reuses its memory.
  ///
  /// Errors: kOutOfRange if `ordinal` is not in [0, size()), or if its record is gone; kDamage if the record is marked
  /// bad, and the dataset was not opened with allow_bad; kStale if the shard is no longer the file that was indexed;
  /// kIo if it cannot be read; kIndex if the index is damaged; kLimit.
  [[nodiscard]] Result<std::vector<uint8_t>> Read(uint64_t ordinal) const;
  [[nodiscard]] Result<void> Read(uint64_t ordinal, std::vector<uint8_t>& out) const;

  /// Returns the payload of record `ordinal` without copying: a view into the mapped shard or, for a compressed shard,
  /// into memory that the dataset keeps. That memory is at most inflated_cache_bytes; beyond that, View returns kLimit.
  ///
  /// This is the only read that is not guarded: touching the bytes of an uncompressed shard after it was truncated
  /// raises SIGBUS. Changes to a shard before the call are noticed within a tick of the system's clock.
  ///
  /// Errors: those of Read; kLimit if the shard cannot be mapped, as on a network file system.
  [[nodiscard]] Result<RecordView> View(uint64_t ordinal) const;

  /// Replaces the content of `out` by the payloads of `ordinals`, in that order; repeats are allowed. Much faster than
  /// one call per record. After an error, which names the record, `out` is empty. Errors: those of Read.
  [[nodiscard]] Result<void> ReadBatch(std::span<const uint64_t> ordinals, RecordBatch& out) const;

  /// Asks the system to read records `first` to `first` + `count` - 1 in the background. A hint: ordinals beyond
  /// size(), and records that cannot be prefetched, are skipped.
  void Prefetch(uint64_t first, uint64_t count) const;

  /// Reads and decodes record `ordinal`. Errors: those of Read and of Features::Decode.
  [[nodiscard]] Result<Features> ReadFeatures(uint64_t ordinal) const;

 private:
  friend struct Internals;
  OFINDEX_INTERNAL explicit Dataset(std::shared_ptr<const OpenedDataset> opened);

  std::shared_ptr<const OpenedDataset> opened_;
};

}  // namespace ofindex::v1

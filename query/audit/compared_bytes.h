#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/result.h"
#include "mmap/record_batch.h"
#include "query/dataset.h"
#include "query/decoding/payload_source.h"

namespace ofindex {

/// The bytes by which records of one dataset are equal: their payloads, or the byte strings of one feature. Immutable
/// and thread-safe.
class ComparedBytes {
 public:
  /// Memory that is kept between calls, for one thread.
  struct Room {
    std::vector<ByteView> views;
    RecordBatch copies;
    std::vector<uint8_t> payload;
    Xxh3Stream stream;
  };

  /// `feature` is empty for payloads. `dataset` must outlive this object. Errors: kUsage if no record has the feature,
  /// with the nearest names; if its values are not byte strings, or if the payloads are messages that only a descriptor
  /// explains; kIndex, kLimit.
  [[nodiscard]] static Result<ComparedBytes> Open(const Dataset& dataset, const std::string& feature);

  /// Returns the feature; empty for payloads.
  [[nodiscard]] const std::string& feature() const { return feature_; }

  /// Sets hashes[i] to the hash of record ordinals[i], as an index stores it (`_hash`, `NAME#hash`); nullopt if it has
  /// no byte string in the feature. Reads only the pages that hold the feature if the shards are mapped. Both spans
  /// have the same size. Errors: those of RecordReader::CopyInto.
  [[nodiscard]] Result<void> Hash(std::span<const uint64_t> ordinals, Room& room,
                                  std::span<std::optional<uint64_t>> hashes) const;

  /// Replaces the content of `bytes` by those of record `ordinal`: equal for two records if they have the same payload,
  /// or the same byte strings in the feature, of whatever format they are. Returns false if it has none. Errors: those
  /// of RecordReader::Copy.
  [[nodiscard]] Result<bool> Read(uint64_t ordinal, Room& room, std::vector<uint8_t>& bytes) const;

  /// Returns the first byte string of record `ordinal` in the feature, as a view into `room`; nullopt if it has none.
  /// There is a feature. Errors: those of RecordReader::Copy.
  [[nodiscard]] Result<std::optional<ByteView>> ReadFirst(uint64_t ordinal, Room& room) const;

  /// Succeeds if the shard of record `ordinal` is the file that was indexed. Errors: those of RecordReader::Copy.
  [[nodiscard]] Result<void> CheckShardOf(uint64_t ordinal, Room& room) const;

 private:
  ComparedBytes(std::shared_ptr<const ReaderSource> records, std::string feature)
      : records_(std::move(records)), feature_(std::move(feature)) {}

  [[nodiscard]] std::optional<uint64_t> HashOf(uint64_t ordinal, ByteView payload, Xxh3Stream& stream) const;

  std::shared_ptr<const ReaderSource> records_;
  std::string feature_;
};

}  // namespace ofindex

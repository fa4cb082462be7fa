#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "proto/extract/cached_entry_header.h"
#include "proto/extract/plain_entry.h"
#include "proto/features.h"

namespace ofindex {

/// A run of consecutive records that have the same plain entries in the same order, and their values, by entry. Most
/// shards consist of such records: the entries of one record predict those of the next, and verifying the prediction is
/// faster than interpreting the record. Not thread-safe.
class UniformRun {
 public:
  /// The maximum number of records in a run, and of entries in its records.
  static constexpr size_t kMaxRecords = 256;
  static constexpr size_t kMaxEntries = 512;

  /// Expects records of message `payload` that have an entry for each of `headers`, in this order. Features are
  /// distinct; `names` are their names, by number. The run must be empty.
  void Expect(std::span<const CachedEntryHeader> headers, std::span<const std::string> names, PayloadKind payload);

  /// Expects nothing: no record is added until the next Expect.
  void ExpectNothing();

  /// Adds a record if it is as expected, which implies that it is well-formed. Returns false if it is not; if that
  /// happens twice in a row, nothing is expected any more. The run must not be full.
  [[nodiscard]] bool Add(ByteView payload);

  /// Removes all records.
  void Clear() { records_ = 0; }

  [[nodiscard]] size_t records() const { return records_; }
  [[nodiscard]] bool full() const { return records_ == kMaxRecords; }

  [[nodiscard]] size_t entries() const { return entries_.size(); }
  [[nodiscard]] uint32_t feature(size_t entry) const { return entries_[entry].header.feature(); }
  [[nodiscard]] FeatureKind kind(size_t entry) const { return entries_[entry].header.kind(); }

  /// Returns the values of one entry, by record: numbers as in ExtractedFeature::bits; for bytes, their sizes.
  [[nodiscard]] std::span<const uint64_t> values(size_t entry) const { return {entries_[entry].values, records_}; }

  /// Returns the bytes value of one entry in the record added last. A view of the payload.
  [[nodiscard]] ByteView last_bytes(size_t entry) const {
    return {entries_[entry].last, static_cast<size_t>(entries_[entry].values[records_ - 1])};
  }

 private:
  struct Entry {
    CachedEntryHeader header;
    std::string name;
    uint64_t* values = nullptr;     // kMaxRecords, in values_
    const uint8_t* last = nullptr;  // the bytes value of the last record
  };

  [[nodiscard]] bool ReadEntries(const uint8_t* p, const uint8_t* end);
  [[nodiscard]] bool ReadWithoutHeader(Entry& expected, const uint8_t*& p, const uint8_t* end);

  std::vector<Entry> entries_;
  std::vector<uint64_t> values_;
  size_t records_ = 0;
  bool nested_ = true;  // entries are in field 1 of the message
  const PlainKinds* kinds_ = nullptr;
};

}  // namespace ofindex

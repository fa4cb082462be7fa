#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/record_batch.h"
#include "mmap/record_reader.h"

namespace ofindex {

/// Payloads fetched from a source, in the requested order, with their memory. Meant to be reused: its memory only
/// grows. Not thread-safe.
class FetchedPayloads {
 public:
  [[nodiscard]] size_t size() const { return payloads_.size(); }

  /// Payload `i`, less than size(), and its kind. Valid until the next fetch, and while the source lives.
  [[nodiscard]] ByteView payload(size_t i) const { return payloads_[i]; }
  [[nodiscard]] PayloadKind kind(size_t i) const { return kinds_[i]; }

  // For implementations of sources.

  /// Resizes to `n` payloads, all of which must then be set.
  void Resize(size_t n) {
    payloads_.resize(n);
    kinds_.resize(n);
  }

  void Set(size_t i, ByteView payload, PayloadKind kind) {
    payloads_[i] = payload;
    kinds_[i] = kind;
  }

  /// Returns memory number `i` of this object, for payloads that must be copied; kept between fetches.
  [[nodiscard]] RecordBatch& Memory(size_t i) {
    while (memory_.size() <= i) memory_.push_back(std::make_unique<RecordBatch>());
    return *memory_[i];
  }

  /// Ordinals and places of a part of a request. The memory is kept between fetches.
  struct Part {
    std::vector<uint64_t> ordinals;
    std::vector<size_t> places;
  };
  [[nodiscard]] Part& part() { return part_; }

 private:
  std::vector<ByteView> payloads_;
  std::vector<PayloadKind> kinds_;
  std::vector<std::unique_ptr<RecordBatch>> memory_;
  Part part_;
};

/// A source of payloads by ordinal. Immutable to its users and thread-safe.
class PayloadSource {
 public:
  PayloadSource() = default;
  virtual ~PayloadSource() = default;
  PayloadSource(const PayloadSource&) = delete;
  PayloadSource& operator=(const PayloadSource&) = delete;

  /// Replaces the content of `out` by the payloads of `ordinals`, in that order; repeats are allowed. After an error,
  /// which names the record, the content is undefined. Errors: those of RecordReader::CopyInto.
  [[nodiscard]] virtual Result<void> Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const = 0;

  /// Returns `error`, found in the payload of record `ordinal`, with the payload's position in front: "<path>@<byte>:
  /// record N: ". If `error` has no hint, adds one where possible.
  [[nodiscard]] virtual Error Explain(uint64_t ordinal, Error error) const = 0;
};

/// The records of a dataset.
class ReaderSource : public PayloadSource {
 public:
  /// Checks every shard of the map once. Errors: kIndex if the map is damaged; kLimit.
  [[nodiscard]] static Result<std::shared_ptr<const ReaderSource>> Of(std::shared_ptr<const RecordReader> reader);

  [[nodiscard]] uint64_t size() const { return reader_->size(); }
  [[nodiscard]] Result<void> Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const override;
  [[nodiscard]] Error Explain(uint64_t ordinal, Error error) const override;

  /// Returns the kind of the payload of record `ordinal`; kOpaque if there is no such record.
  [[nodiscard]] PayloadKind KindOf(uint64_t ordinal) const;

  [[nodiscard]] const RecordReader& reader() const { return *reader_; }

  /// Fetches `ordinals` into memory number `memory` of `out`, and puts payload i at place `places[i]` of it.
  [[nodiscard]] Result<void> FetchPart(std::span<const uint64_t> ordinals, std::span<const size_t> places,
                                       size_t memory, FetchedPayloads& out) const;

 private:
  // Consecutive shards with one kind of payload. Most datasets are a single run.
  struct Run {
    uint64_t first_record;
    PayloadKind kind;
  };

  ReaderSource(std::shared_ptr<const RecordReader> reader, std::vector<Run> runs)
      : reader_(std::move(reader)), runs_(std::move(runs)) {}

  std::shared_ptr<const RecordReader> reader_;
  std::vector<Run> runs_;
};

/// The records of several datasets, numbered one dataset after the other.
class JoinedSource : public PayloadSource {
 public:
  /// Errors: those of ReaderSource::Of.
  [[nodiscard]] static Result<std::shared_ptr<const JoinedSource>> Of(
      std::span<const std::shared_ptr<const RecordReader>> readers);

  /// Reads each dataset once. An error names the record by its ordinal in its own dataset.
  [[nodiscard]] Result<void> Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const override;
  [[nodiscard]] Error Explain(uint64_t ordinal, Error error) const override;

 private:
  explicit JoinedSource(std::vector<std::shared_ptr<const ReaderSource>> sources);

  // Returns the index of the dataset with record `ordinal`; the count of datasets if none has it.
  [[nodiscard]] size_t SourceOf(uint64_t ordinal) const;

  std::vector<std::shared_ptr<const ReaderSource>> sources_;
  std::vector<uint64_t> first_ordinals_;  // of each, then the number of all records
};

/// Payloads in memory, all of one kind; the ordinal of a payload is its index.
class MemoryPayloads : public PayloadSource {
 public:
  /// `payloads`, and the bytes that they view, must outlive this source.
  MemoryPayloads(std::span<const ByteView> payloads, PayloadKind kind) : payloads_(payloads), kind_(kind) {}

  [[nodiscard]] Result<void> Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const override;
  [[nodiscard]] Error Explain(uint64_t ordinal, Error error) const override;

 private:
  std::span<const ByteView> payloads_;
  PayloadKind kind_;
};

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/sampling/sampler.h"

namespace ofindex {

/// The limits of a batch.
struct BatchLimits {
  uint64_t total = 0;             ///< sum of lengths; a single record that exceeds it is a batch of its own
  uint64_t records = UINT64_MAX;  ///< at least 1
  bool padded = false;            ///< each record counts as the longest of its batch, for padded batches
};

/// Sets `lengths` to the lengths of the records `ordinals`; both have the same size.
using LengthsOf = std::function<Result<void>(std::span<const uint64_t> ordinals, std::span<uint64_t> lengths)>;

/// Cuts the order of an epoch into batches of bounded length: each takes the next records as long as they fit. A value
/// type.
class BatchSplitter {
 public:
  /// `sampler` must have a single rank, and be at the position where the cutting begins.
  BatchSplitter(Sampler sampler, LengthsOf lengths, const BatchLimits& limits)
      : sampler_(std::move(sampler)), lengths_of_(std::move(lengths)), limits_(limits) {}

  /// Replaces `batch` by the next one. Returns false, without a batch, if the epoch has no more records. Errors: those
  /// of the lengths.
  [[nodiscard]] Result<bool> Next(std::vector<uint64_t>& batch);

  /// Returns the epoch position of the first record of the next batch.
  [[nodiscard]] uint64_t position() const { return sampler_.position() - (ordinals_.size() - used_); }

 private:
  [[nodiscard]] Result<bool> Fetch();

  Sampler sampler_;
  LengthsOf lengths_of_;
  BatchLimits limits_;
  std::vector<uint64_t> ordinals_;  // drawn ahead
  std::vector<uint64_t> lengths_;   // of them
  size_t used_ = 0;                 // already in batches
};

/// Batches of bounded length for one rank of many. The epoch is cut as a whole, from the common start of the ranks, so
/// that the ends of batches are the same for all ranks, and a state is still one position. Rank r reads batch r of each
/// step; a step has one batch per rank. The lengths of all ranks' records are looked up. Not thread-safe.
class LengthBatches {
 public:
  /// `sampler` must have a single rank, and be at the position where all ranks begin together; `slice` gives this rank
  /// and its worker. Errors: kUsage if slice or limits are invalid.
  [[nodiscard]] static Result<LengthBatches> Of(Sampler sampler, LengthsOf lengths, const BatchLimits& limits,
                                                const Slice& slice = {}, Tail tail = Tail::kExact);

  /// Replaces `batch` by the next one of this reader. Returns false if there is none. With Tail::kPad, ranks without a
  /// batch in the last step repeat batches from the common start of the ranks or, if there are too few, the last batch.
  /// Errors: those of the lengths.
  [[nodiscard]] Result<bool> Next(std::vector<uint64_t>& batch);

  /// The position of all ranks if each has read as many batches as this rank: a multiple of whole steps.
  [[nodiscard]] uint64_t position() const { return position_; }

 private:
  LengthBatches(BatchSplitter splitter, const Slice& slice, Tail tail)
      : begin_(splitter), splitter_(std::move(splitter)), slice_(slice), tail_(tail), position_(splitter_.position()) {}

  [[nodiscard]] Result<bool> NextStep(std::vector<uint64_t>& batch);
  [[nodiscard]] Result<bool> Repeat(uint64_t number, std::vector<uint64_t>& batch) const;

  BatchSplitter begin_;  // at the ranks' common start: the batches that a padded tail repeats
  BatchSplitter splitter_;
  Slice slice_;
  Tail tail_;
  uint64_t step_ = 0;
  uint64_t position_;
};

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/sampling/sampler.h"

namespace ofindex {

/// Batches of rows into which sequences are packed.
struct RowBatches {
  uint64_t rows = 1;       ///< of a batch, at least 1; the last one of an epoch may have fewer
  bool drop_last = false;  ///< leave out a last batch of fewer rows
};

/// The limits of a batch, and the records among which batches are formed.
struct BatchLimits {
  uint64_t total = 0;             ///< sum of lengths; a single record that exceeds it is a batch of its own
  uint64_t records = UINT64_MAX;  ///< at least 1
  bool padded = false;            ///< each record counts as the longest of its batch, for padded batches
  uint64_t window = 0;            ///< epoch positions that are sorted by length before they are cut; 0: none are

  /// The records of a window are packed into rows instead. `total` and `records` are then the limits of a row, which
  /// no record may exceed; there must be a window.
  std::optional<RowBatches> packed = {};

  /// A window that is usual for packing: little is left empty, and the batches are as random as those of an epoch.
  static constexpr uint64_t kPackWindow = 16384;

  /// Returns the epoch position at which an order must begin so that batches can continue at `position`.
  [[nodiscard]] uint64_t OrderBegin(uint64_t position) const {
    return window == 0 ? position : position - position % window;
  }
};

/// Sets `lengths` to the lengths of the records `ordinals`; both have the same size.
using LengthsOf = std::function<Result<void>(std::span<const uint64_t> ordinals, std::span<uint64_t> lengths)>;

/// A batch: its records in the order in which they are read.
struct LengthBatch {
  std::vector<uint64_t> ordinals = {};
  std::vector<uint64_t> lengths = {};  ///< of these records
  std::vector<uint64_t> ends = {};     ///< of its rows: the number of records before each; unless packed, one row

  void Clear() {
    ordinals.clear();
    lengths.clear();
    ends.clear();
  }
};

/// Fills places with the next ordinals of an epoch, for all ranks together: all places unless the epoch ends.
using WholeOrder = std::function<Result<size_t>(std::span<uint64_t>)>;

/// Cuts the order of an epoch into batches of bounded length: each takes the next records as long as they fit.
///
/// With a window, positions 0 to window - 1 of the epoch are cut as a whole, then the next `window` positions, and so
/// on. The records of a window are sorted by length, and by position if the lengths are equal, and then cut. Its
/// batches are taken in the order of the epoch positions of their first, shortest records: shuffled, if the epoch is.
/// The position of a reader counts records in the order in which they are taken.
///
/// If windows are packed, each is packed into rows by PackBestFit(), and the rows are taken in the order of the epoch
/// positions of their first records, as are the records of a row.
///
/// Batches end where positions are left out. So if these are whole batches, all others stay as they were.
class BatchSplitter {
 public:
  /// Cutting begins at `position`; the first ordinal of `order` is that of `limits.OrderBegin(position)`. `order` has
  /// all positions; those that are not in `positions` are left out of the batches.
  BatchSplitter(WholeOrder order, uint64_t position, ReadPositions positions, LengthsOf lengths,
                const BatchLimits& limits)
      : order_(std::move(order)),
        positions_(std::move(positions)),
        position_(position),
        lengths_of_(std::move(lengths)),
        limits_(limits),
        skipped_(position - limits.OrderBegin(position)) {}

  /// Appends the next batch, or the next row if windows are packed, as a row of `batch`. Returns false, and appends
  /// nothing, if the epoch has no more records. Errors: those of the order and of the lengths; kUsage if a record is
  /// too long for a row.
  [[nodiscard]] Result<bool> Next(LengthBatch& batch);

  /// Returns the epoch position of the first record of the next batch.
  [[nodiscard]] uint64_t position() const { return positions_.At(positions_.Before(position_)); }

 private:
  [[nodiscard]] Result<bool> Fetch(uint64_t count);
  [[nodiscard]] Result<bool> Cut(LengthBatch& batch);
  [[nodiscard]] Result<bool> CutWindow();
  [[nodiscard]] Result<bool> TakeFromWindow(LengthBatch& batch);
  void Take(LengthBatch& batch);

  WholeOrder order_;
  ReadPositions positions_;
  uint64_t position_;  // of the record ordinals_[used_]
  LengthsOf lengths_of_;
  BatchLimits limits_;
  bool ended_ = false;              // the order has no more ordinals
  std::vector<uint64_t> ordinals_;  // drawn ahead; with a window, in the order of its batches
  std::vector<uint64_t> lengths_;   // of them
  std::vector<uint64_t> ends_;      // of the window's batches that are not used up, in reverse order
  uint64_t skipped_;                // records of the next window that come before the position
  size_t used_ = 0;                 // already in batches
};

/// Batches of bounded length for one rank of many. The epoch is cut as a whole, from the common start of the ranks, so
/// that the ends of batches are the same for all ranks, and a state is still one position. Rank r reads batch r of each
/// step; a step has one batch per rank. The lengths of all ranks' records are looked up. Not thread-safe.
class LengthBatches {
 public:
  /// `sampler` must have a single rank, and be at the position where all ranks begin together; `slice` gives this rank
  /// and its worker. What the sampler skips is left out. Errors: kUsage if slice or limits are invalid.
  [[nodiscard]] static Result<LengthBatches> Of(Sampler sampler, LengthsOf lengths, const BatchLimits& limits,
                                                const Slice& slice = {}, Tail tail = Tail::kExact);

  /// Does the same with any order: all ranks begin at `position`, and the first ordinal of `order`, which has all
  /// positions, is that of `limits.OrderBegin(position)`.
  [[nodiscard]] static Result<LengthBatches> Of(WholeOrder order, uint64_t position, ReadPositions positions,
                                                LengthsOf lengths, const BatchLimits& limits, const Slice& slice,
                                                Tail tail);

  /// Replaces `batch` by the next one of this reader. Returns false, without a batch, if there is none. With
  /// Tail::kPad, ranks without a batch in the last step repeat batches from the common start of the ranks or, if there
  /// are too few, the last batch. Errors: those of BatchSplitter::Next().
  [[nodiscard]] Result<bool> Next(LengthBatch& batch);

  /// The position of all ranks if each has read as many batches as this rank: a multiple of whole steps.
  [[nodiscard]] uint64_t position() const { return position_; }

 private:
  LengthBatches(BatchSplitter splitter, RowBatches shape, const Slice& slice, Tail tail)
      : splitter_(std::move(splitter)), shape_(shape), slice_(slice), tail_(tail), position_(splitter_.position()) {}

  [[nodiscard]] Result<bool> NextStep(LengthBatch& batch);
  [[nodiscard]] Result<bool> NextRows(LengthBatch& batch);

  std::vector<LengthBatch> first_;  // the batches of the first step, which a padded tail repeats
  BatchSplitter splitter_;
  RowBatches shape_;
  Slice slice_;
  Tail tail_;
  uint64_t step_ = 0;
  uint64_t position_;
};

}  // namespace ofindex

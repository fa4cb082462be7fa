#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/sampling/orders/epoch_order.h"
#include "query/sampling/sampler_state.h"
#include "query/sampling/sets/view.h"
#include "query/sampling/steps/rank_steps.h"
#include "query/sampling/steps/run_steps.h"

namespace ofindex {

/// The part of an epoch that one reader reads: positions base + rank, base + rank + world, and so on, where base is the
/// common start of the ranks: 0, or the position of a state. A worker reads every workers-th one of these.
struct Slice {
  uint64_t rank = 0;
  uint64_t world = 1;    ///< number of ranks
  uint64_t worker = 0;   ///< within the rank
  uint64_t workers = 1;  ///< of the rank
};

/// Checks that rank and worker exist. Errors: kUsage if they do not exist.
[[nodiscard]] Result<void> CheckSlice(const Slice& slice);

/// The sequence of ordinals that one reader reads: records of a view in the order of a SamplingMethod, epoch after
/// epoch. Memory and start-up are O(1), except for orders with a table. A value type: copies continue independently.
/// Not thread-safe; usable after fork.
class Sampler {
 public:
  /// Starts at position 0 of epoch 0. `generation` is the dataset generation of `view`, for the state.
  /// Errors: kUsage if `slice` is invalid.
  [[nodiscard]] static Result<Sampler> Of(GenerationRow generation, View view, SamplingMethod method, uint64_t seed,
                                          const Slice& slice = {}, Tail tail = Tail::kExact);

  /// Ordinals to draw at once if all are wanted: enough for the cost of a call to be small, and little memory.
  static constexpr size_t kDrawnAtOnce = 4096;

  /// Fills `out` with the next ordinals; with fewer only if the epoch ends for this reader. Returns how many.
  size_t Next(std::span<uint64_t> out);

  /// Does the same with indices into the view instead of ordinals.
  size_t NextIndices(std::span<uint64_t> out);

  /// Starts epoch `epoch` at position 0: of the newest records, if FollowWith was called.
  void SetEpoch(uint64_t epoch);

  /// Moves to `position` of the epoch, at most epoch_size(), where all ranks begin together.
  void SeekTo(uint64_t position);

  /// Does the same in epoch `epoch` of the records that are sampled now, as a state of that epoch asks for.
  void SeekTo(uint64_t epoch, uint64_t position);

  /// Returns a sampler of a single rank at position(), which reads what all ranks together still read.
  [[nodiscard]] Sampler Whole() const;

  /// Says that this sampler goes on with an epoch of an older generation, and that SetEpoch shall turn it into a copy
  /// of `newest`, which has the same seed, slice and tail.
  void FollowWith(std::shared_ptr<const Sampler> newest) { newest_ = std::move(newest); }

  /// What updates have changed since the state from which this epoch was begun; nullopt if nothing has changed, or
  /// another epoch was begun.
  [[nodiscard]] const std::optional<StateChanges>& changes() const { return changes_; }
  void SetChanges(const StateChanges& changes) { changes_ = changes; }

  /// The position of all ranks if each has read as much as this rank: the next epoch position that any rank reads. A
  /// sampler of any world that begins there reads the remaining records. Once Next has returned fewer ordinals than
  /// requested, nothing is left for this reader, and the position is the end of the epoch.
  [[nodiscard]] uint64_t position() const;

  [[nodiscard]] uint64_t seed() const { return seed_; }
  [[nodiscard]] uint64_t epoch() const { return epoch_; }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] const SamplingMethod& method() const { return method_; }

  /// Positions of an epoch, for all ranks together.
  [[nodiscard]] uint64_t epoch_size() const { return order_->size(); }

  /// Records that this reader still reads in the epoch.
  [[nodiscard]] uint64_t left() const { return steps_ - step_; }

  /// Leaves out steps of the run, in this epoch and in later ones, and returns to where the ranks began.
  void Skip(std::vector<SkippedSteps> skipped);
  [[nodiscard]] const std::vector<SkippedSteps>& skipped() const { return skipped_; }

  /// The positions of the epoch that each rank reads, from where the ranks began.
  [[nodiscard]] const RankSteps& ranks() const { return ranks_; }

  /// Sets `out` to the indices into the view that `rank` reads at steps `first`, `first` + `each`, ... from where the
  /// ranks began. All steps must exist.
  void IndicesOf(uint64_t rank, uint64_t first, uint64_t each, std::span<uint64_t> out) const;

  /// The reader of a record, and the step at which it reads the record.
  struct Place {
    uint64_t position = 0;  ///< in the epoch
    uint64_t rank = 0;      ///< that reads it
    uint64_t step = 0;      ///< records that this rank reads before it, counted from where the ranks began

    friend bool operator==(const Place&, const Place&) = default;
  };

  /// Returns all places at which the ranks read the record of index `index` of the view: none if it was read before the
  /// ranks began, is skipped or dropped; several if it is drawn several times, or a padded tail repeats it. In
  /// ascending order of positions. O(1), but if the order draws with replacement, all draws of the epoch are made.
  /// Errors: kInterrupted if `cancel` becomes true.
  [[nodiscard]] Result<std::vector<Place>> PlacesOf(uint64_t index, const std::atomic<bool>* cancel = nullptr) const;

  /// Returns the state from which to continue at position(), under any world.
  [[nodiscard]] SamplerState State() const;

 private:
  Sampler(GenerationRow generation, View view, SamplingMethod method, uint64_t seed, const Slice& slice, Tail tail);

  void BeginEpoch(uint64_t epoch);
  void Restart(uint64_t position);

  GenerationRow generation_;
  View view_;
  SamplingMethod method_;
  std::shared_ptr<const EpochOrder> order_;
  uint64_t seed_;
  uint64_t epoch_ = 0;
  Slice slice_;
  Tail tail_;
  std::vector<SkippedSteps> skipped_;
  RankSteps ranks_;
  uint64_t steps_ = 0;  // of this reader, from where the ranks began
  uint64_t step_ = 0;   // the next one of this reader
  bool ended_ = false;  // more was requested than was left
  std::optional<StateChanges> changes_;
  std::shared_ptr<const Sampler> newest_;  // what the next epoch samples, if not the same as this one
};

}  // namespace ofindex

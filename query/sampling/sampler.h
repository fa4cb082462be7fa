#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "query/sampling/orders/epoch_order.h"
#include "query/sampling/sampler_state.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// What becomes of the positions at the end that do not make a whole step of all ranks.
enum class Tail : uint8_t {
  kExact,  ///< they are read like all others: every record once, and ranks differ by one at most
  kPad,    ///< ranks without one read a record of the epoch's begin again, so that all have as many
  kDrop,   ///< they are not read, so that all ranks have as many
};

/// The part of an epoch that one reader reads: positions base + rank, base + rank + world, and so on, where base is
/// where the ranks began together: 0, or the position of a state. Of those a worker reads every workers-th one.
struct Slice {
  uint64_t rank = 0;
  uint64_t world = 1;    ///< how many ranks
  uint64_t worker = 0;   ///< within the rank
  uint64_t workers = 1;  ///< of the rank
};

/// Errors: kUsage  there is no such rank or worker.
[[nodiscard]] Result<void> CheckSlice(const Slice& slice);

/// Answers what one reader reads next: ordinals of a view, in the order of a law, epoch after epoch. O(1) in memory and
/// start-up, but for laws that hold a table. A value: copies read on by themselves. Not thread-safe; usable after fork.
class Sampler {
 public:
  /// `generation` is what `view` is of, for the state. Stands at the begin of epoch 0. Errors: kUsage  `slice` makes no
  /// sense.
  [[nodiscard]] static Result<Sampler> Of(GenerationRow generation, View view, SampleLaw law, uint64_t seed,
                                          const Slice& slice = {}, Tail tail = Tail::kExact);

  /// The next ordinals: as many as `out` has, fewer only where the epoch ends for this reader. Returns how many.
  size_t Next(std::span<uint64_t> out);

  /// The same as numbers in the view, where ordinals are not wanted.
  size_t NextIndices(std::span<uint64_t> out);

  /// Begins epoch `epoch`, at position 0.
  void SetEpoch(uint64_t epoch);

  /// Goes to `position` of the epoch, where all ranks begin together. At most epoch_size().
  void SeekTo(uint64_t position);

  /// Where all ranks of the epoch stand, if each has read as much as this one: the next epoch position that some rank
  /// reads. A sampler of any world that begins there reads what is left. The epoch's end once Next gave fewer than
  /// asked for: then this reader knows that nothing is left.
  [[nodiscard]] uint64_t position() const;

  [[nodiscard]] uint64_t seed() const { return seed_; }
  [[nodiscard]] uint64_t epoch() const { return epoch_; }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] const SampleLaw& law() const { return law_; }

  /// Positions of an epoch, of all ranks together.
  [[nodiscard]] uint64_t epoch_size() const { return order_->size(); }

  /// Records that this reader reads from where it stands to the end of the epoch.
  [[nodiscard]] uint64_t left() const { return steps_ - step_; }

  /// The epoch position of the record `ordinal`. nullopt if the epoch does not have it. Errors: kUsage  the law draws
  /// with replacement, where a record has no one place.
  [[nodiscard]] Result<std::optional<uint64_t>> PositionOf(uint64_t ordinal) const;

  /// Who reads the record `ordinal`, and when.
  struct Place {
    uint64_t position;  ///< in the epoch
    uint64_t rank;      ///< that reads it
    uint64_t step;      ///< of that rank: how many it reads before, from where the ranks began
  };

  /// nullopt if the epoch does not have the record, or nobody reads it: it was read before the ranks began, or falls
  /// under Tail::kDrop. Errors: as PositionOf.
  [[nodiscard]] Result<std::optional<Place>> When(uint64_t ordinal) const;

  /// What has to be kept to read on from position(), under any world.
  [[nodiscard]] SamplerState State() const;

 private:
  Sampler(GenerationRow generation, View view, SampleLaw law, uint64_t seed, const Slice& slice, Tail tail);

  [[nodiscard]] uint64_t StepsOfRank(uint64_t rank) const;
  void Restart(uint64_t position);

  GenerationRow generation_;
  View view_;
  SampleLaw law_;
  std::shared_ptr<const EpochOrder> order_;
  uint64_t seed_;
  uint64_t epoch_ = 0;
  Slice slice_;
  Tail tail_;
  uint64_t base_ = 0;   // where the ranks began
  uint64_t steps_ = 0;  // of this reader, from there
  uint64_t step_ = 0;   // that it reads next
  bool ended_ = false;  // it was asked for more than there was
};

}  // namespace ofindex

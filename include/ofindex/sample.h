#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <ofindex/api.h>
#include <ofindex/dataset.h>
#include <ofindex/query.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

/// What happens to the last records of an epoch that do not fill a step of all ranks.
enum class Tail : uint8_t {
  kExact,  ///< read them: every record once, so ranks may differ by one record
  kPad,    ///< short ranks repeat records from the start of the epoch, so that all ranks read equally many
  kDrop,   ///< do not read them, so that all ranks read equally many
};

/// What to sample, and in which order (docs/sampling.md). The default order is a global shuffle; set `block` for a
/// block shuffle, or `weights` or `balance` for draws with replacement, but at most one of the three.
struct SampleOptions {
  std::optional<Selection> selection = {};  ///< records to sample; if not set, all records
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t rank = 0;
  uint64_t world_size = 1;  ///< number of ranks
  Tail tail = Tail::kExact;

  /// For a block shuffle, which suits disks and compressed shards: the number of neighbouring records that are read
  /// together. 0 chooses a number that suits the storage of the dataset.
  std::optional<uint64_t> block = {};

  /// Draws with replacement: by a numeric column of weights, or evenly by the values of a column.
  std::optional<std::string> weights = {};
  std::optional<std::string> balance = {};
  double temperature = std::numeric_limits<double>::infinity();  ///< of `balance`: 1 keeps the values' frequencies

  /// From Sampler::State: where to resume, with any rank and world size. Replaces `seed` and `epoch`. After an update
  /// of the index the epoch goes on with the records that it began with; new ones come with the next epoch.
  std::string state = {};
};

/// What updates of the index have changed for the epoch of a state since the state was taken.
struct StateChanges {
  uint64_t new_records = 0;   ///< of the selection, which the state's epoch does not have
  uint64_t gone_records = 0;  ///< of the dataset; 0 if the state's epoch goes on, since it misses none then
  int64_t from = 0;           ///< generation of the state
  int64_t to = 0;             ///< generation of the dataset
  bool begun_anew = false;    ///< nothing of the epoch was read, so it has the records that are there now
};

/// The sequence of ordinals that one rank reads, epoch after epoch. Memory and start-up are O(1), except for draws with
/// replacement, which need a table. Copies continue independently, and a move is a copy. Not thread-safe; usable after
/// fork.
class OFINDEX_API Sampler {
 public:
  /// Starts at the beginning of the epoch or, if there is a state, at its position.
  /// Errors: kUsage if an option is invalid, or names a column that does not exist or cannot be used; kStale if the
  /// state is of another dataset, selection or order, or records of its epoch are gone (the text gives the difference);
  /// kLimit, kIndex, kIo.
  [[nodiscard]] static Result<Sampler> Open(const Dataset& dataset, const SampleOptions& options = {});

  Sampler(const Sampler&);
  Sampler& operator=(const Sampler&);
  ~Sampler();

  /// Stores the next ordinals in `out`, and returns their number, which is less than out.size() only if the epoch ends
  /// for this rank.
  size_t Next(std::span<uint64_t> out);

  /// Starts epoch `epoch` at its beginning, with all records that the dataset has now.
  void SetEpoch(uint64_t epoch);

  [[nodiscard]] uint64_t epoch() const;
  [[nodiscard]] uint64_t epoch_size() const;  ///< number of records in an epoch, over all ranks

  /// The number of records of the epoch that all ranks together have read, if each has read as much as this one.
  [[nodiscard]] uint64_t position() const;

  /// The number of records that this rank has yet to read in the epoch.
  [[nodiscard]] uint64_t left() const;

  /// Returns the state from which to continue at position(), as one line of JSON of less than 1 KiB.
  [[nodiscard]] std::string State() const;

  /// Returns what has changed since the state from which this epoch was begun; nullopt if nothing has, or SetEpoch has
  /// begun another epoch.
  [[nodiscard]] std::optional<StateChanges> Changes() const;

 private:
  struct OFINDEX_INTERNAL Impl;
  OFINDEX_INTERNAL explicit Sampler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ofindex::v1

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
  kExact,  ///< they are read like all others: every record once, and ranks differ by at most one record
  kPad,    ///< short ranks repeat records from the start of the epoch, so that all ranks have as many
  kDrop,   ///< they are not read, so that all ranks have as many
};

/// The order of an epoch (docs/sampling.md), which is at most one of: a global shuffle, the default; a block shuffle;
/// draws with replacement.
struct SampleOptions {
  std::optional<Selection> selection = {};  ///< the records to sample; none: all of the dataset
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t rank = 0;
  uint64_t world_size = 1;  ///< number of ranks
  Tail tail = Tail::kExact;

  /// Neighbours that are read together: a block shuffle, for disks and compressed shards. 0: as many as suit the
  /// storage of the dataset.
  std::optional<uint64_t> block = {};

  /// Draws with replacement: by a numeric column of weights, or evenly by the values of a column.
  std::optional<std::string> weights = {};
  std::optional<std::string> balance = {};
  double temperature = std::numeric_limits<double>::infinity();  ///< of `balance`: 1 draws values as they occur

  /// From Sampler::State: where to resume, instead of seed and epoch; under any rank and world size.
  std::string state = {};
};

/// The sequence of ordinals that one rank reads, epoch after epoch. Memory and start-up are O(1), except for draws with
/// replacement, which have a table. A value: copies continue independently, and a move is a copy. Not thread-safe;
/// usable after fork.
class OFINDEX_API Sampler {
 public:
  /// Starts at the beginning of the epoch, or where the state says.
  /// Errors: kUsage if an option is invalid, or names a column that does not exist or cannot be used; kStale if the
  /// state is of another dataset, selection or order (the text gives the difference); kLimit, kIndex, kIo.
  [[nodiscard]] static Result<Sampler> Open(const Dataset& dataset, const SampleOptions& options = {});

  Sampler(const Sampler&);
  Sampler& operator=(const Sampler&);
  ~Sampler();

  /// Fills `out` with the next ordinals; with fewer only if the epoch ends for this rank. Returns how many.
  size_t Next(std::span<uint64_t> out);

  /// Starts epoch `epoch` at its beginning.
  void SetEpoch(uint64_t epoch);

  [[nodiscard]] uint64_t epoch() const;
  [[nodiscard]] uint64_t epoch_size() const;  ///< records of an epoch, for all ranks together

  /// The position of all ranks if each has read as much as this one: a number of records of the epoch.
  [[nodiscard]] uint64_t position() const;

  /// Records that this rank still reads in the epoch.
  [[nodiscard]] uint64_t left() const;

  /// Returns the state from which to continue at position(), as one line of JSON of less than 1 KiB.
  [[nodiscard]] std::string State() const;

 private:
  struct OFINDEX_INTERNAL Impl;
  OFINDEX_INTERNAL explicit Sampler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ofindex::v1

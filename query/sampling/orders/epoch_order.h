#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "query/sampling/orders/alias_table.h"
#include "query/sampling/orders/balanced_draws.h"
#include "query/sampling/orders/block_order.h"

namespace ofindex {

/// A uniform shuffle: every record once.
struct GlobalShuffle {};

/// Draws with replacement, by weights.
struct WeightedSampling {
  std::shared_ptr<const AliasTable> table;
  std::string fingerprint;  ///< of the weights
};

/// Draws with replacement, by the values of a column.
struct BalancedSampling {
  std::shared_ptr<const BalancedClasses> classes;
  std::string fingerprint;  ///< of the classes of the records, and of the temperature
};

/// The order in which the records of a view are read. BlockShape: every record once, neighbours close to each other.
using SamplingMethod = std::variant<GlobalShuffle, BlockShape, WeightedSampling, BalancedSampling>;

/// Describes an order in words, with the fingerprint of its table if it has one. Orders with equal descriptions are
/// equal.
[[nodiscard]] std::string Describe(const SamplingMethod& method);

/// The order of one epoch: the index of a view at each position. Immutable; may be used by any number of threads.
class EpochOrder {
 public:
  virtual ~EpochOrder() = default;

  /// Positions of the epoch.
  [[nodiscard]] virtual uint64_t size() const = 0;

  /// Sets `out` to the indices at positions `first`, `first` + `step`, ..., all less than size().
  virtual void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const = 0;

  /// Returns the positions of `index`, ascending: one, unless indices are drawn with replacement. Then all draws are
  /// made. Errors: kInterrupted if `cancel`, which may be null, becomes true.
  [[nodiscard]] virtual Result<std::vector<uint64_t>> PositionsOf(uint64_t index,
                                                                  const std::atomic<bool>* cancel) const = 0;

  /// Returns the number of the run of neighbours that is read together with `index`; by default, a run is one record.
  [[nodiscard]] virtual uint64_t RunOf(uint64_t index) const { return index; }

  /// The number of runs that all readers together have begun but not finished at any time.
  [[nodiscard]] virtual uint64_t runs_in_flight() const { return 1; }
};

/// Returns the order of epoch `epoch` of the run `seed` over a view of `size` records. If `method` has a table, it has
/// `size` entries.
[[nodiscard]] std::shared_ptr<const EpochOrder> OrderOf(const SamplingMethod& method, uint64_t size, uint64_t seed,
                                                        uint64_t epoch);

}  // namespace ofindex

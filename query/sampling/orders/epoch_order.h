#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "query/sampling/orders/alias_table.h"
#include "query/sampling/orders/balanced_draws.h"
#include "query/sampling/orders/block_order.h"

namespace ofindex {

/// Every record once, anywhere.
struct GlobalShuffle {};

/// With replacement, by weights.
struct WeightedLaw {
  std::shared_ptr<const AliasTable> table;
  std::string fingerprint;  ///< of the weights
};

/// With replacement, by the values of a column.
struct BalancedLaw {
  std::shared_ptr<const BalancedClasses> classes;
  std::string fingerprint;  ///< of the classes of the records, and of the temperature
};

/// In which order the records of a view are read. BlockShape: every record once, neighbours near each other.
using SampleLaw = std::variant<GlobalShuffle, BlockShape, WeightedLaw, BalancedLaw>;

/// The law in words, with the fingerprint of its table if it has one: two that are the same give the same order.
[[nodiscard]] std::string Describe(const SampleLaw& law);

/// The order of one epoch: which index of a view stands at each position. Immutable; may be used by any number of
/// threads.
class EpochOrder {
 public:
  virtual ~EpochOrder() = default;

  /// Positions of the epoch.
  [[nodiscard]] virtual uint64_t size() const = 0;

  /// The indices at positions `first`, `first` + `step`, ..., all less than size().
  virtual void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const = 0;

  /// The position of `index`; nullopt where an index has no one place, as it is drawn with replacement.
  [[nodiscard]] virtual std::optional<uint64_t> PositionOf(uint64_t index) const = 0;

  /// What is read in one go with `index`, by number: its run of neighbours; by default a run is one record.
  [[nodiscard]] virtual uint64_t RunOf(uint64_t index) const { return index; }

  /// Runs that all readers together are in the middle of.
  [[nodiscard]] virtual uint64_t runs_in_flight() const { return 1; }
};

/// The order of epoch `epoch` of the run `seed` over a view of `size` records. Laws with a table are of that size.
[[nodiscard]] std::shared_ptr<const EpochOrder> OrderOf(const SampleLaw& law, uint64_t size, uint64_t seed,
                                                        uint64_t epoch);

}  // namespace ofindex

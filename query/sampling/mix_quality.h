#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/sampling/orders/epoch_order.h"

namespace ofindex {

/// How well an order mixes the values of a column.
struct MixQuality {
  uint64_t positions = 0;        ///< measured, from the start of the epoch
  uint64_t batch = 0;            ///< records per batch
  uint64_t classes = 0;          ///< distinct values of the view's records, without NULL
  double per_batch = 0;          ///< distinct values per batch on average
  double per_batch_perfect = 0;  ///< expected for a perfect shuffle
  double per_batch_buffer = 0;   ///< with a shuffle buffer of kBufferRecords over the data in stored order
  double neighbours = 0;         ///< correlation of neighbours: 0 for a perfect shuffle, 1 if all are equal
  uint64_t reads = 0;            ///< one per run if the runs in flight are kept; one per record in a global shuffle

  static constexpr uint64_t kBufferRecords = 1024;
};

/// The class of each index of a view, below `classes`; kNoClass if it has none.
struct ClassNumbers {
  static constexpr uint32_t kNoClass = 0xffff'ffff;
  std::vector<uint32_t> of = {};
  uint64_t classes = 0;
};

/// Measures the first `limit` positions of one epoch, in batches of `batch` records. The order must give every record
/// once; orders that draw are not supported. `cancel` may be null. Errors: kInterrupted.
[[nodiscard]] Result<MixQuality> MeasureMix(const SamplingMethod& method, uint64_t seed, uint64_t epoch,
                                            const ClassNumbers& numbers, uint64_t batch, uint64_t limit,
                                            const std::atomic<bool>* cancel = nullptr);

}  // namespace ofindex

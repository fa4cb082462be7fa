#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "python/src/loading/python_order.h"
#include "python/src/loading/sampler.h"
#include "query/loading/batch_loader.h"
#include "query/sampling/length_batches.h"

namespace ofindex::python {

/// The lengths of the records of one or more datasets, whose ordinals are numbered consecutively through all of them.
struct RecordLengths {
  LengthsOf of;
};

/// The batches of bounded length of one rank, from a position of an epoch to its end. Read once: by a Loader, or by
/// Count().
class LengthCutter {
 public:
  struct Options {
    BatchLimits limits;
    uint64_t position;  ///< where all ranks begin
    uint64_t rank;
    uint64_t world_size;
    std::string tail;
  };

  /// `order` is a RowSampler at the position, or a PythonOrder's take() that begins at limits.OrderBegin(position).
  /// Raises ValueError if the options are invalid.
  LengthCutter(nanobind::object order, const RecordLengths& lengths, const Options& options);

  /// Returns the order for a BatchLoader. It must be the only reader.
  [[nodiscard]] NextBatch Order() const;

  /// Returns the number of batches.
  [[nodiscard]] uint64_t Count();

  /// Null if the order is in C++.
  [[nodiscard]] const std::shared_ptr<PythonOrder>& python_order() const { return python_order_; }

  /// If the order is in C++, how it chooses records; otherwise null.
  [[nodiscard]] const Sampler* sampler() const { return sampler_ ? &*sampler_ : nullptr; }

 private:
  std::shared_ptr<PythonOrder> python_order_;
  std::optional<Sampler> sampler_;
  std::shared_ptr<LengthBatches> batches_;
};

void BindLengthBatches(nanobind::module_& m);

}  // namespace ofindex::python

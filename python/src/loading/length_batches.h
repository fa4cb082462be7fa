#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "python/src/loading/python_order.h"
#include "python/src/loading/sampler.h"
#include "query/loading/batch_loader.h"
#include "query/sampling/lengths/length_batches.h"

namespace ofindex::python {

/// The lengths of the records of one or more datasets, whose ordinals are numbered consecutively through all of them.
struct RecordLengths {
  LengthsOf of;
};

/// The batches of bounded length of one rank, from a position of an epoch to its end. Read once: by a Loader, or by the
/// functions below.
class LengthCutter {
 public:
  struct Options {
    BatchLimits limits;
    std::vector<PositionRange> skipped;  ///< unless the order is a RowSampler, which knows them
    uint64_t position;                   ///< where all ranks begin
    uint64_t rank;
    uint64_t world_size;
    std::string tail;
  };

  /// `order` is a RowSampler at the position, or a PythonOrder's take() that begins at limits.OrderBegin(position).
  /// Raises ValueError if the options are invalid.
  LengthCutter(nanobind::object order, const RecordLengths& lengths, const Options& options);

  /// Returns the order for a BatchLoader. It must be the only reader.
  [[nodiscard]] NextBatch Order() const;

  /// Passes over the next batches, as far as they begin before position `until`, at most `most`. Returns how many.
  [[nodiscard]] uint64_t Count(uint64_t most = UINT64_MAX, uint64_t until = UINT64_MAX);

  /// Returns the ordinals of the next batch; none at the end.
  [[nodiscard]] std::vector<uint64_t> Next();

  /// Returns the numbers of the batches that are left and contain the record `ordinal`, with its place in each, and the
  /// number of all that are left.
  struct Found {
    std::vector<std::tuple<uint64_t, uint64_t>> places;
    uint64_t batches = 0;
  };
  [[nodiscard]] Found Find(uint64_t ordinal);

  /// The position of all ranks if each has read as many batches as this one.
  [[nodiscard]] uint64_t position() const { return batches_->position(); }

  /// Null if the order is in C++.
  [[nodiscard]] const std::shared_ptr<PythonOrder>& python_order() const { return python_order_; }

  /// If the order is in C++, how it chooses records; otherwise null.
  [[nodiscard]] const Sampler* sampler() const { return sampler_ ? &*sampler_ : nullptr; }

 private:
  // Passes each of the next batches to `take`, as Count() does. Raises the error of the lengths or of the order.
  template <typename TakeBatch>
  uint64_t ForEach(uint64_t most, uint64_t until, TakeBatch take);

  std::shared_ptr<PythonOrder> python_order_;
  std::optional<Sampler> sampler_;
  std::shared_ptr<LengthBatches> batches_;
  uint64_t row_width_ = 0;  // of packed batches; otherwise 0
};

void BindLengthBatches(nanobind::module_& m);

}  // namespace ofindex::python

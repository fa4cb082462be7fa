#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/src/rows.h"
#include "query/sampling/sampler.h"

namespace ofindex::python {

/// A sampler of the rows of a Dataset. Its numbers are those of the rows: ds[number] is the record.
class RowSampler {
 public:
  /// `sampler` is of the rows in ascending order.
  RowSampler(Sampler sampler, const Rows& rows);

  /// The next rows, and the same as ordinals; as many as `out` has, fewer where the epoch ends.
  size_t NextRows(std::span<uint64_t> out);
  size_t NextOrdinals(std::span<uint64_t> out) { return sampler_.Next(out); }

  [[nodiscard]] Sampler& sampler() { return sampler_; }
  [[nodiscard]] const Sampler& sampler() const { return sampler_; }

 private:
  Sampler sampler_;
  std::shared_ptr<const std::vector<uint64_t>> places_;  // of picked rows: the row of each, by its place in order
};

void BindSampler(nanobind::module_& m);

}  // namespace ofindex::python

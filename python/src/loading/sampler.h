#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/src/records/rows.h"
#include "query/sampling/sampler.h"

namespace ofindex::python {

/// A sampler over the rows of a Dataset. It returns row numbers: ds[number] is the record.
class RowSampler {
 public:
  /// `ascending` are the rows in ascending order, and `sampler` is over some of them: not over the missing ones, nor,
  /// after an update, over those that its epoch does not have.
  RowSampler(Sampler sampler, const Rows& rows, View ascending);

  /// Fills `out` with the next rows, as row numbers or as ordinals. Returns how many; fewer if the epoch ends.
  size_t NextRows(std::span<uint64_t> out);
  size_t NextOrdinals(std::span<uint64_t> out) { return sampler_.Next(out); }

  /// Replaces indices of the sampler's view by their rows.
  void ToRows(std::span<uint64_t> indices) const;

  /// Returns the index of a row in the sampler's view; nullopt if the row is not sampled.
  [[nodiscard]] std::optional<uint64_t> IndexOf(uint64_t row) const;

  /// Replaces ordinals of rows by these rows.
  void OrdinalsToRows(std::span<uint64_t> ordinals) const;

  [[nodiscard]] Sampler& sampler() { return sampler_; }
  [[nodiscard]] const Sampler& sampler() const { return sampler_; }

 private:
  Sampler sampler_;
  View ascending_;
  std::shared_ptr<const std::vector<uint64_t>> places_;  // for picked rows: row by rank in ascending order
};

void BindSampler(nanobind::module_& m);

}  // namespace ofindex::python

#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <string>

#include "python/src/records/rows.h"
#include "query/dataset.h"

namespace ofindex::python {

/// An open dataset, shared by all Python Datasets that are views of it. Its columns are reopened after a fork.
struct Source {
  Dataset dataset;
  bool allow_bad;
  mutable std::atomic<bool> advised{false};     // the warning about a global shuffle of compressed shards was given
  mutable std::shared_ptr<const View> present;  // see PresentRows(); set with the GIL, once
};

/// The base of Python's Dataset: an open dataset and some of its records. The C slots of len() and [] are here, because
/// calling a Python method would take as long as the read itself; everything else calls methods of the Python class.
class Records {
 public:
  /// If `rows` is null, the rows are those that the Python object's method `_resolve` returns when first needed.
  Records(std::shared_ptr<const Source> source, std::shared_ptr<const Rows> rows)
      : source_(std::move(source)), rows_(std::move(rows)) {}

  [[nodiscard]] const std::shared_ptr<const Source>& source() const { return source_; }
  [[nodiscard]] const RecordReader& reader() const { return source_->dataset.reader(); }

  /// `self` is the Python object. Returns null, with a Python error set, if the rows cannot be determined.
  [[nodiscard]] const Rows* TryRows(PyObject* self);
  [[nodiscard]] const Rows& rows(PyObject* self);

 private:
  std::shared_ptr<const Source> source_;
  std::shared_ptr<const Rows> rows_;
};

/// Returns the ordinals of the rows of the Dataset `self` that `numbers` selects.
[[nodiscard]] std::vector<uint64_t> OrdinalsOf(nanobind::handle self, nanobind::handle numbers);

void BindRecords(nanobind::module_& m);

}  // namespace ofindex::python

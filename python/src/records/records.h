#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "python/src/records/rows.h"
#include "python/src/records/source.h"

namespace ofindex::python {

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

#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "python/src/arrow_column.h"

namespace ofindex::python {

/// A table that is read batch by batch, by whoever takes a stream of it; on any thread, without the GIL.
struct ArrowTable {
  std::vector<ArrowField> fields;

  /// Columns of the next rows, all of one size; nothing after the last.
  std::function<Result<std::optional<std::vector<ArrowColumn>>>()> next;
};

/// `table` as a capsule "arrow_array_stream", for the PyCapsule protocol.
[[nodiscard]] nanobind::object StreamCapsule(ArrowTable table);

}  // namespace ofindex::python

#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "python/src/columns/arrow_column.h"

namespace ofindex::python {

/// A table that is read in batches by the consumer of its stream, on any thread, without the GIL.
struct ArrowTable {
  std::vector<ArrowField> fields;

  /// Returns the next rows, or nothing after the last.
  struct Batch {
    int64_t rows = 0;
    std::shared_ptr<const std::vector<ArrowColumn>> columns;  ///< each has one value per row
  };
  std::function<Result<std::optional<Batch>>()> next;
};

/// Wraps `table` in a capsule "arrow_array_stream" for the PyCapsule protocol.
[[nodiscard]] nanobind::object StreamCapsule(ArrowTable table);

}  // namespace ofindex::python

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

  /// The next rows; nothing after the last.
  struct Batch {
    int64_t rows = 0;
    std::shared_ptr<const std::vector<ArrowColumn>> columns;  ///< of as many values
  };
  std::function<Result<std::optional<Batch>>()> next;
};

/// `table` as a capsule "arrow_array_stream", for the PyCapsule protocol.
[[nodiscard]] nanobind::object StreamCapsule(ArrowTable table);

}  // namespace ofindex::python

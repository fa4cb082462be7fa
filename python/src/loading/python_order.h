#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "base/result.h"
#include "query/loading/batch_loader.h"

namespace ofindex::python {

/// An order defined in Python: take(count) returns (ordinals, position). Called on the loader's threads.
class PythonOrder {
 public:
  /// The last reference may be dropped on any thread, without the GIL.
  [[nodiscard]] static std::shared_ptr<PythonOrder> Share(nanobind::object take);

  /// Fills places, as a NextOrdinals. An exception raised by take() ends the order; see Rethrow().
  OrderStep Fill(std::span<uint64_t> out);

  /// Does the same as a WholeOrder: an exception of take() becomes the error kInterrupted.
  [[nodiscard]] Result<size_t> FillOrFail(std::span<uint64_t> out);

  /// Raises the exception that take() raised, if any; call it when the order has ended. The GIL is held.
  void Rethrow();

 private:
  explicit PythonOrder(nanobind::object take) : take_(std::move(take)) {}

  // Returns false if take() raised an exception.
  [[nodiscard]] bool Take(std::span<uint64_t> out, OrderStep& step);

  nanobind::object take_;
  std::exception_ptr raised_;  // read and written under the GIL
};

}  // namespace ofindex::python

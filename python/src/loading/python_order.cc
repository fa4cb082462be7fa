#include "python/src/loading/python_order.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <utility>

namespace nb = nanobind;

namespace ofindex::python {

std::shared_ptr<PythonOrder> PythonOrder::Share(nb::object take) {
  return {new PythonOrder(std::move(take)), [](PythonOrder* order) {
            const nb::gil_scoped_acquire acquire;
            delete order;
          }};
}

bool PythonOrder::Take(std::span<uint64_t> out, OrderStep& step) {
  const nb::gil_scoped_acquire acquire;
  try {
    const nb::object taken = take_(out.size());
    const auto ordinals = nb::cast<nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig>>(taken[0]);
    const size_t count = std::min(out.size(), ordinals.shape(0));
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<uint64_t>(ordinals.data()[i]);
    step = {count, nb::cast<uint64_t>(taken[1])};
    return true;
  } catch (...) {
    raised_ = std::current_exception();
    return false;
  }
}

OrderStep PythonOrder::Fill(std::span<uint64_t> out) {
  OrderStep step;
  return Take(out, step) ? step : OrderStep{};
}

Result<size_t> PythonOrder::FillOrFail(std::span<uint64_t> out) {
  OrderStep step;
  if (!Take(out, step)) return Fail(ErrorCode::kInterrupted, "the order raised an exception");
  return step.count;
}

void PythonOrder::Rethrow() {
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
}

}  // namespace ofindex::python

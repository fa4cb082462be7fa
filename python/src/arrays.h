#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace ofindex::python {

/// `values` as a numpy array of one dimension that owns them; `As` is what numpy takes a T for.
template <typename T, typename As = T>
nanobind::object ArrayOf(std::vector<T> values) {
  static_assert(sizeof(T) == sizeof(As));
  auto* const owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  using Array = nanobind::ndarray<nanobind::numpy, As, nanobind::ndim<1>>;
  return nanobind::cast(Array(reinterpret_cast<As*>(owned->data()), {owned->size()}, owner));
}

/// Row numbers, which numpy has as int64.
inline nanobind::object RowArray(std::vector<uint64_t> rows) { return ArrayOf<uint64_t, int64_t>(std::move(rows)); }

}  // namespace ofindex::python

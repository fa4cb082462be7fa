#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace ofindex::python {

/// One-dimensional memory that numpy turns into an array through the buffer protocol.
struct Memory {
  std::shared_ptr<const void> owner;  ///< keeps the memory alive
  void* data;
  Py_ssize_t size;  ///< number of items
  Py_ssize_t item_bytes;
  const char* format;  ///< of an item, in the notation of the module `struct`
};

/// Returns a writable numpy array of `memory`, which it keeps alive.
[[nodiscard]] nanobind::object ArrayOf(Memory memory);

/// Returns the buffer format of numpy's own type of T's width. For 64 bits it is that of `long`, not of `long long`.
template <typename T>
constexpr const char* FormatOf() {
  if constexpr (std::is_same_v<T, bool>) return "?";
  if constexpr (std::is_same_v<T, float>) return "f";
  if constexpr (std::is_same_v<T, double>) return "d";
  constexpr bool kSigned = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return kSigned ? "b" : "B";
  if constexpr (sizeof(T) == 2) return kSigned ? "h" : "H";
  if constexpr (sizeof(T) == 4) return kSigned ? "i" : "I";
  return kSigned ? "l" : "L";
}

/// Returns the `size` items at `data`, which `owner` keeps alive, as an array. If `size` is 0, `data` may be null.
template <typename T>
nanobind::object SharedArray(std::shared_ptr<const void> owner, const T* data, size_t size) {
  static T nothing{};
  return ArrayOf({.owner = std::move(owner),
                  .data = data == nullptr ? &nothing : const_cast<T*>(data),
                  .size = static_cast<Py_ssize_t>(size),
                  .item_bytes = sizeof(T),
                  .format = FormatOf<T>()});
}

/// Returns `values` as an array; `As` is the type that numpy sees instead of T.
template <typename T, typename As = T>
nanobind::object ArrayOf(std::vector<T> values) {
  static_assert(sizeof(T) == sizeof(As));
  const auto owned = std::make_shared<const std::vector<T>>(std::move(values));
  return SharedArray<As>(owned, reinterpret_cast<const As*>(owned->data()), owned->size());
}

/// Returns row numbers as an array of int64.
inline nanobind::object RowArray(std::vector<uint64_t> rows) { return ArrayOf<uint64_t, int64_t>(std::move(rows)); }

void BindArrays(nanobind::module_& m);

}  // namespace ofindex::python

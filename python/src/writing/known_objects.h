#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace ofindex::python {

/// Types of numpy and of this package that are recognised here.
struct KnownTypes {
  nanobind::object array, scalar, bytes_array, ragged;

  /// Returns the types of this process, imported at the first call. The GIL is held.
  [[nodiscard]] static const KnownTypes& Get();
};

[[nodiscard]] bool IsA(nanobind::handle value, const nanobind::object& type);

/// Returns whether `value` is a list or a tuple.
[[nodiscard]] bool IsList(PyObject* value);

[[nodiscard]] size_t Dimensions(nanobind::handle array);

/// Returns `value` in a form that the functions below recognise: objects that numpy can convert to arrays (such as
/// tensors) as arrays, others unchanged.
[[nodiscard]] nanobind::object AsKnown(nanobind::handle value);

/// Returns whether `value` is a row: a list, or an array of one dimension or more.
[[nodiscard]] bool IsRow(nanobind::handle value);

/// Returns whether `value` holds rows, each of which is a step: a list of lists, an array of two dimensions or
/// more, a Ragged.
[[nodiscard]] bool HasRows(nanobind::handle value);

}  // namespace ofindex::python

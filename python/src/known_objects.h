#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace ofindex::python {

/// The types of numpy and of the package itself that are recognised here.
struct KnownTypes {
  nanobind::object array, scalar, bytes_array, ragged;

  /// Those of this process, imported at the first call. The GIL is held.
  [[nodiscard]] static const KnownTypes& Get();
};

[[nodiscard]] bool IsA(nanobind::handle value, const nanobind::object& type);

/// Whether `value` is a list or a tuple.
[[nodiscard]] bool IsList(PyObject* value);

[[nodiscard]] size_t Dimensions(nanobind::handle array);

/// What stands for a list of lists: rows as numpy, or the package itself, has them. Objects that numpy takes for arrays
/// (tensors are such) are given as arrays; others as they are.
[[nodiscard]] nanobind::object AsKnown(nanobind::handle value);

/// Whether `value` is a row: a list, or an array of one dimension or more.
[[nodiscard]] bool IsRow(nanobind::handle value);

/// Whether `value` holds rows, of which each is a step: a list of lists, an array of two dimensions or more, a Ragged.
[[nodiscard]] bool HasRows(nanobind::handle value);

}  // namespace ofindex::python

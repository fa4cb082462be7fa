#include "python/src/writing/known_objects.h"

#include <nanobind/stl/string.h>

#include <string>

#include "python/src/convert/objects.h"

namespace nb = nanobind;

namespace ofindex::python {

// Never freed, because the order of destruction at the interpreter's end is not under our control.
const KnownTypes& KnownTypes::Get() {
  static const KnownTypes* const types = [] {
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::module_ arrays = nb::module_::import_("ofindex._arrays");
    return new KnownTypes{numpy.attr("ndarray"), numpy.attr("generic"), arrays.attr("BytesArray"),
                          arrays.attr("Ragged")};
  }();
  return *types;
}

bool IsA(nb::handle value, const nb::object& type) {
  return PyObject_TypeCheck(value.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())) != 0;
}

bool IsList(PyObject* value) { return PyList_Check(value) || PyTuple_Check(value); }

size_t Dimensions(nb::handle array) { return nb::cast<size_t>(array.attr("ndim")); }

nb::object AsKnown(nb::handle value) {
  const KnownTypes& types = KnownTypes::Get();
  PyObject* const object = value.ptr();
  const bool plain = IsList(object) || PyUnicode_Check(object) || PyBytes_Check(object) || PyLong_Check(object) ||
                     PyFloat_Check(object) || IsA(value, types.array) || IsA(value, types.scalar) ||
                     IsA(value, types.bytes_array) || IsA(value, types.ragged);
  if (plain || !nb::hasattr(value, "__array__")) return nb::borrow(value);
  return nb::module_::import_("numpy").attr("asarray")(value);
}

bool IsRow(nb::handle value) {
  const KnownTypes& types = KnownTypes::Get();
  const nb::object known = AsKnown(value);
  return IsList(known.ptr()) || IsA(known, types.bytes_array) || (IsA(known, types.array) && Dimensions(known) > 0);
}

bool HasRows(nb::handle value) {
  const KnownTypes& types = KnownTypes::Get();
  if (IsA(value, types.array)) {
    if (Dimensions(value) >= 2) return true;
    if (nb::cast<std::string>(value.attr("dtype").attr("kind")) != "O") return false;
    return Dimensions(value) == 1 && HasRows(nb::object(value.attr("tolist")()));
  }
  if (IsA(value, types.ragged)) return true;
  if (IsA(value, types.bytes_array)) return PyObject_Length(nb::object(value.attr("shape")).ptr()) > 1;
  if (!IsList(value.ptr())) return false;
  for (Py_ssize_t i = 0; i < ListSize(value.ptr()); ++i) {
    const nb::object item = nb::borrow(ListItem(value.ptr(), i));
    if (item.is_none()) continue;
    return IsRow(item);
  }
  return false;
}

}  // namespace ofindex::python

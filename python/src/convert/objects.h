#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "base/bytes.h"

/// Parts of Python's own objects. A build for one version of Python reads them in place, with macros. A build for the
/// stable ABI (Py_LIMITED_API) calls functions.
namespace ofindex::python {

#ifdef Py_LIMITED_API

/// Returns the content of a `bytes` object, valid while the object lives.
inline ByteView BytesIn(PyObject* bytes) {
  return {reinterpret_cast<const uint8_t*>(PyBytes_AsString(bytes)), static_cast<size_t>(PyBytes_Size(bytes))};
}

/// Returns the memory of a `bytes` object that no other code has seen yet.
inline uint8_t* NewBytes(PyObject* bytes) { return reinterpret_cast<uint8_t*>(PyBytes_AsString(bytes)); }

/// Returns the value of a `float`, or of a subclass of it.
inline double RealIn(PyObject* real) { return PyFloat_AsDouble(real); }

/// Returns the number of items of a list or a tuple.
inline Py_ssize_t ListSize(PyObject* list) { return Py_SIZE(list); }

/// Returns an item of a list or a tuple, borrowed. `i` is in range.
inline PyObject* ListItem(PyObject* list, Py_ssize_t i) {
  return PyList_Check(list) ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i);
}

/// Sets an item of a new list or tuple, and takes over the reference.
inline void SetListItem(PyObject* list, Py_ssize_t i, PyObject* item) { PyList_SetItem(list, i, item); }
inline void SetTupleItem(PyObject* tuple, Py_ssize_t i, PyObject* item) { PyTuple_SetItem(tuple, i, item); }

/// Returns the name of the type of an object, for messages: `int`, `numpy.ndarray`, and `Row` for a class in Python.
inline std::string TypeName(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  std::string name;
  const auto append = [&](PyObject* text) {
    const char* utf8 = text == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(text, nullptr);
    if (utf8 == nullptr) PyErr_Clear();
    if (utf8 != nullptr) name += utf8;
    Py_XDECREF(text);
  };
  if ((PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) == 0) {
    append(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
    name = name == "builtins" ? "" : name + ".";
  }
  append(PyType_GetName(type));
  return name;
}

#else

inline ByteView BytesIn(PyObject* bytes) {
  return {reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytes)), static_cast<size_t>(PyBytes_GET_SIZE(bytes))};
}
inline uint8_t* NewBytes(PyObject* bytes) { return reinterpret_cast<uint8_t*>(PyBytes_AS_STRING(bytes)); }
inline double RealIn(PyObject* real) { return PyFloat_AS_DOUBLE(real); }
inline Py_ssize_t ListSize(PyObject* list) { return PySequence_Fast_GET_SIZE(list); }
inline PyObject* ListItem(PyObject* list, Py_ssize_t i) { return PySequence_Fast_GET_ITEM(list, i); }
inline void SetListItem(PyObject* list, Py_ssize_t i, PyObject* item) { PyList_SET_ITEM(list, i, item); }
inline void SetTupleItem(PyObject* tuple, Py_ssize_t i, PyObject* item) { PyTuple_SET_ITEM(tuple, i, item); }
inline std::string TypeName(PyObject* object) { return Py_TYPE(object)->tp_name; }

#endif

}  // namespace ofindex::python

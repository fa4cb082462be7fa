#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "python/src/convert/objects.h"

namespace ofindex::python {

/// Returns a `bytes` object with the content of `view`.
inline nanobind::bytes BytesOf(ByteView view) { return nanobind::bytes(view.data(), view.size()); }

/// Returns the name of a feature or a path as str. Bytes that are not UTF-8 become lone surrogates, as in Python's file
/// system names.
inline nanobind::object TextOf(std::string_view text) {
  return nanobind::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

/// Returns the bytes of a str or bytes, the reverse of TextOf. Raises TypeError for anything else.
inline std::string NameOf(nanobind::handle name) {
  if (PyBytes_Check(name.ptr())) return std::string(AsText(BytesIn(name.ptr())));
  if (!PyUnicode_Check(name.ptr())) {
    PyErr_Format(PyExc_TypeError, "a name is a str, not %s", TypeName(name.ptr()).c_str());
    throw nanobind::python_error();
  }
  const nanobind::object bytes = nanobind::steal(PyUnicode_AsEncodedString(name.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) throw nanobind::python_error();
  return std::string(AsText(BytesIn(bytes.ptr())));
}

/// Returns the bytes of a path. Raises ValueError if it contains a NUL, where the system would end it.
inline std::string PathOf(nanobind::handle path) {
  std::string bytes = NameOf(path);
  if (bytes.find('\0') == std::string::npos) return bytes;
  PyErr_SetString(PyExc_ValueError, "embedded null byte");
  throw nanobind::python_error();
}

}  // namespace ofindex::python

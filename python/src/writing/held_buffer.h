#pragma once

#include <nanobind/nanobind.h>

namespace ofindex::python {

/// The buffer of an object, held as long as this object lives. The GIL is held.
class HeldBuffer {
 public:
  /// Returns false, with no exception set, if `object` has no such buffer.
  [[nodiscard]] bool Get(PyObject* object, int flags) {
    if (PyObject_GetBuffer(object, &view_, flags) == 0) return held_ = true;
    PyErr_Clear();
    return false;
  }
  HeldBuffer() = default;
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
  ~HeldBuffer() {
    if (held_) PyBuffer_Release(&view_);
  }
  [[nodiscard]] const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_{};
  bool held_ = false;
};

/// Returns the format letter of a buffer's items if they are in native byte order, otherwise 0.
[[nodiscard]] inline char FormatOf(const Py_buffer& buffer) {
  const char* format = buffer.format == nullptr ? "B" : buffer.format;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  return format[0] != '\0' && format[1] == '\0' ? format[0] : '\0';
}

}  // namespace ofindex::python

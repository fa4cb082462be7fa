#include "python/src/interpreter/errors.h"

#include <string>

#include "base/text.h"
#include "python/src/interpreter/python_words.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

// Returns the name of the exception in ofindex._errors; null if it is a built-in one.
const char* OwnException(ErrorCode code, Asked asked) {
  switch (code) {
    case ErrorCode::kUsage: return asked == Asked::kQuery ? "QueryError" : nullptr;
    case ErrorCode::kDamage: return "DamageError";
    case ErrorCode::kFormat: return "FormatError";
    case ErrorCode::kFeature: return "FeatureError";
    case ErrorCode::kIndex: return "Error";
    case ErrorCode::kStale: return "StaleError";
    case ErrorCode::kLocked: return "LockError";
    case ErrorCode::kLimit: return "LimitError";
    case ErrorCode::kOutOfRange:
    case ErrorCode::kNotFound:
    case ErrorCode::kIo:
    case ErrorCode::kInterrupted: return nullptr;
  }
  return "Error";
}

PyObject* PythonsException(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOutOfRange: return PyExc_IndexError;
    case ErrorCode::kNotFound: return PyExc_FileNotFoundError;
    case ErrorCode::kIo: return PyExc_OSError;
    case ErrorCode::kInterrupted: return PyExc_KeyboardInterrupt;
    default: return PyExc_ValueError;
  }
}

// Messages contain paths, which may contain any bytes.
nb::object Text(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

}  // namespace

void SetError(const Error& error, Asked asked) {
  if (PyErr_Occurred() != nullptr) return;  // an exception raised by a callback or a signal handler is more specific
  try {
    const nb::object text = Text(TextInPython(error));
    if (const char* name = OwnException(error.code, asked)) {
      const nb::object type = nb::module_::import_("ofindex._errors").attr(name);
      const nb::object exception = type(text);
      exception.attr("hint") = Text(InPython(error.hint));
      PyErr_SetObject(type.ptr(), exception.ptr());
    } else if (error.system != 0) {
      // OSError picks its subclass by errno: PermissionError, FileNotFoundError and so on.
      const nb::object exception = nb::borrow(PyExc_OSError)(error.system, text);
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    } else {
      PyErr_SetObject(PythonsException(error.code), text.ptr());
    }
  } catch (nb::python_error& failed) {
    failed.restore();
  }
}

void Raise(const Error& error, Asked asked) {
  SetError(error, asked);
  throw nb::python_error();
}

}  // namespace ofindex::python

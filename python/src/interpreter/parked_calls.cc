// Calls into Python that park a thread if the interpreter ends meanwhile.
//
// Before Python 3.14 a thread that waits for the GIL while the interpreter ends is terminated by pthread_exit, which
// unwinds its stack. That runs destructors without the GIL, and ends the whole process with SIGABRT at the first
// noexcept function: destructors, and all of nanobind's entries. Since 3.14 Python lets such threads hang
// (github.com/python/cpython/issues/87135); this file does the same for older versions.
//
// The linker redirects every call of the extension, nanobind's included, to the functions below (`--wrap`, in
// python/meson.build): all calls that take the GIL, run Python code or free objects, and so may wait for the GIL. The
// list there and the list here must agree, or the extension cannot be loaded; tests/python/parked_calls_test.py finds
// calls that are in neither.

#include <Python.h>
#include <unistd.h>

#include <cstdarg>
#include <type_traits>

// The version of Python whose functions the extension may call: with the stable ABI, the oldest that it supports.
#ifdef Py_LIMITED_API
#define OFINDEX_PYTHON_API Py_LIMITED_API
#else
#define OFINDEX_PYTHON_API PY_VERSION_HEX
#endif

namespace {

[[noreturn]] void Park() noexcept {
  for (;;) ::pause();
}

/// Parks the thread if it is destroyed by unwinding. A catch clause would do the same, but not inside another one:
/// catching a foreign exception there ends the process.
class ParkIfUnwound {
 public:
  ParkIfUnwound() = default;
  ParkIfUnwound(const ParkIfUnwound&) = delete;
  ParkIfUnwound& operator=(const ParkIfUnwound&) = delete;
  ~ParkIfUnwound() {
    if (!returned_) Park();
  }
  void Returned() { returned_ = true; }

 private:
  bool returned_ = false;
};

template <typename Call>
auto Parking(const Call& call) {
  ParkIfUnwound unwound;
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    unwound.Returned();
  } else {
    auto result = call();
    unwound.Returned();
    return result;
  }
}

}  // namespace

// The compiler checks each signature against Python's.
#define OFINDEX_PARKED(result, name, parameters, arguments)  \
  decltype(name) __real_##name;                              \
  decltype(name) __wrap_##name;                              \
  result __wrap_##name parameters {                          \
    return Parking([&] { return __real_##name arguments; }); \
  }
#define OFINDEX_PARKED_0(result, name) OFINDEX_PARKED(result, name, (), ())
#define OFINDEX_PARKED_1(result, name, A) OFINDEX_PARKED(result, name, (A a), (a))
#define OFINDEX_PARKED_2(result, name, A, B) OFINDEX_PARKED(result, name, (A a, B b), (a, b))
#define OFINDEX_PARKED_3(result, name, A, B, C) OFINDEX_PARKED(result, name, (A a, B b, C c), (a, b, c))
#define OFINDEX_PARKED_4(result, name, A, B, C, D) OFINDEX_PARKED(result, name, (A a, B b, C c, D d), (a, b, c, d))

extern "C" {

// Calls that take the GIL.
OFINDEX_PARKED_1(void, PyEval_RestoreThread, PyThreadState*)
OFINDEX_PARKED_1(void, PyGILState_Release, PyGILState_STATE)

decltype(PyGILState_Ensure) __real_PyGILState_Ensure;
decltype(PyGILState_Ensure) __wrap_PyGILState_Ensure;
PyGILState_STATE __wrap_PyGILState_Ensure() {
  // A thread that Python does not know yet cannot be registered with an interpreter that is gone.
  if (Py_IsInitialized() == 0 && PyGILState_GetThisThreadState() == nullptr) Park();
  return Parking([] { return __real_PyGILState_Ensure(); });
}

// Calls that run Python code, or free or allocate objects, which may run it too.
OFINDEX_PARKED_1(void, PyBuffer_Release, Py_buffer*)
OFINDEX_PARKED_1(PyObject*, PyBytes_FromObject, PyObject*)
OFINDEX_PARKED_4(PyObject*, PyCMethod_New, PyMethodDef*, PyObject*, PyObject*, PyTypeObject*)
OFINDEX_PARKED_2(PyObject*, PyDict_GetItemWithError, PyObject*, PyObject*)
OFINDEX_PARKED_0(PyObject*, PyDict_New)
OFINDEX_PARKED_3(int, PyDict_SetItem, PyObject*, PyObject*, PyObject*)
OFINDEX_PARKED_3(int, PyDict_SetItemString, PyObject*, const char*, PyObject*)
OFINDEX_PARKED_2(int, PyDict_Update, PyObject*, PyObject*)
OFINDEX_PARKED_0(int, PyErr_CheckSignals)
OFINDEX_PARKED_0(void, PyErr_Clear)
OFINDEX_PARKED_3(PyObject*, PyErr_FormatV, PyObject*, const char*, va_list)
OFINDEX_PARKED_0(PyObject*, PyErr_NoMemory)
OFINDEX_PARKED_3(void, PyErr_NormalizeException, PyObject**, PyObject**, PyObject**)
OFINDEX_PARKED_3(void, PyErr_Restore, PyObject*, PyObject*, PyObject*)
OFINDEX_PARKED_2(void, PyErr_SetObject, PyObject*, PyObject*)
OFINDEX_PARKED_2(void, PyErr_SetString, PyObject*, const char*)
OFINDEX_PARKED_3(int, PyErr_WarnEx, PyObject*, const char*, Py_ssize_t)
OFINDEX_PARKED_1(void, PyErr_WriteUnraisable, PyObject*)
OFINDEX_PARKED_3(PyObject*, PyEval_EvalCode, PyObject*, PyObject*, PyObject*)
OFINDEX_PARKED_2(void, PyException_SetCause, PyObject*, PyObject*)
OFINDEX_PARKED_2(void, PyException_SetContext, PyObject*, PyObject*)
OFINDEX_PARKED_2(int, PyException_SetTraceback, PyObject*, PyObject*)
OFINDEX_PARKED_1(double, PyFloat_AsDouble, PyObject*)
OFINDEX_PARKED_1(PyObject*, PyImport_ImportModule, const char*)
OFINDEX_PARKED_1(PyObject*, PyIter_Next, PyObject*)
OFINDEX_PARKED_1(PyObject*, PyList_New, Py_ssize_t)
OFINDEX_PARKED_1(long, PyLong_AsLong, PyObject*)
OFINDEX_PARKED_1(long long, PyLong_AsLongLong, PyObject*)
OFINDEX_PARKED_2(long long, PyLong_AsLongLongAndOverflow, PyObject*, int*)
OFINDEX_PARKED_1(PyObject*, PyMemoryView_FromObject, PyObject*)
OFINDEX_PARKED_1(PyObject*, PyNumber_Index, PyObject*)
OFINDEX_PARKED_1(void, PyObject_ClearWeakRefs, PyObject*)
OFINDEX_PARKED_2(PyObject*, PyObject_GenericGetAttr, PyObject*, PyObject*)
OFINDEX_PARKED_2(PyObject*, PyObject_GenericGetDict, PyObject*, void*)
OFINDEX_PARKED_3(int, PyObject_GenericSetDict, PyObject*, PyObject*, void*)
OFINDEX_PARKED_2(PyObject*, PyObject_GetAttr, PyObject*, PyObject*)
OFINDEX_PARKED_2(PyObject*, PyObject_GetAttrString, PyObject*, const char*)
OFINDEX_PARKED_3(int, PyObject_GetBuffer, PyObject*, Py_buffer*, int)
OFINDEX_PARKED_2(PyObject*, PyObject_GetItem, PyObject*, PyObject*)
OFINDEX_PARKED_1(PyObject*, PyObject_GetIter, PyObject*)
OFINDEX_PARKED_2(int, PyObject_HasAttr, PyObject*, PyObject*)
OFINDEX_PARKED_1(PyObject*, PyObject_Repr, PyObject*)
OFINDEX_PARKED_3(int, PyObject_SetAttr, PyObject*, PyObject*, PyObject*)
OFINDEX_PARKED_1(Py_ssize_t, PyObject_Size, PyObject*)
OFINDEX_PARKED_1(PyObject*, PyObject_Str, PyObject*)
OFINDEX_PARKED_4(PyObject*, PyObject_Vectorcall, PyObject*, PyObject* const*, size_t, PyObject*)
OFINDEX_PARKED_4(PyObject*, PyObject_VectorcallMethod, PyObject*, PyObject* const*, size_t, PyObject*)
OFINDEX_PARKED_2(PyObject*, PySequence_GetItem, PyObject*, Py_ssize_t)
OFINDEX_PARKED_1(PyObject*, PySequence_List, PyObject*)
OFINDEX_PARKED_1(Py_ssize_t, PySequence_Size, PyObject*)
OFINDEX_PARKED_1(PyObject*, PySequence_Tuple, PyObject*)
OFINDEX_PARKED_3(PyObject*, PySlice_New, PyObject*, PyObject*, PyObject*)
OFINDEX_PARKED_1(PyObject*, PyTuple_New, Py_ssize_t)
OFINDEX_PARKED_2(PyObject*, PyType_GenericAlloc, PyTypeObject*, Py_ssize_t)
OFINDEX_PARKED_3(PyObject*, PyType_GenericNew, PyTypeObject*, PyObject*, PyObject*)
OFINDEX_PARKED_3(PyObject*, PyUnicode_AsEncodedString, PyObject*, const char*, const char*)
OFINDEX_PARKED_3(PyObject*, PyUnicode_DecodeUTF8, const char*, Py_ssize_t, const char*)
OFINDEX_PARKED_2(PyObject*, PyUnicode_FromFormatV, const char*, va_list)
OFINDEX_PARKED_3(PyObject*, PyVectorcall_Call, PyObject*, PyObject*, PyObject*)
OFINDEX_PARKED_2(PyObject*, PyWeakref_NewRef, PyObject*, PyObject*)
OFINDEX_PARKED_1(PyObject*, _PyObject_GC_New, PyTypeObject*)
OFINDEX_PARKED_1(PyObject*, _PyObject_New, PyTypeObject*)
OFINDEX_PARKED_1(void, _Py_Dealloc, PyObject*)
#if PY_VERSION_HEX < 0x030D0000 && !defined(Py_LIMITED_API)
OFINDEX_PARKED_3(int, _PyObject_LookupAttr, PyObject*, PyObject*, PyObject**)
#endif

// Replacements that nanobind calls in Python 3.12 and 3.13.
#if OFINDEX_PYTHON_API >= 0x030C0000
OFINDEX_PARKED_0(PyObject*, PyErr_GetRaisedException)
OFINDEX_PARKED_1(void, PyErr_SetRaisedException, PyObject*)
OFINDEX_PARKED_4(PyObject*, PyType_FromMetaclass, PyTypeObject*, PyObject*, PyType_Spec*, PyObject*)
#endif
#if OFINDEX_PYTHON_API >= 0x030D0000
OFINDEX_PARKED_3(int, PyDict_GetItemRef, PyObject*, PyObject*, PyObject**)
OFINDEX_PARKED_4(int, PyDict_SetDefaultRef, PyObject*, PyObject*, PyObject*, PyObject**)
OFINDEX_PARKED_3(int, PyObject_GetOptionalAttr, PyObject*, PyObject*, PyObject**)
#endif

// Calls of builds for the stable ABI, which has them in place of macros.
OFINDEX_PARKED_2(PyObject*, PyDict_GetItem, PyObject*, PyObject*)
OFINDEX_PARKED_1(unsigned long long, PyLong_AsUnsignedLongLongMask, PyObject*)
OFINDEX_PARKED_3(int, PyObject_RichCompareBool, PyObject*, PyObject*, int)
OFINDEX_PARKED_1(void, _Py_DecRef, PyObject*)

// Variadic calls.
decltype(PyObject_CallMethod) __wrap_PyObject_CallMethod;
PyObject* __wrap_PyObject_CallMethod(PyObject* object, const char* name, const char* format, ...) {
  va_list items;
  va_start(items, format);
  PyObject* const built = Parking([&] { return Py_VaBuildValue(format, items); });
  va_end(items);
  PyObject* const method = built == nullptr ? nullptr : PyObject_GetAttrString(object, name);
  PyObject* const result = method == nullptr ? nullptr : Parking([&] {
    return PyTuple_Check(built) ? PyObject_CallObject(method, built) : PyObject_Vectorcall(method, &built, 1, nullptr);
  });
  Py_XDECREF(method);
  Py_XDECREF(built);
  return result;
}

decltype(PyErr_Format) __wrap_PyErr_Format;
PyObject* __wrap_PyErr_Format(PyObject* type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyObject* const null = PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  return null;
}

decltype(PyUnicode_FromFormat) __wrap_PyUnicode_FromFormat;
PyObject* __wrap_PyUnicode_FromFormat(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyObject* const text = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  return text;
}

#if OFINDEX_PYTHON_API >= 0x030D0000
decltype(PyErr_FormatUnraisable) __real_PyErr_FormatUnraisable;
decltype(PyErr_FormatUnraisable) __wrap_PyErr_FormatUnraisable;
void __wrap_PyErr_FormatUnraisable(const char* format, ...) {
  PyObject* const raised = PyErr_GetRaisedException();  // the text is formatted without it
  va_list arguments;
  va_start(arguments, format);
  PyObject* const text = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  PyErr_SetRaisedException(raised);
  Parking([&] { __real_PyErr_FormatUnraisable("%V", text, "Exception ignored"); });
  Py_XDECREF(text);
}
#endif

decltype(PyTuple_Pack) __wrap_PyTuple_Pack;
PyObject* __wrap_PyTuple_Pack(Py_ssize_t count, ...) {
  PyObject* const tuple = PyTuple_New(count);
  if (tuple == nullptr) return nullptr;
  va_list items;
  va_start(items, count);
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SetItem(tuple, i, Py_NewRef(va_arg(items, PyObject*)));
  va_end(items);
  return tuple;
}

}  // extern "C"

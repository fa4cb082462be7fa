#include "python/src/convert/indices.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <limits>

#include "base/text.h"
#include "python/src/convert/objects.h"
#include "python/src/interpreter/errors.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

using Int64Array = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

[[noreturn]] void RaiseBeyondInt64(nb::handle number, uint64_t size) {
  nb::object text = nb::steal(PyObject_Str(number.ptr()));
  if (!text.is_valid()) {  // Python writes no integers of more than some thousand digits
    PyErr_Clear();
    text = nb::str("of so many digits");
  }
  PyErr_Format(PyExc_IndexError, "record %U does not exist; there are %s", text.ptr(), FormatCount(size).c_str());
  throw nb::python_error();
}

// `list` is a list or a tuple. Its size is checked again for each item, because converting an item to a number may run
// code that changes a list.
std::vector<uint64_t> OfList(PyObject* list, uint64_t size) {
  std::vector<uint64_t> indices;
  indices.reserve(static_cast<size_t>(ListSize(list)));
  for (Py_ssize_t i = 0; i < ListSize(list); ++i) {
    const nb::object item = nb::borrow(ListItem(list, i));
    indices.push_back(IndexOf(item, size));
  }
  return indices;
}

// Converts `numbers`, of records among `size`, to an int64 array. Raises TypeError unless numpy converts them to a
// one-dimensional array of integers, which may be empty; IndexError if one is beyond int64.
nb::object AsInt64(nb::handle numbers, uint64_t size) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object array = numpy.attr("asarray")(numbers);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool empty = nb::cast<size_t>(array.attr("size")) == 0;
  if (kind != "i" && kind != "u" && !empty) {
    PyErr_Format(PyExc_TypeError, "records are selected by integers, not by an array of %S",
                 nb::object(array.attr("dtype")).ptr());
    throw nb::python_error();
  }
  if (nb::cast<size_t>(array.attr("ndim")) != 1) {
    PyErr_SetString(PyExc_TypeError, "records are selected by a one-dimensional array");
    throw nb::python_error();
  }
  // An unsigned number beyond int64 must not become negative, which would count from the end.
  if (kind == "u" && nb::cast<size_t>(array.attr("itemsize")) == sizeof(uint64_t) && !empty) {
    const nb::object beyond = numpy.attr("greater")(array, nb::int_(std::numeric_limits<int64_t>::max()));
    const nb::object first = beyond.attr("argmax")();  // 0 if none is
    if (nb::cast<bool>(beyond.attr("item")(first))) RaiseBeyondInt64(array.attr("item")(first), size);
  }
  return numpy.attr("ascontiguousarray")(array, nb::arg("dtype") = "int64");
}

}  // namespace

uint64_t IndexOf(int64_t number, uint64_t size) {
  const uint64_t index = number < 0 ? static_cast<uint64_t>(number) + size : static_cast<uint64_t>(number);
  if (index < size) return index;
  Raise(ErrorCode::kOutOfRange, StrCat("record ", number, " does not exist; there are ", FormatCount(size)));
}

uint64_t IndexOf(nb::handle number, uint64_t size) {
  const bool whole = PyIndex_Check(number.ptr()) && !PyBool_Check(number.ptr());
  const nb::object index = whole ? nb::steal(PyNumber_Index(number.ptr())) : nb::object();
  if (!index.is_valid()) {
    if (PyErr_Occurred() != nullptr && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "records are selected by integers, not by %s", TypeName(number.ptr()).c_str());
    throw nb::python_error();
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow == 0) return IndexOf(int64_t{value}, size);
  RaiseBeyondInt64(index, size);
}

std::vector<uint64_t> IndicesOf(nb::handle numbers, uint64_t size) {
  if (PyList_Check(numbers.ptr()) || PyTuple_Check(numbers.ptr())) return OfList(numbers.ptr(), size);
  const auto array = nb::cast<Int64Array>(AsInt64(numbers, size));
  std::vector<uint64_t> indices(array.shape(0));
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = IndexOf(array.data()[i], size);
  return indices;
}

}  // namespace ofindex::python

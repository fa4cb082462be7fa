#include "python/src/indices.h"

#include <nanobind/ndarray.h>

#include <limits>

#include "base/text.h"
#include "python/src/errors.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

using Int64Array = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<uint64_t> OfList(PyObject* list, uint64_t size) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
  PyObject** const items = PySequence_Fast_ITEMS(list);
  std::vector<uint64_t> indices(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object number = nb::steal(PyNumber_Index(items[i]));
    if (!number.is_valid() || PyBool_Check(items[i])) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "records are named by integers, not by %s", Py_TYPE(items[i])->tp_name);
      throw nb::python_error();
    }
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) value = std::numeric_limits<long long>::max();
    indices[static_cast<size_t>(i)] = IndexOf(value, size);
  }
  return indices;
}

// As int64: what numpy makes of it must be whole numbers without loss.
nb::object AsInt64(nb::handle numbers) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object array = numpy.attr("asarray")(numbers);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool empty = nb::cast<size_t>(array.attr("size")) == 0;
  if (kind != "i" && kind != "u" && !empty) {
    PyErr_Format(PyExc_TypeError, "records are named by integers, not by an array of %S",
                 nb::object(array.attr("dtype")).ptr());
    throw nb::python_error();
  }
  if (nb::cast<size_t>(array.attr("ndim")) != 1) {
    PyErr_SetString(PyExc_TypeError, "records are named by an array of one dimension");
    throw nb::python_error();
  }
  // An unsigned number beyond int64 must not become one from the end.
  if (kind == "u" && !empty) array = numpy.attr("minimum")(array, nb::int_(std::numeric_limits<int64_t>::max()));
  return numpy.attr("ascontiguousarray")(array, nb::arg("dtype") = "int64");
}

}  // namespace

uint64_t IndexOf(int64_t number, uint64_t size) {
  const uint64_t index = number < 0 ? static_cast<uint64_t>(number) + size : static_cast<uint64_t>(number);
  if (index < size) return index;
  Raise(ErrorCode::kOutOfRange, StrCat("record ", number, " is not there; there are ", FormatCount(size)));
}

std::vector<uint64_t> IndicesOf(nb::handle numbers, uint64_t size) {
  if (PyList_Check(numbers.ptr()) || PyTuple_Check(numbers.ptr())) return OfList(numbers.ptr(), size);
  const auto array = nb::cast<Int64Array>(AsInt64(numbers));
  std::vector<uint64_t> indices(array.shape(0));
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = IndexOf(array.data()[i], size);
  return indices;
}

}  // namespace ofindex::python

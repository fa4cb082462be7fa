#include "python/src/convert/values.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/objects.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

bool TakePlain(PyObject* object, ColumnValue& value) {
  using Type = ColumnValue::Type;
  if (object == Py_None) return true;
  if (PyLong_Check(object)) {
    value.type = Type::kInteger;
    value.integer = PyLong_AsLongLong(object);
    if (value.integer == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return true;
  }
  if (PyFloat_Check(object)) {
    value.type = Type::kReal;
    value.real = RealIn(object);
    return true;
  }
  if (!PyUnicode_Check(object) && !PyBytes_Check(object)) return false;
  value.type = PyBytes_Check(object) ? Type::kBlob : Type::kText;
  value.bytes = NameOf(object);
  return true;
}

ColumnValue ValueOf(nb::handle object) {
  ColumnValue value;
  if (TakePlain(object.ptr(), value)) return value;
  // Scalars of numpy, and arrays and tensors of one element.
  if (nb::hasattr(object, "item") && TakePlain(nb::object(object.attr("item")()).ptr(), value)) return value;
  PyErr_Format(PyExc_TypeError, "SQL has no %s; a parameter is None, int, float, str or bytes",
               TypeName(object.ptr()).c_str());
  throw nb::python_error();
}

}  // namespace

nb::object ObjectOf(const Chunk::Value& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return nb::none();
    case ColumnValue::Type::kInteger: return nb::int_(value.integer);
    case ColumnValue::Type::kReal: return nb::float_(value.real);
    case ColumnValue::Type::kText: return TextOf(AsText(value.bytes));
    case ColumnValue::Type::kBlob: return BytesOf(value.bytes);
  }
  return nb::none();
}

nb::object ObjectOf(const ColumnValue& value) {
  return ObjectOf(
      Chunk::Value{.type = value.type, .integer = value.integer, .real = value.real, .bytes = AsBytes(value.bytes)});
}

std::vector<SqlParameter> ParametersOf(nb::handle parameters) {
  std::vector<SqlParameter> values;
  if (parameters.is_none()) return values;
  if (PyMapping_Check(parameters.ptr()) != 0 && nb::hasattr(parameters, "items")) {
    for (nb::handle item : parameters.attr("items")()) {
      values.push_back({NameOf(item[0]), ValueOf(item[1])});
    }
    return values;
  }
  if (PyUnicode_Check(parameters.ptr()) || PyBytes_Check(parameters.ptr())) {
    PyErr_SetString(PyExc_TypeError, "parameters are a sequence or a mapping: (value,) for a single one");
    throw nb::python_error();
  }
  for (nb::handle value : parameters) values.push_back({StrCat(values.size() + 1), ValueOf(value)});
  return values;
}

}  // namespace ofindex::python

#include "python/src/writing/feature_values.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <utility>

#include "base/text.h"
#include "python/src/convert/objects.h"
#include "python/src/interpreter/errors.h"
#include "python/src/writing/held_buffer.h"
#include "python/src/writing/known_objects.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

std::string ReprOf(PyObject* value) {
  const nb::object text = nb::steal(PyObject_Repr(value));
  const char* utf8 = text.is_valid() ? PyUnicode_AsUTF8AndSize(text.ptr(), nullptr) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  std::string shown = utf8 == nullptr ? TypeName(value) : utf8;
  if (shown.size() > 60) shown = StrCat(shown.substr(0, 50), "...");
  return shown;
}

}  // namespace

void FeatureValues::Begin(ByteView name, uint64_t number, std::optional<FeatureKind> kind) {
  name_ = name;
  number_ = number;
  wanted_ = kind;
  family_ = Family::kNone;
  wide_ = kind == FeatureKind::kDouble;
  narrow_integers_ = true;
  lists_.Clear();
  owners_.clear();
  steps_.clear();
}

void FeatureValues::Refuse(const std::string& what, std::string hint) const {
  Raise(ErrorCode::kFeature, StrCat("record ", FormatCount(number_), ": feature '", NameForPeople(), "': ", what),
        std::move(hint));
}

std::string FeatureValues::NameForPeople() const { return Printable(AsText(name_)); }

// Taking values. The types that are most common in Python programs are tested first.

void FeatureValues::Take(nb::handle value) {
  PyObject* const object = value.ptr();
  if (IsList(object)) return TakeList(object);
  if (PyFloat_Check(object) || PyLong_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object)) {
    return TakeItem(object);
  }
  const KnownTypes& types = KnownTypes::Get();
  if (IsA(value, types.array) || IsA(value, types.scalar)) return TakeArray(value);
  if (nb::hasattr(value, "keys")) {
    Refuse("a mapping inside a record; a feature is a list of values", "flatten it: {'a': {'b': 1}} is {'a.b': 1}");
  }
  if (IsA(value, types.ragged)) {
    Refuse("a Ragged has rows, and only SequenceExamples have lists of lists", "its .values are one list");
  }
  if (IsA(value, types.bytes_array)) {
    nb::object list = nb::object(value.attr("tolist")());
    for (Py_ssize_t depth = PyObject_Length(nb::object(value.attr("shape")).ptr()); depth > 1; --depth) {
      list = nb::module_::import_("itertools").attr("chain").attr("from_iterable")(list);
    }
    const nb::object flat = nb::steal(PySequence_List(list.ptr()));
    if (!flat.is_valid()) throw nb::python_error();
    return TakeList(flat.ptr());
  }
  const nb::object known = AsKnown(value);
  if (known.ptr() != object) return TakeArray(known);
  if (PySequence_Check(object) == 0 || PyObject_CheckBuffer(object) != 0) return TakeItem(object);
  const nb::object list = nb::steal(PySequence_List(object));
  if (!list.is_valid()) throw nb::python_error();
  TakeList(list.ptr());
}

// Checks the size again for each item, because converting an item to a number may run code that changes the list.
void FeatureValues::TakeList(PyObject* list) {
  for (Py_ssize_t i = 0; i < ListSize(list); ++i) {
    const nb::object item = nb::borrow(ListItem(list, i));
    TakeItem(item.ptr());
  }
}

void FeatureValues::TakeItem(PyObject* item) {
  if (PyFloat_CheckExact(item)) return AddReal(RealIn(item), /*narrow=*/false);
  if (PyLong_CheckExact(item) || PyBool_Check(item)) return AddPythonInteger(item);
  if (PyBytes_Check(item)) return AddBytes(nb::borrow(item), BytesIn(item));
  if (PyUnicode_CheckExact(item)) return TakeText(item);
  TakeRarerItem(item);
}

void FeatureValues::TakeRarerItem(PyObject* item) {
  if (item == Py_None) {
    Refuse("None inside a list, which no message can store", "omit the value, or write a placeholder");
  }
  // numpy's float64, str_ and bytes_ are subclasses of Python's own types.
  if (PyFloat_Check(item)) return AddReal(RealIn(item), /*narrow=*/false);
  if (PyUnicode_Check(item)) return TakeText(item);
  const KnownTypes& types = KnownTypes::Get();
  const bool of_numpy = IsA(item, types.array) || IsA(item, types.scalar);
  if (of_numpy && Dimensions(item) == 0) return TakeArray(item);
  if (PyLong_Check(item)) return AddPythonInteger(item);
  if (IsList(item) || of_numpy) {
    Refuse("a list inside a list", of_record_ ? "one list holds all values" : "a SequenceExample has lists of lists");
  }
  if (nb::hasattr(item, "keys")) Refuse("a mapping inside a list", "make a list of each of its keys");
  if (PyObject_CheckBuffer(item) != 0) return TakeBuffer(item);
  const nb::object known = AsKnown(item);
  if (known.ptr() != item) {
    if (Dimensions(known) != 0) Refuse("a list inside a list", "a SequenceExample has lists of lists");
    return TakeArray(known);
  }
  if (PyIndex_Check(item) != 0) {
    const nb::object integer = nb::steal(PyNumber_Index(item));
    if (!integer.is_valid()) throw nb::python_error();
    return AddPythonInteger(integer.ptr());
  }
  Refuse(StrCat("an object of type ", TypeName(item), " is not a value"), "values are int, float, bool, str and bytes");
}

void FeatureValues::TakeText(PyObject* text) {
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
  if (utf8 == nullptr) {
    PyErr_Clear();
    Refuse(StrCat("the text ", ReprOf(text), " has surrogates, which UTF-8 cannot encode"), "give its bytes");
  }
  AddBytes(nb::borrow(text), {reinterpret_cast<const uint8_t*>(utf8), static_cast<size_t>(size)});
}

// Bytes-like objects are bytes; buffers of other items (such as array.array) are numbers.
void FeatureValues::TakeBuffer(PyObject* object) {
  HeldBuffer buffer;
  if (!buffer.Get(object, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) {
    const nb::object bytes = nb::steal(PyBytes_FromObject(object));
    if (!bytes.is_valid()) throw nb::python_error();
    return TakeItem(bytes.ptr());
  }
  const char format = FormatOf(buffer.view());
  if (format != 'B' && format != 'b' && format != 'c') {
    if (!TakeNumbers(buffer.view())) Refuse(StrCat("an object of type ", TypeName(object), " is not a value"));
    return;
  }
  // Copies, because a bytearray may change before the payload is made.
  const nb::object bytes =
      nb::steal(PyBytes_FromStringAndSize(static_cast<const char*>(buffer.view().buf), buffer.view().len));
  if (!bytes.is_valid()) throw nb::python_error();
  TakeItem(bytes.ptr());
}

// All values of a feature must be of one family.
void FeatureValues::Become(Family family) {
  if (family_ == family) return;
  const auto name = [](Family which) {
    switch (which) {
      case Family::kBytes: return "bytes";
      case Family::kReal: return "floats";
      default: return "integers";
    }
  };
  if (wanted_) {
    const Family asked = *wanted_ == FeatureKind::kBytes                                       ? Family::kBytes
                         : *wanted_ == FeatureKind::kFloat || *wanted_ == FeatureKind::kDouble ? Family::kReal
                                                                                               : Family::kInteger;
    if (asked != family) {
      Refuse(StrCat(name(family), ", and the schema asks for ", Name(*wanted_)));
    }
  } else if (family_ != Family::kNone) {
    const bool numbers = family_ != Family::kBytes && family != Family::kBytes;
    Refuse(StrCat("a mixed list, of ", name(family_), " and ", name(family)),
           numbers ? StrCat("schema={'", NameForPeople(), "': 'float'} takes both") : "");
  }
  family_ = family;
}

void FeatureValues::AddBytes(nb::object owner, ByteView bytes) {
  Become(Family::kBytes);
  lists_.bytes.push_back(bytes);
  owners_.push_back(std::move(owner));
}

// In an OFRecord, reals become doubles unless all of them are numpy's float32.
void FeatureValues::Widen() {
  if (!of_record_ || wanted_ || wide_) return;
  wide_ = true;
  lists_.doubles.assign(lists_.floats.begin(), lists_.floats.end());
  lists_.floats.clear();
}

void FeatureValues::AddReal(double value, bool narrow) {
  if (family_ != Family::kReal) Become(Family::kReal);
  if (std::isnan(value) && !allow_nan_) Refuse("a NaN, which is not a number", "allow_nan=True writes it");
  if (!narrow) Widen();
  if (wide_) return lists_.doubles.push_back(value);
  const auto single = static_cast<float>(value);
  if (std::isinf(single) && !std::isinf(value)) {
    const nb::object number = nb::float_(value);
    Refuse(StrCat(ReprOf(number.ptr()), " is beyond a float, which has 32 bits"),
           of_record_ ? "the kind double holds it" : "an OFRecord has doubles");
  }
  lists_.floats.push_back(single);
}

void FeatureValues::AddPythonInteger(PyObject* integer) {
  if (wanted_ && (*wanted_ == FeatureKind::kFloat || *wanted_ == FeatureKind::kDouble)) {
    const double value = PyLong_AsDouble(integer);
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      Refuse(StrCat("an int beyond a ", Name(*wanted_)));
    }
    return AddReal(value, /*narrow=*/false);
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow != 0) Refuse(StrCat("the int ", ReprOf(integer), " is beyond 64 bits"));
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  AddInteger(value, /*narrow=*/false);
}

void FeatureValues::AddInteger(int64_t value, bool narrow) {
  if (wanted_ && (*wanted_ == FeatureKind::kFloat || *wanted_ == FeatureKind::kDouble)) {
    return AddReal(static_cast<double>(value), /*narrow=*/false);
  }
  if (family_ != Family::kInteger) Become(Family::kInteger);
  if (!narrow) narrow_integers_ = false;
  lists_.integers.push_back(value);
}

// Returning the values.

FeatureKind FeatureValues::kind() const {
  if (wanted_) return *wanted_;
  switch (family_) {
    case Family::kNone: return FeatureKind::kNone;
    case Family::kBytes: return FeatureKind::kBytes;
    case Family::kReal: return wide_ ? FeatureKind::kDouble : FeatureKind::kFloat;
    case Family::kInteger: return of_record_ && narrow_integers_ ? FeatureKind::kInt32 : FeatureKind::kInt64;
  }
  return FeatureKind::kNone;
}

FeatureData FeatureValues::Values() { return lists_.Range(kind(), 0, lists_.count()); }

void FeatureValues::EndStep(bool absent) { steps_.push_back({lists_.count(), absent}); }

std::span<const FeatureData> FeatureValues::Steps() {
  step_data_.clear();
  size_t begin = 0;
  for (const Step& step : steps_) {
    step_data_.push_back(step.absent ? FeatureData() : lists_.Range(kind(), begin, step.end));
    begin = step.end;
  }
  return step_data_;
}

}  // namespace ofindex::python

#include "python/src/writing/payload_maker.h"

#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "python/src/convert/bytes.h"
#include "python/src/convert/objects.h"
#include "python/src/interpreter/errors.h"
#include "python/src/writing/known_objects.h"

namespace nb = nanobind;

namespace ofindex::python {
namespace {

constexpr std::string_view kListMark = "[]";

std::optional<PayloadKind> PayloadOf(std::string_view name) {
  for (const PayloadKind kind : {PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    if (Name(kind) == name) return kind;
  }
  return std::nullopt;
}

FeatureKind KindOf(const std::string& feature, std::string_view name, PayloadKind payload) {
  for (const FeatureKind kind :
       {FeatureKind::kBytes, FeatureKind::kFloat, FeatureKind::kDouble, FeatureKind::kInt32, FeatureKind::kInt64}) {
    if (Name(kind) != name) continue;
    const bool wide = kind == FeatureKind::kDouble || kind == FeatureKind::kInt32;
    if (!wide || payload == PayloadKind::kOfRecord) return kind;
    Raise(ErrorCode::kUsage, StrCat("schema: the kind of '", Printable(feature), "' is ", name, ", which an ",
                                    Name(payload), " does not have; use bytes, float or int64"));
  }
  Raise(ErrorCode::kUsage, StrCat("schema: the kind of '", Printable(feature), "' is '", Printable(name),
                                  "'; expected bytes, float, double, int32 or int64"));
}

// Returns the bytes of a name. `kept` holds them if the object itself does not.
ByteView NameBytes(nb::handle key, std::string& kept) {
  if (PyUnicode_Check(key.ptr())) {
    Py_ssize_t size = 0;
    if (const char* utf8 = PyUnicode_AsUTF8AndSize(key.ptr(), &size)) {
      return AsBytes({utf8, static_cast<size_t>(size)});
    }
    PyErr_Clear();
  } else if (!PyBytes_Check(key.ptr())) {
    PyErr_Format(PyExc_TypeError, "features are named by str or bytes, not by %s", TypeName(key.ptr()).c_str());
    throw nb::python_error();
  }
  kept = NameOf(key);
  return AsBytes(kept);
}

}  // namespace

PayloadRules PayloadRulesOf(const std::string& payload, nb::handle schema, bool sort, bool allow_nan) {
  const std::optional<PayloadKind> kind = PayloadOf(payload);
  if (!kind) {
    Raise(ErrorCode::kUsage,
          StrCat("payload='", Printable(payload), "': expected 'example', 'sequence_example' or 'ofrecord'"));
  }
  PayloadRules rules{
      .payload = *kind, .order = sort ? EntryOrder::kSorted : EntryOrder::kAsAdded, .allow_nan = allow_nan};
  if (schema.is_none()) return rules;
  for (nb::handle item : schema.attr("items")()) {
    std::string kept;
    std::string name(AsText(NameBytes(item[0], kept)));
    if (*kind == PayloadKind::kSequenceExample && name.ends_with(kListMark)) name.resize(name.size() - 2);
    rules.schema[name] = KindOf(name, nb::cast<std::string>(nb::str(nb::object(item[1]))), *kind);
  }
  return rules;
}

ByteView PayloadMaker::Make(nb::handle features, uint64_t number) {
  number_ = number;
  builder_.Clear();
  if (PyDict_CheckExact(features.ptr())) {
    const Py_ssize_t size = PyDict_Size(features.ptr());
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(features.ptr(), &at, &key, &value) != 0;) {
      AddFeature(nb::borrow(key), nb::borrow(value));
      if (PyDict_Size(features.ptr()) == size) continue;
      PyErr_SetString(PyExc_RuntimeError, "the dictionary changed while it was written");
      throw nb::python_error();
    }
  } else {
    for (nb::handle item : features.attr("items")()) {
      const nb::object key = item[0], value = item[1];
      AddFeature(key, value);
    }
  }
  Result<ByteView> payload = builder_.Finish();
  if (!payload) {
    payload.error().message = StrCat("record ", FormatCount(number_), ": ", payload.error().message);
    Raise(payload.error());
  }
  return *payload;
}

void PayloadMaker::AddFeature(nb::handle key, nb::handle value) {
  const nb::object key_held = nb::borrow(key), value_held = nb::borrow(value);
  std::string kept;
  const ByteView name = NameBytes(key, kept);
  if (value.is_none()) return;
  if (rules_.payload == PayloadKind::kSequenceExample) {
    const nb::object known = AsKnown(value);
    const bool marked = AsText(name).ends_with(kListMark);
    if (marked || HasRows(known))
      return AddList(marked ? name.first(name.size() - kListMark.size()) : name, known, marked);
  }
  Begin(name, AsText(name));
  values_.Take(value);
  Check(builder_.Add(name, values_.Values()));
}

void PayloadMaker::AddList(ByteView name, nb::handle steps, bool marked) {
  Begin(name, AsText(name));
  const nb::object iterator = nb::steal(PyObject_GetIter(steps.ptr()));
  const bool text = PyUnicode_Check(steps.ptr()) || PyBytes_Check(steps.ptr()) || PyByteArray_Check(steps.ptr());
  const bool sequence = !text && PySequence_Check(steps.ptr()) != 0;
  if (!iterator.is_valid() || !sequence || nb::hasattr(steps, "keys")) {
    PyErr_Clear();
    values_.Refuse("a feature list is a list of steps", "[[1, 2], [3]] are two steps");
  }
  while (PyObject* const item = PyIter_Next(iterator.ptr())) {
    const nb::object step = nb::steal(item);
    if (!marked && !step.is_none() && !IsRow(step)) {
      values_.Refuse("a value among lists", "each step is a list, as in [[1], [2], [3]]");
    }
    if (!step.is_none()) values_.Take(step);
    values_.EndStep(step.is_none());
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  Check(builder_.AddList(name, values_.Steps()));
}

void PayloadMaker::Begin(ByteView name, std::string_view in_schema) {
  const auto found = rules_.schema.empty() ? rules_.schema.end() : rules_.schema.find(in_schema);
  values_.Begin(name, number_, found == rules_.schema.end() ? std::nullopt : std::optional(found->second));
}

void PayloadMaker::Check(Result<void> added) const {
  if (added) return;
  added.error().message = StrCat("record ", FormatCount(number_), ": ", added.error().message);
  Raise(added.error());
}

}  // namespace ofindex::python

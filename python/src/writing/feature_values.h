#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "proto/feature_lists.h"

namespace ofindex::python {

/// The values of one feature, or of the steps of one feature list, taken from Python objects. Reused from feature to
/// feature to keep its memory. The GIL is held; not thread-safe.
///
/// docs/python_details.md has the table of conversions. A value that does not fit raises FeatureError, with record and
/// feature in its text; exceptions raised by the objects themselves pass through unchanged.
class FeatureValues {
 public:
  /// Takes values for payloads of `payload`. Unless `allow_nan`, a NaN is refused.
  FeatureValues(PayloadKind payload, bool allow_nan)
      : of_record_(payload == PayloadKind::kOfRecord), allow_nan_(allow_nan) {}

  /// Clears all values, and begins feature `name` of record `number`; `name` must stay valid until the next Begin.
  /// `kind` is the required kind of the values; if it is not given, the values determine the kind.
  void Begin(ByteView name, uint64_t number, std::optional<FeatureKind> kind);

  /// Adds `value`: a scalar, or all elements of a list or array.
  void Take(nanobind::handle value);

  /// Ends a step of a feature list. The step holds the values taken since the previous step or, if `absent`, has no
  /// kind.
  void EndStep(bool absent);

  /// Returns all values that were taken. Valid until Begin.
  [[nodiscard]] FeatureData Values();

  /// Returns the values by step. Steps without values have the kind of the others. Valid until Begin.
  [[nodiscard]] std::span<const FeatureData> Steps();

  /// Raises FeatureError: "record N: feature 'NAME': " and `what`.
  [[noreturn]] void Refuse(const std::string& what, std::string hint = {}) const;

 private:
  enum class Family { kNone, kBytes, kReal, kInteger };
  struct Step {
    size_t end;
    bool absent;
  };

  void TakeItem(PyObject* item);
  void TakeRarerItem(PyObject* item);
  void TakeList(PyObject* list);
  void TakeArray(nanobind::handle array);
  void TakeArrayByNumpy(nanobind::handle array);
  [[nodiscard]] bool TakeNumbers(const Py_buffer& buffer);
  template <typename T>
  void TakeIntegers(const Py_buffer& buffer);
  template <typename T>
  void TakeReals(const Py_buffer& buffer);
  void TakeText(PyObject* text);
  void TakeBuffer(PyObject* object);

  void Become(Family family);
  void Widen();
  void AddBytes(nanobind::object owner, ByteView bytes);
  void AddReal(double value, bool narrow);
  void AddPythonInteger(PyObject* integer);
  void AddInteger(int64_t value, bool narrow);
  [[nodiscard]] FeatureKind kind() const;
  [[nodiscard]] std::string NameForPeople() const;

  bool of_record_;
  bool allow_nan_;
  ByteView name_;
  uint64_t number_ = 0;
  std::optional<FeatureKind> wanted_;
  Family family_ = Family::kNone;
  bool wide_ = false;            // reals are doubles, not floats
  bool narrow_integers_ = true;  // all integers were numpy's int32
  FeatureLists lists_;
  std::vector<nanobind::object> owners_;  // keep the bytes alive
  std::vector<Step> steps_;
  std::vector<FeatureData> step_data_;
};

}  // namespace ofindex::python

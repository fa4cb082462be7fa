// Takes values from arrays and other buffers of numbers.

#include <nanobind/stl/string.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "base/text.h"
#include "python/src/writing/feature_values.h"
#include "python/src/writing/held_buffer.h"
#include "python/src/writing/known_objects.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {

void FeatureValues::TakeArray(nb::handle array) {
  HeldBuffer buffer;
  if (!buffer.Get(array.ptr(), PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) return TakeArrayByNumpy(array);
  // Scalars without a format, such as dates, export their memory as a one-dimensional buffer of bytes.
  const bool in_disguise = buffer.view().ndim != 0 && IsA(array, KnownTypes::Get().scalar);
  if (in_disguise || !TakeNumbers(buffer.view())) TakeArrayByNumpy(array);
}

// Takes arrays of another memory order, of texts and of objects; refuses those that are not numbers.
void FeatureValues::TakeArrayByNumpy(nb::handle array) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object type = array.attr("dtype");
  const char kind = nb::cast<std::string>(type.attr("kind"))[0];
  const auto item_bytes = nb::cast<size_t>(type.attr("itemsize"));
  if (kind == 'U' || kind == 'S' || kind == 'O' || kind == 'T') {
    const nb::object list = numpy.attr("ravel")(array).attr("tolist")();
    if (kind != 'O') Become(Family::kBytes);
    return TakeList(list.ptr());
  }
  const char* to = kind == 'i' || kind == 'b' ? (item_bytes == 4 ? "int32" : "int64")
                   : kind == 'u'              ? "uint64"
                   : kind == 'f'              ? (item_bytes <= 4 ? "float32" : "float64")
                                              : nullptr;
  if (to == nullptr) {
    const nb::object text = nb::steal(PyObject_Str(type.ptr()));
    Refuse(StrCat("an array of ", text.is_valid() ? nb::cast<std::string>(text) : "another dtype"),
           "values are integers, floats, texts and bytes");
  }
  HeldBuffer buffer;
  const nb::object plain = numpy.attr("ascontiguousarray")(array, "dtype"_a = to);
  if (!buffer.Get(plain.ptr(), PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) || !TakeNumbers(buffer.view())) {
    Refuse("an array without numbers");
  }
}

// Returns false if `buffer` does not hold numbers of the machine's types.
bool FeatureValues::TakeNumbers(const Py_buffer& buffer) {
  switch (FormatOf(buffer)) {
    case '?': TakeIntegers<uint8_t>(buffer); return true;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      switch (buffer.itemsize) {
        case 1: TakeIntegers<int8_t>(buffer); return true;
        case 2: TakeIntegers<int16_t>(buffer); return true;
        case 4: TakeIntegers<int32_t>(buffer); return true;
        case 8: TakeIntegers<int64_t>(buffer); return true;
        default: return false;
      }
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      switch (buffer.itemsize) {
        case 1: TakeIntegers<uint8_t>(buffer); return true;
        case 2: TakeIntegers<uint16_t>(buffer); return true;
        case 4: TakeIntegers<uint32_t>(buffer); return true;
        case 8: TakeIntegers<uint64_t>(buffer); return true;
        default: return false;
      }
    case 'f': TakeReals<float>(buffer); return true;
    case 'd': TakeReals<double>(buffer); return true;
    default: return false;
  }
}

template <typename T>
void FeatureValues::TakeIntegers(const Py_buffer& buffer) {
  const auto* const bytes = static_cast<const uint8_t*>(buffer.buf);
  const size_t size = static_cast<size_t>(buffer.len) / sizeof(T);
  const bool plain = !wanted_ || *wanted_ == FeatureKind::kInt64 || *wanted_ == FeatureKind::kInt32;
  if (plain) {
    Become(Family::kInteger);
    if (lists_.integers.empty()) lists_.integers.reserve(size);
    if (!std::is_same_v<T, int32_t>) narrow_integers_ = false;
  }
  for (size_t i = 0; i < size; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        Refuse(StrCat(value, " is beyond an int64"), "a float holds it, rounded");
      }
    }
    if (plain) {
      lists_.integers.push_back(static_cast<int64_t>(value));
    } else {
      AddInteger(static_cast<int64_t>(value), std::is_same_v<T, int32_t>);
    }
  }
}

template <typename T>
void FeatureValues::TakeReals(const Py_buffer& buffer) {
  const auto* const bytes = static_cast<const uint8_t*>(buffer.buf);
  const size_t size = static_cast<size_t>(buffer.len) / sizeof(T);
  constexpr bool kNarrow = std::is_same_v<T, float>;
  Become(Family::kReal);
  if (!kNarrow) Widen();
  if (wide_ && lists_.doubles.empty()) lists_.doubles.reserve(size);
  if (!wide_ && lists_.floats.empty()) lists_.floats.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    AddReal(static_cast<double>(value), kNarrow);
  }
}

}  // namespace ofindex::python

#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "query/decoding/feature_spec.h"

namespace ofindex {

// Casts of numbers to items of arrays: a number that does not fit is an error and never wraps.

/// Sets `to` to `from`, a double, float or int64_t. Integers and bool must be able to hold the value; a fraction is
/// truncated towards 0. A double is rounded to a float, which must be finite if the double was. Returns false if it
/// does not fit.
template <typename To, typename From>
[[nodiscard]] inline bool Cast(From from, To& to) {
  if constexpr (std::is_same_v<To, bool>) {
    to = from != From{0};
    return from == From{0} || from == From{1};
  } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    to = static_cast<To>(from);
    if constexpr (std::is_same_v<To, uint64_t>) return from >= 0;
    return static_cast<From>(to) == from;
  } else if constexpr (std::is_integral_v<To>) {
    // Both bounds are powers of two, or 0, so a double holds them exactly.
    constexpr double kBegin = static_cast<double>(std::numeric_limits<To>::min());
    const double kEnd = std::ldexp(1.0, std::numeric_limits<To>::digits);
    const double whole = std::trunc(static_cast<double>(from));
    if (!(whole >= kBegin && whole < kEnd)) return false;
    to = static_cast<To>(whole);
    return true;
  } else {
    to = static_cast<To>(from);
    if constexpr (std::is_same_v<To, float> && std::is_same_v<From, double>) {
      return std::isfinite(to) || !std::isfinite(from);
    }
    return true;
  }
}

/// Does the same as Cast, but an integer that becomes a float or double must not be rounded.
template <typename To, typename From>
[[nodiscard]] inline bool CastExactly(From from, To& to) {
  if (!Cast(from, to)) return false;
  if constexpr (std::is_integral_v<From> && std::is_floating_point_v<To>) {
    // A power of two above all values of `From`, which a cast back could not hold.
    const To end = std::ldexp(To{1}, std::numeric_limits<From>::digits);
    return to < end && static_cast<From>(to) == from;
  }
  return true;
}

/// Casts `count` numbers at `from`, which need not be aligned; if `exact`, as CastExactly does. Returns false if one
/// does not fit; then the content of `to` is undefined.
template <typename To, typename From, bool exact = false>
[[nodiscard]] inline bool CastAll(const uint8_t* from, uint64_t count, To* to) {
  if constexpr (std::is_same_v<To, From>) {
    if (count != 0) std::memcpy(to, from, count * sizeof(To));
    return true;
  } else {
    bool all_fit = true;
    for (uint64_t i = 0; i < count; ++i) {
      From value;
      std::memcpy(&value, from + i * sizeof value, sizeof value);
      all_fit &= exact ? CastExactly(value, to[i]) : Cast(value, to[i]);
    }
    return all_fit;
  }
}

/// Calls `body` with an item of `type`, which is not kBytes.
template <typename Body>
inline auto WithItem(DataType type, Body&& body) {
  switch (type) {
    case DataType::kBool: return body(bool{});
    case DataType::kInt8: return body(int8_t{});
    case DataType::kInt16: return body(int16_t{});
    case DataType::kInt32: return body(int32_t{});
    case DataType::kUint8: return body(uint8_t{});
    case DataType::kUint16: return body(uint16_t{});
    case DataType::kUint32: return body(uint32_t{});
    case DataType::kUint64: return body(uint64_t{});
    case DataType::kFloat32: return body(float{});
    case DataType::kFloat64: return body(double{});
    default: return body(int64_t{});
  }
}

}  // namespace ofindex

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "query/decoding/feature_spec.h"

namespace ofindex {

// Casts of numbers to items of arrays: a number that does not fit is an error and never wraps.

/// Items of IEEE's binary16, and of bfloat16, which is the upper half of a float: their bits alone.
struct Float16 {
  uint16_t bits = 0;
};
struct Bfloat16 {
  uint16_t bits = 0;
};

template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;

/// Returns `from` rounded to the nearest item, of two to the even one; infinite from half an item above the largest.
inline void RoundTo(float from, Bfloat16& to) {
  const auto bits = std::bit_cast<uint32_t>(from);
  const uint32_t upper = bits >> 16;
  to.bits = static_cast<uint16_t>(std::isnan(from) ? upper | 0x40 : (bits + 0x7fff + (upper & 1)) >> 16);
}

inline void RoundTo(float from, Float16& to) {
  const auto bits = std::bit_cast<uint32_t>(from);
  const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  uint32_t rounded = 0x7c00;  // infinite
  if (size > 0x7f800000) {
    rounded = 0x7e00 | (size >> 13 & 0x3ff);  // NaN
  } else if (size < 0x38800000) {
    // Subnormal: a multiple of 2^-24, which is the distance of the floats from 0.5 to 1.
    rounded = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5F) - std::bit_cast<uint32_t>(0.5F);
  } else if (size < 0x477ff000) {
    rounded = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
  }
  to.bits = static_cast<uint16_t>(sign | rounded);
}

/// Returns a float that RoundTo rounds as it would round `from`, because its last bit is 1 if it is not exact.
inline float RoundToOdd(double from) {
  const auto near = static_cast<float>(from);
  const auto bits = std::bit_cast<uint32_t>(near);
  if (static_cast<double>(near) == from || !std::isfinite(near) || (bits & 1) != 0) return near;
  return std::bit_cast<float>(std::fabs(static_cast<double>(near)) < std::fabs(from) ? bits + 1 : bits - 1);
}
inline float RoundToOdd(float from) { return from; }
inline float RoundToOdd(int64_t from) {
  // Of a large integer, the lower half only says whether the upper one is exact.
  constexpr int64_t kLower = 0xffffffff;
  const bool is_large = from >= int64_t{1} << 52 || from <= -(int64_t{1} << 52);
  return RoundToOdd(
      static_cast<double>(is_large && (from & kLower) != 0 ? (from & ~kLower) | (int64_t{1} << 31) : from));
}

inline bool IsFiniteItem(Float16 value) { return (value.bits & 0x7c00) != 0x7c00; }
inline bool IsFiniteItem(Bfloat16 value) { return (value.bits & 0x7f80) != 0x7f80; }

/// Returns a finite item as a float.
inline float FloatOf(Bfloat16 value) { return std::bit_cast<float>(uint32_t{value.bits} << 16); }
inline float FloatOf(Float16 value) {
  const float size = std::bit_cast<float>((uint32_t{value.bits} & 0x7fff) << 13) * 0x1p112F;
  return (value.bits & 0x8000) != 0 ? -size : size;
}

/// Sets `to` to `from`, a double, float or int64_t. Integers and bool must be able to hold the value; a fraction is
/// truncated towards 0. Reals are rounded to smaller ones, which must be finite if they were. Returns false if it does
/// not fit.
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
  } else if constexpr (kIsHalf<To>) {
    RoundTo(RoundToOdd(from), to);
    return IsFiniteItem(to) || !std::isfinite(static_cast<double>(from));
  } else {
    to = static_cast<To>(from);
    if constexpr (std::is_same_v<To, float> && std::is_same_v<From, double>) {
      return std::isfinite(to) || !std::isfinite(from);
    }
    return true;
  }
}

/// Does the same as Cast, but an integer that becomes a real must not be rounded.
template <typename To, typename From>
[[nodiscard]] inline bool CastExactly(From from, To& to) {
  if (!Cast(from, to)) return false;
  if constexpr (std::is_integral_v<From> && kIsHalf<To>) {
    const float real = FloatOf(to);
    return real < std::ldexp(1.0F, std::numeric_limits<From>::digits) && static_cast<From>(real) == from;
  }
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
    case DataType::kFloat16: return body(Float16{});
    case DataType::kBfloat16: return body(Bfloat16{});
    case DataType::kFloat32: return body(float{});
    case DataType::kFloat64: return body(double{});
    default: return body(int64_t{});
  }
}

}  // namespace ofindex

#include "query/filter/number_range.h"

#include <cmath>

#include "index/chunks/zone_map.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr double kPastMost = 0x1p63;

// Returns the least integer in the range; nothing if there is none.
std::optional<int64_t> MinInteger(const ValueBound& low) {
  if (!low.value) return kMin;
  const ColumnValue& value = *low.value;
  if (!IsNumber(value.type)) return std::nullopt;
  if (value.type == Type::kInteger) {
    if (low.open && value.integer == kMax) return std::nullopt;
    return value.integer + (low.open ? 1 : 0);
  }
  const double least = low.open ? std::floor(value.real) : std::ceil(value.real);
  if (least >= kPastMost) return std::nullopt;
  if (least < -kPastMost) return kMin;
  // Doubles below 2^63 are so far from it that adding one does not overflow.
  return static_cast<int64_t>(least) + (low.open ? 1 : 0);
}

std::optional<int64_t> GreatestInteger(const ValueBound& high) {
  if (!high.value || !IsNumber(high.value->type)) return kMax;
  const ColumnValue& value = *high.value;
  if (value.type == Type::kInteger) {
    if (high.open && value.integer == kMin) return std::nullopt;
    return value.integer - (high.open ? 1 : 0);
  }
  const double greatest = high.open ? std::ceil(value.real) : std::floor(value.real);
  if (greatest >= kPastMost) return kMax;
  if (greatest < -kPastMost || (high.open && greatest == -kPastMost)) return std::nullopt;
  return static_cast<int64_t>(greatest) - (high.open ? 1 : 0);
}

// Returns the double next to a bound, on the inner side: `inward` is an infinity. Nothing if there is none.
std::optional<double> InnerDouble(const ValueBound& bound, double inward) {
  const ColumnValue& value = *bound.value;
  const double nearest = value.type == Type::kInteger ? static_cast<double>(value.integer) : value.real;
  const auto order =
      value.type == Type::kInteger ? CompareNumbers(value.integer, nearest) : std::strong_ordering::equal;
  const bool inside = (inward > 0 ? order < 0 : order > 0) || (order == 0 && !bound.open);
  if (inside) return nearest;
  if (nearest == inward) return std::nullopt;
  return std::nextafter(nearest, inward);
}

}  // namespace

NumberRange<int64_t> IntegersIn(const ValueBound& low, const ValueBound& high) {
  const std::optional<int64_t> least = MinInteger(low);
  const std::optional<int64_t> greatest = GreatestInteger(high);
  if (!least || !greatest) return {1, 0};
  return {*least, *greatest};
}

NumberRange<double> DoublesIn(const ValueBound& low, const ValueBound& high) {
  constexpr NumberRange<double> kNone = {kInfinity, -kInfinity};
  NumberRange<double> range{-kInfinity, kInfinity};
  if (low.value) {
    if (!IsNumber(low.value->type)) return kNone;
    const std::optional<double> least = InnerDouble(low, kInfinity);
    if (!least) return kNone;
    range.low = *least;
  }
  if (high.value && IsNumber(high.value->type)) {
    const std::optional<double> greatest = InnerDouble(high, -kInfinity);
    if (!greatest) return kNone;
    range.high = *greatest;
  }
  return range.empty() ? kNone : range;
}

NumberRange<float> FloatsIn(const NumberRange<double>& range) {
  constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
  NumberRange<float> floats{static_cast<float>(range.low), static_cast<float>(range.high)};
  if (floats.low < range.low) floats.low = std::nextafter(floats.low, kFloatInfinity);
  if (floats.high > range.high) floats.high = std::nextafter(floats.high, -kFloatInfinity);
  return floats.empty() ? NumberRange<float>{kFloatInfinity, -kFloatInfinity} : floats;
}

std::vector<int64_t> IntegersOf(const std::vector<ColumnValue>& values) {
  std::vector<int64_t> integers;
  for (const ColumnValue& value : values) {
    if (!IsNumber(value.type)) continue;
    const NumberRange<int64_t> range = IntegersIn({value}, {value});
    if (!range.empty()) integers.push_back(range.low);
  }
  return integers;
}

std::vector<double> DoublesOf(const std::vector<ColumnValue>& values) {
  std::vector<double> doubles;
  for (const ColumnValue& value : values) {
    if (!IsNumber(value.type)) continue;
    const NumberRange<double> range = DoublesIn({value}, {value});
    if (!range.empty()) doubles.push_back(range.low);
  }
  return doubles;
}

}  // namespace ofindex

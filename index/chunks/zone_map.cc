#include "index/chunks/zone_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

ColumnValue IntegerValue(int64_t value) { return {.type = Type::kInteger, .integer = value}; }

// Returns `value` as a REAL; -0.0 becomes 0.0, which is equal.
ColumnValue RealValue(double value) { return {.type = Type::kReal, .real = value + 0.0}; }

// Returns the length of a prefix that ends between two characters. A TEXT that is cut inside a character is a BLOB,
// which sorts after all TEXT.
size_t WholeCharacters(ByteView text, size_t max) {
  while (max > 0 && (text[max] & 0xc0) == 0x80) --max;
  return max;
}

ColumnValue MinBytes(Type type, ByteView bytes) {
  size_t size = std::min(bytes.size(), ZoneMap::kMaxZoneBytes);
  if (size < bytes.size() && type == Type::kText) size = WholeCharacters(bytes, size);
  return {.type = type, .bytes = std::string(AsText(bytes.first(size)))};
}

ColumnValue MaxBytes(Type type, ByteView bytes) {
  if (bytes.size() > ZoneMap::kMaxZoneBytes) return {};
  return {.type = type, .bytes = std::string(AsText(bytes))};
}

}  // namespace

std::strong_ordering CompareNumbers(int64_t integer, double real) {
  constexpr double kTop = 9223372036854775808.0;  // 2^63
  if (real >= kTop) return std::strong_ordering::less;
  if (real < -kTop) return std::strong_ordering::greater;
  const double whole = std::trunc(real);
  const auto truncated = static_cast<int64_t>(whole);
  if (integer != truncated) return integer <=> truncated;
  return real > whole   ? std::strong_ordering::less
         : real < whole ? std::strong_ordering::greater
                        : std::strong_ordering::equal;
}

void ZoneMap::AddIntegers(std::span<const int64_t> values) {
  if (values.empty()) return;
  if (!integers_) integers_ = {values.front(), values.front()};
  IntegerRange range = *integers_;
  for (int64_t value : values) {
    range.min = std::min(range.min, value);
    range.max = std::max(range.max, value);
  }
  integers_ = range;
}

template <typename Real>
uint32_t ZoneMap::AddAll(std::span<const Real> values) {
  Real min = std::numeric_limits<Real>::infinity(), max = -min;
  uint32_t nans = 0;
  for (const Real value : values) {
    nans += value == value ? 0 : 1;
    min = value < min ? value : min;  // false if it is NaN
    max = value > max ? value : max;
  }
  if (nans == values.size()) return nans;
  if (!reals_) reals_ = {min, max};
  reals_->min = std::min<double>(reals_->min, min);
  reals_->max = std::max<double>(reals_->max, max);
  return nans;
}

uint32_t ZoneMap::AddReals(std::span<const float> values) { return AddAll(values); }
uint32_t ZoneMap::AddReals(std::span<const double> values) { return AddAll(values); }

void ZoneMap::AddSorted(std::span<const ByteView> values, bool all_text) {
  if (values.empty()) return;
  const auto first_text = all_text ? values.begin() : std::find_if(values.begin(), values.end(), IsText);
  const auto last_blob = all_text ? values.rend() : std::find_if_not(values.rbegin(), values.rend(), IsText);
  min_bytes_ = first_text == values.end() ? MinBytes(Type::kBlob, values.front()) : MinBytes(Type::kText, *first_text);
  max_bytes_ = last_blob == values.rend() ? MaxBytes(Type::kText, values.back()) : MaxBytes(Type::kBlob, *last_blob);
}

ColumnValue ZoneMap::min() const {
  if (integers_ && reals_) {
    const bool integer = CompareNumbers(integers_->min, reals_->min) <= 0;
    return integer ? IntegerValue(integers_->min) : RealValue(reals_->min);
  }
  if (integers_) return IntegerValue(integers_->min);
  if (reals_) return RealValue(reals_->min);
  return min_bytes_.value_or(ColumnValue{});
}

ColumnValue ZoneMap::max() const {
  if (max_bytes_) return *max_bytes_;
  if (integers_ && reals_) {
    const bool integer = CompareNumbers(integers_->max, reals_->max) >= 0;
    return integer ? IntegerValue(integers_->max) : RealValue(reals_->max);
  }
  if (integers_) return IntegerValue(integers_->max);
  if (reals_) return RealValue(reals_->max);
  return {};
}

}  // namespace ofindex

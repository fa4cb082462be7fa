#include "query/crossfilter/codes/binning.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/text.h"
#include "index/chunks/zone_map.h"
#include "query/columns/value_order.h"
#include "query/filter/string_kernel.h"

namespace ofindex {
namespace {

// Every integer up to this is a double.
constexpr int64_t kMaxExactInteger = int64_t{1} << 53;

std::optional<int64_t> IntegerEqualTo(double value) {
  if (value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value)) return static_cast<int64_t>(value);
  return std::nullopt;
}

std::string TextOfEnd(double value) {
  std::array<char, 32> text;
  return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

template <typename T>
BinCode CodeAmong(const std::vector<std::pair<T, BinCode>>& codes, T value) {
  const auto found =
      std::lower_bound(codes.begin(), codes.end(), value, [](const auto& entry, T v) { return entry.first < v; });
  return found != codes.end() && found->first == value ? found->second : kOtherValue;
}

}  // namespace

Result<NumberBins> NumberBins::Of(double low, double high, size_t bins) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) {
    return Fail(ErrorCode::kUsage,
                StrCat("bins from ", TextOfEnd(low), " to ", TextOfEnd(high), ": expected finite numbers, ascending"),
                "give the least number of the first bin, and a greater one where the last bin ends");
  }
  if (bins == 0 || bins > kMaxBins) {
    return Fail(ErrorCode::kUsage, StrCat(bins, " bins: expected 1 to ", kMaxBins), "ask for fewer bins, at least 1");
  }
  std::vector<double> edges;
  for (size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    // The difference of the ends may be infinite.
    const double edge = i == bins ? high : low * (1 - share) + high * share;
    edges.push_back(edges.empty() ? low : std::clamp(edge, edges.back(), high));
  }
  return NumberBins(std::move(edges));
}

Result<NumberBins> NumberBins::Between(std::vector<double> edges) {
  const auto wrong = [](double a, double b) { return !(a < b); };
  const auto fault = std::adjacent_find(edges.begin(), edges.end(), wrong);
  if (edges.size() < 2 || edges.size() > kMaxBins + 1 || fault != edges.end() || !std::isfinite(edges.front()) ||
      !std::isfinite(edges.back())) {
    return Fail(ErrorCode::kUsage,
                StrCat(edges.size(), " edges of bins: expected 2 to ", kMaxBins + 1, " finite numbers, ascending"),
                "give each edge once, the least first");
  }
  return NumberBins(std::move(edges));
}

NumberBins::NumberBins(std::vector<double> edges)
    : edges_(std::move(edges)),
      half_low_(edges_.front() / 2),
      bins_per_half_(static_cast<double>(size()) / (edges_.back() / 2 - half_low_)) {}

BinCode NumberBins::CodeOf(double value) const {
  if (value < edges_.front()) return kBelowBins;
  if (value >= edges_.back()) return kAboveBins;
  if (value != value) return kNanValue;
  // Rounding makes this bin a guess, at most one off; the edges decide.
  const double guess = (value / 2 - half_low_) * bins_per_half_;
  const auto count = static_cast<double>(size());
  size_t bin = guess >= 0 && guess < count ? static_cast<size_t>(guess) : size() - 1;
  while (value < edges_[bin]) --bin;
  while (value >= edges_[bin + 1]) ++bin;
  return static_cast<BinCode>(bin);
}

BinCode NumberBins::CodeOf(int64_t value) const {
  if (value >= -kMaxExactInteger && value <= kMaxExactInteger) return CodeOf(static_cast<double>(value));
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), value,
                                      [](int64_t v, double edge) { return CompareNumbers(v, edge) < 0; });
  if (above == edges_.begin()) return kBelowBins;
  if (above == edges_.end()) return kAboveBins;
  return static_cast<BinCode>(above - edges_.begin() - 1);
}

Result<Categories> Categories::Of(std::vector<ColumnValue> values) {
  if (values.empty() || values.size() > kMaxBins) {
    return Fail(ErrorCode::kUsage, StrCat(values.size(), " categories: expected 1 to ", kMaxBins),
                "choose fewer values, at least 1");
  }
  std::vector<const ColumnValue*> sorted;
  for (const ColumnValue& value : values) {
    if (value.type == ColumnValue::Type::kNull || (value.type == ColumnValue::Type::kReal && std::isnan(value.real))) {
      return Fail(ErrorCode::kUsage, StrCat("NULL is one of ", values.size(), " categories: expected values"),
                  "leave it out: NULLs are always counted");
    }
    sorted.push_back(&value);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const ColumnValue* a, const ColumnValue* b) { return CompareValues(*a, *b) < 0; });
  const auto equal = [](const ColumnValue* a, const ColumnValue* b) { return CompareValues(*a, *b) == 0; };
  if (std::adjacent_find(sorted.begin(), sorted.end(), equal) != sorted.end()) {
    return Fail(ErrorCode::kUsage, StrCat("two of ", values.size(), " categories are equal: expected distinct values"),
                "give each value once");
  }
  return Categories(std::move(values));
}

Categories::Categories(std::vector<ColumnValue> values) : values_(std::move(values)) {
  for (size_t i = 0; i < values_.size(); ++i) {
    const ColumnValue& value = values_[i];
    const auto code = static_cast<BinCode>(i);
    if (value.type == ColumnValue::Type::kInteger) integers_.emplace_back(value.integer, code);
    if (value.type != ColumnValue::Type::kReal) continue;
    if (const auto integer = IntegerEqualTo(value.real)) {
      integers_.emplace_back(*integer, code);
    } else {
      reals_.emplace_back(value.real, code);
    }
  }
  std::sort(integers_.begin(), integers_.end());
  std::sort(reals_.begin(), reals_.end());
}

BinCode Categories::CodeOf(double value) const {
  if (value != value) return kNanValue;
  if (const auto integer = IntegerEqualTo(value)) return CodeOf(*integer);
  return CodeAmong(reals_, value);
}

BinCode Categories::CodeOf(int64_t value) const { return CodeAmong(integers_, value); }

std::vector<BinCode> Categories::CodesOf(const Chunk::Strings& strings) const {
  std::vector<BinCode> codes(strings.ends.size(), kOtherValue);
  for (size_t i = 0; i < values_.size(); ++i) {
    if (IsNumber(values_[i].type)) continue;
    const uint32_t number = NumberOf(values_[i], strings);
    if (number < codes.size()) codes[number] = static_cast<BinCode>(i);
  }
  return codes;
}

}  // namespace ofindex

#include "query/crossfilter/codes/code_mask.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "query/columns/chunks/bit_words.h"
#include "query/columns/value_order.h"
#include "query/filter/number_range.h"

namespace ofindex {
namespace {

using CodeVerdict = ValueFilter::Verdict;

CodeVerdict Inverse(CodeVerdict verdict) {
  if (verdict == CodeVerdict::kSome) return verdict;
  return verdict == CodeVerdict::kAll ? CodeVerdict::kNone : CodeVerdict::kAll;
}

template <typename T>
bool Meet(const NumberRange<T>& a, const NumberRange<T>& b) {
  return !a.empty() && !b.empty() && std::max(a.low, b.low) <= std::min(a.high, b.high);
}

template <typename T>
bool Contains(const NumberRange<T>& outer, const NumberRange<T>& inner) {
  return inner.empty() || (outer.low <= inner.low && inner.high <= outer.high);
}

ValueBound EdgeBound(double value, bool open) {
  return {.value = ColumnValue{.type = ColumnValue::Type::kReal, .real = value}, .open = open};
}

// The integers and the doubles between two bounds.
struct BothRanges {
  NumberRange<int64_t> integers;
  NumberRange<double> doubles;

  BothRanges(const ValueBound& low, const ValueBound& high)
      : integers(IntegersIn(low, high)), doubles(DoublesIn(low, high)) {}

  [[nodiscard]] CodeVerdict Evaluate(const BothRanges& values) const {
    if (!Meet(integers, values.integers) && !Meet(doubles, values.doubles)) return CodeVerdict::kNone;
    const bool all = Contains(integers, values.integers) && Contains(doubles, values.doubles);
    return all ? CodeVerdict::kAll : CodeVerdict::kSome;
  }
};

// Returns the verdict of a range on bytes, which are greater than all numbers.
CodeVerdict EvaluateBytes(const ValueFilter& filter) {
  if (filter.high.value && IsNumber(filter.high.value->type)) return CodeVerdict::kNone;
  const bool from_numbers = !filter.low.value || IsNumber(filter.low.value->type);
  return from_numbers && !filter.high.value ? CodeVerdict::kAll : CodeVerdict::kSome;
}

using CodeVerdicts = std::array<CodeVerdict, 256>;

// Sets the verdicts on numbers and bytes.
void EvaluateCodes(const ValueFilter& filter, const NumberBins& bins, CodeVerdicts& verdicts) {
  if (filter.accepts_none()) return;
  if (filter.kind != ValueFilter::Kind::kRange) {
    std::fill(verdicts.begin(), verdicts.begin() + kNanValue, CodeVerdict::kSome);
    return;
  }
  const BothRanges accepted(filter.low, filter.high);
  const auto verdict = [&](const ValueBound& low, const ValueBound& high) {
    const CodeVerdict inside = accepted.Evaluate({low, high});
    return filter.outside ? Inverse(inside) : inside;
  };
  for (size_t i = 0; i < bins.size(); ++i)
    verdicts[i] = verdict(EdgeBound(bins.edge(i), false), EdgeBound(bins.edge(i + 1), true));
  verdicts[kBelowBins] = verdict({}, EdgeBound(bins.edge(0), true));
  verdicts[kAboveBins] = verdict(EdgeBound(bins.edge(bins.size()), false), {});
  verdicts[kOtherValue] = filter.outside ? Inverse(EvaluateBytes(filter)) : EvaluateBytes(filter);
}

void EvaluateCodes(const ValueFilter& filter, const Categories& categories, CodeVerdicts& verdicts) {
  const std::vector<ColumnValue>& values = categories.values();
  size_t accepted = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!filter.Accepts(ViewOf(values[i]))) continue;
    verdicts[i] = CodeVerdict::kAll;
    ++accepted;
  }
  const bool only_categories = filter.kind == ValueFilter::Kind::kSet && accepted == filter.values.size();
  if (filter.accepts_all()) {
    verdicts[kOtherValue] = CodeVerdict::kAll;
  } else if (!filter.accepts_none() && !only_categories) {
    verdicts[kOtherValue] = CodeVerdict::kSome;
  }
}

}  // namespace

std::optional<CodeMask> CodeMask::Of(const ValueFilter& filter, const Binning& binning) {
  if (filter.passing != PassingText::kNone || filter.kind == ValueFilter::Kind::kHas) return std::nullopt;
  CodeVerdicts verdicts;
  verdicts.fill(CodeVerdict::kNone);
  std::visit([&](const auto& bins) { EvaluateCodes(filter, bins, verdicts); }, binning);
  verdicts[kNanValue] = verdicts[kNullValue] = filter.null ? CodeVerdict::kAll : CodeVerdict::kNone;
  std::array<uint8_t, 256> accepted;
  for (size_t code = 0; code < 256; ++code) {
    if (verdicts[code] == CodeVerdict::kSome) return std::nullopt;
    accepted[code] = verdicts[code] == CodeVerdict::kAll ? 1 : 0;
  }
  return CodeMask(accepted);
}

CodeMask::CodeMask(const std::array<uint8_t, 256>& accepted) : accepted_(accepted) {
  const auto count = std::count(accepted.begin(), accepted.end(), 1);
  const auto first = std::find(accepted.begin(), accepted.end(), 1);
  const auto end = std::find(first, accepted.end(), 0);
  consecutive_ = count > 0 && end - first == count;
  if (!consecutive_) return;
  first_ = static_cast<BinCode>(first - accepted.begin());
  span_ = static_cast<BinCode>(count - 1);
}

void CodeMask::Match(std::span<const BinCode> codes, std::span<uint64_t> words) const {
  const auto records = static_cast<uint32_t>(codes.size());
  const BinCode* const at = codes.data();
  if (consecutive_) {
    FillWords(records, words,
              [at, first = first_, span = span_](uint32_t r) { return static_cast<BinCode>(at[r] - first) <= span; });
  } else {
    FillWords(records, words, [at, this](uint32_t r) { return accepted_[at[r]]; });
  }
}

}  // namespace ofindex

#include "query/filter/kernels.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "query/filter/list_kernel.h"
#include "query/filter/number_range.h"
#include "query/filter/string_kernel.h"

namespace ofindex {
namespace {

using Kind = ValueFilter::Kind;
using Words = std::span<uint64_t>;

// Up to this many values are compared one by one; for more, a table or a search is faster.
constexpr size_t kFewValues = 4;

void Fill(Words words, uint64_t value) { std::fill(words.begin(), words.end(), value); }

void Invert(Words words) {
  for (uint64_t& word : words) word = ~word;
}

// A range of offsets of type T, which may wrap around: `low` and the `span` offsets after it.
template <typename T>
struct Circle {
  T low;
  T span;
};

// Returns the offsets of type T, relative to `base`, of the integers in `range`, which is not empty. A base and an
// offset add up modulo 2^64, so the range may wrap around at the greatest offset.
template <typename T>
std::optional<Circle<T>> OffsetsIn(const NumberRange<int64_t>& range, int64_t base) {
  constexpr uint64_t kMax = std::numeric_limits<T>::max();
  const uint64_t low = static_cast<uint64_t>(range.low) - static_cast<uint64_t>(base);
  const uint64_t high = static_cast<uint64_t>(range.high) - static_cast<uint64_t>(base);
  const auto circle = [](uint64_t from, uint64_t to) {
    return Circle<T>{static_cast<T>(from), static_cast<T>(to - from)};
  };
  if (low <= high) {
    if (low > kMax) return std::nullopt;
    return circle(low, std::min(high, kMax));
  }
  return low > kMax ? circle(0, std::min(high, kMax)) : circle(low, high);
}

template <typename T>
void MatchRange(std::span<const T> offsets, int64_t base, const NumberRange<int64_t>& range, Words words) {
  const std::optional<Circle<T>> circle = range.empty() ? std::nullopt : OffsetsIn<T>(range, base);
  if (!circle) return Fill(words, 0);
  const T* const values = offsets.data();
  const T low = circle->low;
  const T span = circle->span;
  FillWords(static_cast<uint32_t>(offsets.size()), words,
            [=](uint32_t r) { return static_cast<T>(values[r] - low) <= span; });
}

// Matches the few values of a set one after the other: `match` is the kernel for one of them.
template <typename T, typename MatchOne>
void MatchEach(const std::vector<T>& wanted, Words words, MatchOne match) {
  Fill(words, 0);
  std::vector<uint64_t> one(words.size());
  for (const T value : wanted) {
    match(value, Words(one));
    for (size_t w = 0; w < words.size(); ++w) words[w] |= one[w];
  }
}

template <typename T>
void MatchTable(std::span<const T> offsets, int64_t base, const std::vector<int64_t>& wanted, Words words) {
  std::vector<uint8_t> table(size_t{std::numeric_limits<T>::max()} + 1);
  for (const int64_t value : wanted) {
    const uint64_t offset = static_cast<uint64_t>(value) - static_cast<uint64_t>(base);
    if (offset < table.size()) table[offset] = 1;
  }
  FillWords(static_cast<uint32_t>(offsets.size()), words, [&](uint32_t r) { return table[offsets[r]]; });
}

template <typename T>
void MatchSet(std::span<const T> offsets, int64_t base, const std::vector<int64_t>& wanted, Words words) {
  if (wanted.size() <= kFewValues) {
    MatchEach(wanted, words, [&](int64_t value, Words one) { MatchRange(offsets, base, {value, value}, one); });
  } else if constexpr (sizeof(T) <= 2) {
    MatchTable(offsets, base, wanted, words);
  } else {
    FillWords(static_cast<uint32_t>(offsets.size()), words, [&](uint32_t r) {
      const auto value = static_cast<int64_t>(static_cast<uint64_t>(base) + offsets[r]);
      return std::binary_search(wanted.begin(), wanted.end(), value);
    });
  }
}

template <typename T>
void MatchOffsets(const ValueFilter& filter, std::span<const T> offsets, int64_t base, Words words) {
  if (filter.kind == Kind::kSet) return MatchSet(offsets, base, IntegersOf(filter.values), words);
  MatchRange(offsets, base, IntegersIn(filter.low, filter.high), words);
  if (filter.outside) Invert(words);
}

template <typename T>
NumberRange<T> RealsIn(const NumberRange<double>& range) {
  if constexpr (std::is_same_v<T, float>) {
    return FloatsIn(range);
  } else {
    return range;
  }
}

template <typename T>
void MatchRealRange(std::span<const T> reals, const NumberRange<T>& range, bool outside, Words words) {
  const T* const values = reals.data();
  const T low = range.low;
  const T high = range.high;
  const auto count = static_cast<uint32_t>(reals.size());
  // In both directions a NaN compares as false, as NULL does.
  if (outside) {
    FillWords(count, words, [=](uint32_t r) { return (values[r] < low) | (values[r] > high); });
  } else {
    FillWords(count, words, [=](uint32_t r) { return (values[r] >= low) & (values[r] <= high); });
  }
}

template <typename T>
void MatchReals(const ValueFilter& filter, std::span<const T> reals, Words words) {
  if (filter.kind != Kind::kSet) {
    return MatchRealRange(reals, RealsIn<T>(DoublesIn(filter.low, filter.high)), filter.outside, words);
  }
  const std::vector<double> wanted = DoublesOf(filter.values);
  if (wanted.size() <= kFewValues) {
    return MatchEach(wanted, words, [&](double value, Words one) {
      MatchRealRange(reals, RealsIn<T>({value, value}), false, one);
    });
  }
  FillWords(static_cast<uint32_t>(reals.size()), words, [&](uint32_t r) {
    const double value = reals[r];
    return value == value && std::binary_search(wanted.begin(), wanted.end(), value);
  });
}

void MatchMixed(const ValueFilter& filter, const Chunk& chunk, Words words) {
  FillWords(chunk.records(), words, [&](uint32_t r) {
    if (!BitAt(chunk.present(), r)) return false;
    const Chunk::Value value = chunk.At(r);
    return value.type != ColumnValue::Type::kNull && filter.Accepts(value);
  });
}

// Matches the records that have a value in SQL: all that have one, except NaN.
void MatchNotNull(const Chunk& chunk, Words words) {
  const uint32_t records = chunk.records();
  if (chunk.form() == Chunk::Form::kFloats) {
    FillWords(records, words, [values = chunk.floats().data()](uint32_t r) { return values[r] == values[r]; });
  } else if (chunk.form() == Chunk::Form::kDoubles) {
    FillWords(records, words, [values = chunk.doubles().data()](uint32_t r) { return values[r] == values[r]; });
  } else if (chunk.form() == Chunk::Form::kMixed) {
    FillWords(records, words,
              [&](uint32_t r) { return BitAt(chunk.present(), r) && chunk.At(r).type != ColumnValue::Type::kNull; });
  } else {
    Fill(words, ~uint64_t{0});
  }
  for (size_t w = 0; w < words.size(); ++w) words[w] &= chunk.present()[w];
}

// Evaluates the filter for values that are present. The result for the others does not matter.
void MatchValues(const ValueFilter& filter, const Chunk& chunk, Words words) {
  switch (chunk.form()) {
    case Chunk::Form::kEmpty: return Fill(words, 0);
    case Chunk::Form::kFloats: return MatchReals(filter, chunk.floats(), words);
    case Chunk::Form::kDoubles: return MatchReals(filter, chunk.doubles(), words);
    case Chunk::Form::kBytes: return MatchStrings(filter, chunk, words);
    case Chunk::Form::kMixed: return MatchMixed(filter, chunk, words);
    case Chunk::Form::kLists: return MatchLists(filter, chunk, words);
    case Chunk::Form::kIntegers: break;
  }
  const Chunk::Integers& integers = chunk.integers();
  std::visit([&](const auto& offsets) { MatchOffsets(filter, std::span(offsets), integers.base, words); },
             integers.offsets);
}

}  // namespace

void Match(const ValueFilter& filter, const Chunk& chunk, Words words) {
  const std::span<const uint64_t> present = chunk.present();
  if (filter.accepts_all()) return MatchNotNull(chunk, words);
  if (filter.accepts_none()) {
    Fill(words, 0);
  } else {
    MatchValues(filter, chunk, words);
    for (size_t w = 0; w < words.size(); ++w) words[w] &= present[w];
  }
  if (!filter.null) return;
  std::vector<uint64_t> values(words.size());
  MatchNotNull(chunk, values);
  for (uint32_t w = 0; w < words.size(); ++w) words[w] |= ~values[w] & RecordBits(chunk.records(), w);
}

void MatchOrdinals(const ValueFilter& filter, uint64_t first, uint32_t records, Words words) {
  static const std::vector<uint16_t> kOffsets = [] {
    std::vector<uint16_t> offsets(kBlockRecords);
    std::iota(offsets.begin(), offsets.end(), uint16_t{0});
    return offsets;
  }();
  MatchOffsets(filter, std::span(kOffsets).first(records), static_cast<int64_t>(first), words);
  for (uint32_t w = 0; w < words.size(); ++w) words[w] &= RecordBits(records, w);
}

}  // namespace ofindex

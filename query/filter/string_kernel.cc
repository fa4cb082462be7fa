#include "query/filter/string_kernel.h"

#include <algorithm>
#include <utility>

#include "query/columns/chunks/bit_words.h"

namespace ofindex {
namespace {

using Kind = ValueFilter::Kind;
using Type = ColumnValue::Type;

// A range [begin, end) of distinct values, by index; empty if begin is not less than end.
struct Numbers {
  uint32_t begin;
  uint32_t end;

  [[nodiscard]] bool Has(uint32_t n) const { return begin <= n && n < end; }
};

uint32_t CountOf(const Chunk::Strings& strings) { return static_cast<uint32_t>(strings.ends.size()); }

// Returns the index of the first value that is not less than `bytes`, or of the first that is greater.
uint32_t FirstFrom(const Chunk::Strings& strings, std::string_view bytes, bool greater) {
  uint32_t low = 0;
  uint32_t high = CountOf(strings);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const int order = AsText(strings[middle]).compare(bytes);
    if (order < 0 || (greater && order == 0)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Returns the filter's range as a range of distinct values, to be applied only to values of type `type`. The values are
// in the order of their bytes, TEXT and BLOB mixed, whereas in SQL every TEXT is less than any BLOB.
Numbers NumbersIn(const ValueFilter& filter, Type type, const Chunk::Strings& strings) {
  Numbers numbers{0, CountOf(strings)};
  if (const auto& low = filter.low.value) {
    if (low->type == type) numbers.begin = FirstFrom(strings, low->bytes, filter.low.open);
    if (low->type == Type::kBlob && type == Type::kText) numbers.begin = numbers.end;
  }
  if (const auto& high = filter.high.value) {
    if (high->type == type) numbers.end = FirstFrom(strings, high->bytes, !filter.high.open);
    const bool less = high->type == Type::kText ? type == Type::kBlob : high->type != Type::kBlob;
    if (less) numbers.end = 0;
  }
  return numbers;
}

// Returns a flag per distinct value: whether the filter accepts it.
class Accepted {
 public:
  explicit Accepted(const Chunk::Strings& strings) : strings_(strings), flags_(strings.ends.size()) {}

  void AddRange(const ValueFilter& filter) {
    const Numbers text = NumbersIn(filter, Type::kText, strings_);
    const Numbers blob = NumbersIn(filter, Type::kBlob, strings_);
    for (uint32_t n = 0; n < flags_.size(); ++n) {
      const bool both = text.Has(n) == blob.Has(n);
      flags_[n] = both ? text.Has(n) : (IsText(strings_[n]) ? text.Has(n) : blob.Has(n));
      if (filter.outside) flags_[n] ^= 1;
    }
  }

  void AddSet(const ValueFilter& filter) {
    for (const ColumnValue& value : filter.values) {
      if (const uint32_t n = NumberOf(value, strings_); n < flags_.size()) flags_[n] = 1;
    }
  }

  // One by one, for patterns, and for values that SQLite checks again.
  void AddEach(const ValueFilter& filter) {
    for (uint32_t n = 0; n < flags_.size(); ++n) {
      const Type type = IsText(strings_[n]) ? Type::kText : Type::kBlob;
      flags_[n] = filter.Accepts({.type = type, .bytes = strings_[n]});
    }
  }

  // Returns the numbers that are flagged, if they are consecutive.
  [[nodiscard]] bool Contiguous(Numbers& numbers) const {
    const auto first = std::find(flags_.begin(), flags_.end(), 1);
    const auto last = std::find(first, flags_.end(), 0);
    if (std::find(last, flags_.end(), 1) != flags_.end()) return false;
    numbers = {static_cast<uint32_t>(first - flags_.begin()), static_cast<uint32_t>(last - flags_.begin())};
    return true;
  }

  [[nodiscard]] const std::vector<uint8_t>& flags() const { return flags_; }

 private:
  const Chunk::Strings& strings_;
  std::vector<uint8_t> flags_;
};

}  // namespace

uint32_t NumberOf(const ColumnValue& value, const Chunk::Strings& strings) {
  const uint32_t none = CountOf(strings);
  if (value.type != Type::kText && value.type != Type::kBlob) return none;
  const uint32_t n = FirstFrom(strings, value.bytes, false);
  if (n == none || AsText(strings[n]) != value.bytes) return none;
  return IsText(strings[n]) == (value.type == Type::kText) ? n : none;
}

void MatchStrings(const ValueFilter& filter, const Chunk& chunk, std::span<uint64_t> words) {
  const Chunk::Strings& strings = chunk.strings();
  Accepted accepted(strings);
  if (filter.passing != PassingText::kNone || filter.kind == Kind::kLike) {
    accepted.AddEach(filter);
  } else if (filter.kind == Kind::kRange) {
    accepted.AddRange(filter);
  } else {
    accepted.AddSet(filter);
  }
  const uint32_t* const number = strings.number.data();
  if (Numbers numbers{}; accepted.Contiguous(numbers)) {
    const uint32_t begin = numbers.begin;
    const uint32_t count = numbers.end - numbers.begin;
    return FillWords(chunk.records(), words, [=](uint32_t r) { return number[r] - begin < count; });
  }
  // A record without a value may have any number: it looks up the first.
  const uint8_t* const flags = accepted.flags().data();
  const std::span<const uint64_t> present = chunk.present();
  FillWords(chunk.records(), words,
            [=](uint32_t r) { return flags[number[r] & (0U - static_cast<uint32_t>(BitAt(present, r)))]; });
}

}  // namespace ofindex

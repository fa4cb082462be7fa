#include "query/stats/value_counts.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// Selects values by a threshold for their counts, in SQLite's order: all with a greater count, and as many with exactly
// that count as there is room for.
class TopValues {
 public:
  TopValues(size_t limit, uint64_t threshold, size_t greater) : threshold_(threshold), room_(limit - greater) {}

  [[nodiscard]] bool Wants(uint64_t count) const { return count > threshold_ || (count == threshold_ && room_ > 0); }

  void Take(ColumnValue value, uint64_t count) {
    if (count == threshold_) --room_;
    top_.push_back({std::move(value), count});
  }

  [[nodiscard]] std::vector<ValueCount> Sorted() && {
    std::stable_sort(top_.begin(), top_.end(),
                     [](const ValueCount& a, const ValueCount& b) { return a.count > b.count; });
    return std::move(top_);
  }

 private:
  uint64_t threshold_;
  size_t room_;
  std::vector<ValueCount> top_;
};

void TakeNumbers(const ValueCounts& counts, TopValues& top) {
  auto real = counts.reals().begin();
  const auto end = counts.reals().end();
  const auto take_real = [&] {
    if (top.Wants(real->count)) top.Take({.type = Type::kReal, .real = real->key}, real->count);
    ++real;
  };
  const auto is_before = [](double a, int64_t b) {
    return CompareValues(Chunk::Value{.type = Type::kReal, .real = a}, {.type = Type::kInteger, .integer = b}) < 0;
  };
  for (const auto& [integer, count] : counts.integers()) {
    while (real != end && is_before(real->key, integer)) take_real();
    if (top.Wants(count)) top.Take({.type = Type::kInteger, .integer = integer}, count);
  }
  while (real != end) take_real();
}

void TakeStrings(const std::vector<Count<std::string>>& strings, Type type, TopValues& top) {
  for (const auto& [text, count] : strings) {
    if (top.Wants(count) && IsText(AsBytes(text)) == (type == Type::kText)) {
      top.Take({.type = type, .bytes = text}, count);
    }
  }
}

}  // namespace

void ValueCounts::Add(const BlockCounts& block) {
  for (const auto& [value, count] : block.integers) integers_.Add(value, count);
  for (const auto& [value, count] : block.reals) reals_.Add(value, count);
  block.ForEachString([&](ByteView text, uint64_t count) {
    strings_.Add(std::string(AsText(text)), count);
    if (strings_.due()) strings_.Settle();
  });
  if (integers_.due()) integers_.Settle();
  if (reals_.due()) reals_.Settle();
  Forget();
}

void ValueCounts::Settle() {
  integers_.Settle();
  reals_.Settle();
  strings_.Settle();
  Forget();
}

// Subtracts the median of all counts from each, as often as necessary: at least half of the values go each time.
void ValueCounts::Forget() {
  while (size() > kMaxDistinct || strings_.bytes() > kMaxBytes) {
    max_held_ = std::max(max_held_, size());
    std::vector<uint64_t> counts;
    counts.reserve(size());
    for (const auto& entry : integers_.all()) counts.push_back(entry.count);
    for (const auto& entry : reals_.all()) counts.push_back(entry.count);
    for (const auto& entry : strings_.all()) counts.push_back(entry.count);
    const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
    std::nth_element(counts.begin(), middle, counts.end());
    integers_.Lower(*middle);
    reals_.Lower(*middle);
    strings_.Lower(*middle);
    error_ += *middle;
  }
}

void ValueCounts::Zero() {
  integers_.Zero();
  reals_.Zero();
  strings_.Zero();
}

void ValueCounts::Recount(const BlockCounts& block) {
  for (const auto& [value, count] : block.integers) integers_.AddKnown(value, count);
  for (const auto& [value, count] : block.reals) reals_.AddKnown(value, count);
  block.ForEachString([&](ByteView text, uint64_t count) { strings_.AddKnown(AsText(text), count); });
}

std::vector<ValueCount> ValueCounts::Top(size_t limit) const {
  std::vector<uint64_t> counts;
  const auto collect = [&](const auto& entries) {
    for (const auto& entry : entries) {
      if (entry.count > error_) counts.push_back(entry.count);
    }
  };
  collect(integers_.all());
  collect(reals_.all());
  collect(strings_.all());
  limit = std::min(limit, counts.size());
  if (limit == 0) return {};
  const auto last = counts.begin() + static_cast<std::ptrdiff_t>(limit - 1);
  std::nth_element(counts.begin(), last, counts.end(), std::greater<>());
  const uint64_t threshold = *last;
  const auto greater = std::count_if(counts.begin(), last, [&](uint64_t count) { return count > threshold; });
  TopValues top(limit, threshold, static_cast<size_t>(greater));
  TakeNumbers(*this, top);
  TakeStrings(strings_.all(), Type::kText, top);
  TakeStrings(strings_.all(), Type::kBlob, top);
  return std::move(top).Sorted();
}

}  // namespace ofindex

#include "query/stats/group_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "query/columns/chunk_numbers.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// The compact state of a group while a loop runs over values of one type.
template <typename T, typename Sum>
struct Running {
  using Limits = std::numeric_limits<T>;
  static constexpr T kGreatest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr T kMin = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

  Sum sum = 0;
  uint32_t count = 0;
  T min = kGreatest;
  T max = kMin;

  void Add(T value) {
    sum += value;
    ++count;
    min = std::min(min, value);
    max = std::max(max, value);
  }
};

// Sums numbers of one type, one per record.
template <typename T, typename Sum, typename ValueOf>
std::vector<Running<T, Sum>> Run(std::span<const uint64_t> records, std::span<const uint32_t> number, size_t groups,
                                 ValueOf value_of) {
  std::vector<Running<T, Sum>> running(groups);
  if (groups == 1) {  // stays in registers
    Running<T, Sum> one;
    ForEachSet(records, [&](uint32_t r) {
      const T value = value_of(r);
      if (value == value) one.Add(value);  // not NaN
    });
    running[0] = one;
    return running;
  }
  ForEachSet(records, [&](uint32_t r) {
    const T value = value_of(r);
    if (value == value) running[number[r]].Add(value);
  });
  return running;
}

template <typename T, typename Sum>
std::vector<GroupSum> RealSums(const std::vector<Running<T, Sum>>& running) {
  std::vector<GroupSum> sums(running.size());
  for (size_t g = 0; g < running.size(); ++g) {
    const Running<T, Sum>& group = running[g];
    if (group.count == 0) continue;
    sums[g].count = group.count;
    sums[g].sum.reals = static_cast<long double>(group.sum);
    sums[g].min = {.type = Type::kReal, .real = static_cast<double>(group.min) + 0.0};
    sums[g].max = {.type = Type::kReal, .real = static_cast<double>(group.max) + 0.0};
  }
  return sums;
}

template <typename Offset>
std::vector<GroupSum> OffsetSums(const std::vector<Running<Offset, uint64_t>>& running, int64_t base) {
  std::vector<GroupSum> sums(running.size());
  for (size_t g = 0; g < running.size(); ++g) {
    const Running<Offset, uint64_t>& group = running[g];
    if (group.count == 0) continue;
    sums[g].count = group.count;
    sums[g].sum.integers = static_cast<__int128>(base) * group.count + group.sum;
    sums[g].min = {.type = Type::kInteger, .integer = base + static_cast<int64_t>(group.min)};
    sums[g].max = {.type = Type::kInteger, .integer = base + static_cast<int64_t>(group.max)};
  }
  return sums;
}

// Sums any form, slowly.
std::vector<GroupSum> AnySums(const Chunk& chunk, std::span<const uint32_t> number, size_t groups,
                              std::span<const uint64_t> records) {
  std::vector<GroupSum> sums(groups);
  ForEachSet(records, [&](uint32_t r) {
    GroupSum one;
    one.count = 1;
    one.min = one.max = chunk.At(r);
    if (one.min.type == Type::kInteger) one.sum.integers = one.min.integer;
    if (one.min.type == Type::kReal) one.sum.reals = static_cast<long double>(one.min.real);
    if (IsNumber(one.min.type)) sums[number[r]].Merge(one);
  });
  return sums;
}

std::vector<GroupSum> IntegerSums(const Chunk& chunk, std::span<const uint32_t> number, size_t groups,
                                  std::span<const uint64_t> records) {
  return std::visit(
      [&]<typename Offset>(const std::vector<Offset>& offsets) {
        constexpr uint64_t kMax = std::numeric_limits<Offset>::max();
        const int64_t base = chunk.integers().base;
        // Offsets of at most 32 bits, summed over all records of a block, fit in 64 bits. AnySums handles wider
        // offsets, and a base so great that adding an offset wraps around, which only a hostile file has.
        if constexpr (sizeof(Offset) <= 4) {
          if (base <= std::numeric_limits<int64_t>::max() - static_cast<int64_t>(kMax)) {
            return OffsetSums(Run<Offset, uint64_t>(records, number, groups, [&](uint32_t r) { return offsets[r]; }),
                              base);
          }
        }
        return AnySums(chunk, number, groups, records);
      },
      chunk.integers().offsets);
}

}  // namespace

void GroupSum::Merge(const GroupSum& later) {
  if (later.count == 0) return;
  if (count == 0 || CompareValues(later.min, min) < 0) min = later.min;
  if (count == 0 || CompareValues(later.max, max) > 0) max = later.max;
  count += later.count;
  sum.Add(later.sum);
}

std::optional<double> GroupSum::mean() const {
  if (count == 0) return std::nullopt;
  const long double mean = sum.total() / static_cast<long double>(count);
  if (std::isnan(mean)) return std::nullopt;
  return static_cast<double>(mean);
}

std::vector<GroupSum> SumByGroup(const Chunk& chunk, std::span<const uint32_t> number, size_t groups,
                                 std::span<const uint64_t> records) {
  switch (chunk.form()) {
    case Chunk::Form::kIntegers: return IntegerSums(chunk, number, groups, records);
    case Chunk::Form::kFloats:
      return RealSums(Run<float, double>(records, number, groups, [&](uint32_t r) { return chunk.floats()[r]; }));
    case Chunk::Form::kDoubles:
      return RealSums(
          Run<double, long double>(records, number, groups, [&](uint32_t r) { return chunk.doubles()[r]; }));
    case Chunk::Form::kMixed: return AnySums(chunk, number, groups, records);
    default: return std::vector<GroupSum>(groups);
  }
}

}  // namespace ofindex

#include "query/sampling/orders/alias_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

using Wide = unsigned __int128;

constexpr uint64_t kColumn = uint64_t{1} << 32;  // units of a column

double WeightOf(uint64_t bits) { return std::bit_cast<double>(bits); }

// Converts weights to integers: multiplies all by one power of two and drops fractions. The sum is at least 2^62, and
// below 2^64 despite any rounding in the first sum.
Result<uint64_t> MakeIntegers(std::vector<uint64_t>& weights) {
  double max = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double weight = WeightOf(weights[i]);
    if (!std::isfinite(weight) || weight < 0) {
      return Fail(ErrorCode::kUsage, StrCat("weight ", i, ": expected a number of 0 or more"));
    }
    max = std::max(max, weight);
  }
  if (max == 0) {
    return Fail(ErrorCode::kUsage,
                StrCat("no weight of ", Counted(weights.size(), "record"), " is above 0; expected one"));
  }
  const int scale = -std::ilogb(max);
  double sum = 0;
  for (const uint64_t bits : weights) sum += std::scalbn(WeightOf(bits), scale);
  const int fit = scale + 62 - std::ilogb(sum);
  uint64_t total = 0;
  for (uint64_t& bits : weights) {
    bits = static_cast<uint64_t>(std::scalbn(WeightOf(bits), fit));
    total += bits;
  }
  return total;
}

// Converts integers to units: rounds their running sum, so that the total is exact.
void MakeUnits(std::vector<uint64_t>& columns, uint64_t total) {
  const uint64_t units = columns.size() * kColumn;
  uint64_t carry = 0;
  for (uint64_t& column : columns) {
    if (column == 0) continue;
    const Wide due = Wide{column} * units + carry;
    column = static_cast<uint64_t>(due / total);
    carry = static_cast<uint64_t>(due % total);
  }
}

// Fills each column that has too few units from one that has too many, both in ascending order; a column that has given
// away too many is filled next. The columns that have too many at first are marked, because the entry of a finished
// column looks like any other number.
void FillColumns(std::vector<uint64_t>& columns) {
  const size_t size = columns.size();
  std::vector<uint64_t> large(size / 64 + 1);
  for (size_t i = 0; i < size; ++i) {
    if (columns[i] >= kColumn) large[i / 64] |= uint64_t{1} << (i % 64);
  }
  const auto is_large = [&](size_t i) { return (large[i / 64] >> (i % 64) & 1) != 0; };
  size_t from = 0;
  const auto seek = [&] {
    while (from < size && !is_large(from)) ++from;
  };
  seek();
  for (size_t i = 0; i < size; ++i) {
    if (is_large(i)) continue;
    for (size_t small = i;;) {
      columns[from] -= kColumn - columns[small];
      columns[small] = columns[small] << 32 | from;
      if (columns[from] >= kColumn) break;
      small = from++;
      seek();
    }
  }
  for (; from < size; ++from, seek()) columns[from] = from;  // exactly full, and all its own
}

}  // namespace

void AliasTable::Builder::Add(double weight) { columns_.push_back(std::bit_cast<uint64_t>(weight)); }

Result<AliasTable> AliasTable::Builder::Build() && {
  if (columns_.size() > kMaxItems) {
    return Fail(
        ErrorCode::kLimit,
        StrCat("weights of ", FormatCount(columns_.size()), " records; expected at most ", FormatCount(kMaxItems)),
        "draw from fewer records, selected with --where");
  }
  OFINDEX_ASSIGN(const uint64_t total, MakeIntegers(columns_));
  MakeUnits(columns_, total);
  FillColumns(columns_);
  return AliasTable(std::move(columns_));
}

Result<AliasTable> AliasTable::Of(std::span<const double> weights) {
  Builder builder;
  builder.Reserve(weights.size());
  for (const double weight : weights) builder.Add(weight);
  return std::move(builder).Build();
}

}  // namespace ofindex

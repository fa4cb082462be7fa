#include "index/columns/distinct_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/checksum.h"

namespace ofindex {
namespace {

constexpr uint32_t kIndexBits = 11;
constexpr uint32_t kRankBits = 64 - kIndexBits;
constexpr uint32_t kMaxRank = kRankBits + 1;
static_assert(DistinctSketch::kRegisters == 1U << kIndexBits);

// Type tag hashed with a value, so that equal bits of different types differ. The numbers are part of the sketch in
// index files: DO NOT CHANGE THEM.
enum class HashedType : uint8_t { kInteger = 1, kReal = 2, kBytes = 3 };

// The finalizer of SplitMix64 (Steele, Lea and Flood 2014): hashes eight bytes at a third of the cost of XXH3.
uint64_t Hash(HashedType type, uint64_t value) {
  uint64_t z = value + static_cast<uint64_t>(type) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// Implements AddHash; inlined for every value of a column.
inline void Raise(std::span<uint8_t, DistinctSketch::kRegisters> registers, uint64_t hash) {
  uint8_t& max = registers[hash >> kRankBits];
  // The bit after the hash ends the count of zeros.
  const int zeros = std::countl_zero(hash << kIndexBits | uint64_t{1} << (kIndexBits - 1));
  max = std::max(max, static_cast<uint8_t>(zeros + 1));
}

inline void AddIntegerTo(std::span<uint8_t, DistinctSketch::kRegisters> registers, int64_t value) {
  Raise(registers, Hash(HashedType::kInteger, static_cast<uint64_t>(value)));
}

// A real that is an integer is hashed as one. Converting there and back shows it, without a call of the mathematical
// library.
inline void AddRealTo(std::span<uint8_t, DistinctSketch::kRegisters> registers, double value) {
  constexpr double kTop = 9223372036854775808.0;  // 2^63
  if (value >= -kTop && value < kTop) {
    const auto integer = static_cast<int64_t>(value);
    if (static_cast<double>(integer) == value) return AddIntegerTo(registers, integer);
  } else if (std::isnan(value)) {
    return;
  }
  Raise(registers, Hash(HashedType::kReal, std::bit_cast<uint64_t>(value)));
}

// Integers of a range up to this size are marked in a table, which stays in the cache, and each is hashed once.
constexpr uint64_t kMaxMarked = 1 << 14;

// The estimator is Ertl's, "New cardinality estimation algorithms for HyperLogLog sketches" (arXiv:1702.01284),
// algorithm 6: valid over the whole range, without a correction table or a switch between two formulas.
double Sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double sum = x;
  for (double before = -1, power = 1; sum != before; power += power) {
    x *= x;
    before = sum;
    sum += x * power;
  }
  return sum;
}

double Tau(double x) {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x;
  for (double before = -1, power = 0.5; sum != before; power /= 2) {
    x = std::sqrt(x);
    before = sum;
    sum -= (1 - x) * (1 - x) * power;
  }
  return sum / 3;
}

}  // namespace

void DistinctSketch::AddInteger(int64_t value) { AddIntegerTo(registers_, value); }
void DistinctSketch::AddReal(double value) { AddRealTo(registers_, value); }

void DistinctSketch::AddIntegers(std::span<const int64_t> values) {
  if (values.empty()) return;
  int64_t min = values.front(), max = min;
  for (const int64_t value : values) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  const uint64_t range = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
  if (range > kMaxMarked || range >= values.size() / 4) {
    for (const int64_t value : values) AddIntegerTo(registers_, value);
    return;
  }
  std::vector<uint8_t> present(range + 1);
  for (const int64_t value : values) present[static_cast<uint64_t>(value) - static_cast<uint64_t>(min)] = 1;
  for (uint64_t i = 0; i <= range; ++i) {
    if (present[i] != 0) AddIntegerTo(registers_, static_cast<int64_t>(static_cast<uint64_t>(min) + i));
  }
}

void DistinctSketch::AddReals(std::span<const float> values) {
  for (const float value : values) AddRealTo(registers_, value);
}

void DistinctSketch::AddReals(std::span<const double> values) {
  for (const double value : values) AddRealTo(registers_, value);
}

void DistinctSketch::AddBytes(ByteView value) { AddBytesOf(Xxh3(value)); }
void DistinctSketch::AddBytesOf(uint64_t xxh3) { AddHash(Hash(HashedType::kBytes, xxh3)); }

void DistinctSketch::AddHash(uint64_t hash) { Raise(registers_, hash); }

void DistinctSketch::Merge(const DistinctSketch& other) {
  for (uint32_t i = 0; i < kRegisters; ++i) registers_[i] = std::max(registers_[i], other.registers_[i]);
}

uint64_t DistinctSketch::Estimate() const {
  std::array<uint32_t, kMaxRank + 1> count{};
  for (uint8_t rank : registers_) ++count[rank];
  constexpr double kM = kRegisters;
  double z = kM * Tau(1 - count[kMaxRank] / kM);
  for (uint32_t rank = kRankBits; rank >= 1; --rank) z = (z + count[rank]) / 2;
  z += kM * Sigma(count[0] / kM);
  const double estimate = kM * kM / (2 * std::log(2.0) * z);
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  return estimate < static_cast<double>(kMax) ? static_cast<uint64_t>(std::llround(estimate)) : kMax;
}

bool DistinctSketch::Load(ByteView bytes) {
  if (bytes.size() != kRegisters || *std::max_element(bytes.begin(), bytes.end()) > kMaxRank) return false;
  std::copy(bytes.begin(), bytes.end(), registers_.begin());
  return true;
}

}  // namespace ofindex

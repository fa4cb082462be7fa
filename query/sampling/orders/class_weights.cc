#include "query/sampling/orders/class_weights.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ofindex {
namespace {

using Wide = unsigned __int128;

constexpr uint32_t kBits = 40;  // of the fractions of logarithms, and of weights

// Returns log2(x) * 2^kBits, rounded down, for `x` above 0: the square of a number in [1, 2) gives the next bit of its
// logarithm.
uint64_t Log2(uint64_t x) {
  const auto whole = static_cast<uint32_t>(std::bit_width(x)) - 1;
  uint64_t mantissa = x << (63 - whole);
  uint64_t log = whole;
  for (uint32_t i = 0; i < kBits; ++i) {
    const Wide square = Wide{mantissa} * mantissa >> 63;
    const auto bit = static_cast<uint32_t>(square >> 64);
    mantissa = static_cast<uint64_t>(square >> bit);
    log = log << 1 | bit;
  }
  return log;
}

uint64_t SquareRoot(Wide x) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 63; bit != 0; bit >>= 1) {
    if (Wide{root | bit} * (root | bit) <= x) root |= bit;
  }
  return root;
}

// 2^64 * 2^(-1/2), 2^64 * 2^(-1/4), ...: roots of roots.
std::array<uint64_t, kBits> RootsOfHalf() {
  std::array<uint64_t, kBits> roots;
  uint64_t last = uint64_t{1} << 63;
  for (uint64_t& root : roots) root = last = SquareRoot(Wide{last} << 64);
  return roots;
}

// 2^kBits * 2^(-`log` / 2^kBits), rounded down.
uint64_t PowerOfHalf(uint64_t log) {
  static const std::array<uint64_t, kBits> roots = RootsOfHalf();
  const uint64_t whole = log >> kBits;
  if (whole > kBits) return 0;
  uint64_t power = uint64_t{1} << 63;
  for (uint32_t i = 0; i < kBits; ++i) {
    if ((log >> (kBits - 1 - i) & 1) != 0) power = static_cast<uint64_t>(Wide{power} * roots[i] >> 64);
  }
  return power >> (63 - kBits) >> whole;
}

}  // namespace

std::vector<uint64_t> ClassWeights(std::span<const uint64_t> counts, double temperature) {
  std::vector<uint64_t> weights(counts.begin(), counts.end());
  if (temperature == 1 || counts.empty()) return weights;
  const auto exponent = static_cast<uint64_t>(std::nearbyint(4294967296.0 / temperature));  // of 2^32
  const uint64_t greatest = *std::max_element(counts.begin(), counts.end());
  const uint64_t max = greatest == 0 ? 0 : Log2(greatest);
  for (uint64_t& weight : weights) {
    if (weight == 0) continue;
    const auto log = static_cast<uint64_t>(Wide{max - Log2(weight)} * exponent >> 32);
    weight = std::isinf(temperature) ? 1 : std::max<uint64_t>(PowerOfHalf(log), 1);
  }
  return weights;
}

}  // namespace ofindex

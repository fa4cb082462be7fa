#include "query/stats/quartiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace ofindex {
namespace {

// Doubles of every sign and size, with NaN of both signs, which is in no order.
std::vector<double> NumbersWithNan(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> odd = {kNan, std::copysign(kNan, -1.0), kInfinity, -kInfinity, 0.0, -0.0, 1.5};
  std::vector<double> numbers;
  while (numbers.size() < count) {
    const uint64_t bits = random();
    numbers.push_back(bits % 4 == 0 ? odd[(bits >> 8) % odd.size()] : std::bit_cast<double>(bits));
  }
  return numbers;
}

std::shared_ptr<const Chunk> ChunkOfDoubles(const std::vector<double>& numbers) {
  ChunkBuilder builder;
  for (uint32_t r = 0; r < numbers.size(); ++r) builder.AddDouble(r, numbers[r]);
  const auto records = static_cast<uint32_t>(numbers.size());
  return std::make_shared<const Chunk>(Chunk::Decode(builder.Encode(records).data, records).value());
}

TEST_CASE("a search finds the numbers at the ranks of the quartiles, and NaN of either sign has no rank") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::vector<double> numbers = NumbersWithNan(seed, 10 * seed);
    const PickedChunk picked{ChunkOfDoubles(numbers)};
    std::erase_if(numbers, [](double number) { return std::isnan(number); });
    std::sort(numbers.begin(), numbers.end());
    const QuartileRanks ranks = RanksOf(numbers.size());
    RankSearch search(ranks);
    for (int pass = 0; pass < RankSearch::kPasses; ++pass) search.Narrow(search.Count(picked));
    const auto found = search.numbers();
    for (size_t i = 0; i < ranks.size(); ++i) CHECK(found[i] == numbers[ranks[i]]);
  }
}

}  // namespace
}  // namespace ofindex

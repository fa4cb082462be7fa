#include "query/sampling/sets/set_of.h"

#include <doctest/doctest.h>

#include <random>
#include <utility>
#include <vector>

#include "tests/query/sampling/sets/member_lists.h"

namespace ofindex {
namespace {

TEST_CASE("the set of a selection holds its ordinals, wherever its blocks begin") {
  for (const uint32_t max_records : {1U, 63U, 64U, 65U, 1000U, 70'000U, 200'000U}) {
    CAPTURE(max_records);
    std::mt19937_64 random(max_records);
    std::vector<BlockMetadata> blocks;
    std::vector<BlockSelection> selected;
    uint64_t first = 0;
    for (int b = 0; b < 40; ++b) {
      const auto records = static_cast<uint32_t>(random() % max_records + 1);
      const double density = std::vector{0.0, 1.0, 0.001, 0.1, 0.5, 0.999}[random() % 6];
      std::bernoulli_distribution chosen(density);
      std::vector<uint64_t> words(WordCount(records));
      for (uint32_t r = 0; r < records; ++r) words[r / 64] |= uint64_t{chosen(random)} << (r % 64);
      blocks.push_back({.shard = 0, .first_record = first, .records = records});
      selected.push_back(SelectionOf(std::move(words), records));
      first += records;
    }
    const Selection selection(blocks, selected);
    const OrdinalSet set = SetOf(selection);
    CHECK(set.size() == selection.count());
    CHECK(set == SetOfMembers(selection.Ordinals()));
  }
}

TEST_CASE("the set of an empty selection is empty, and that of a full one is a range") {
  CHECK(SetOf(Selection()) == OrdinalSet());
  const std::vector<BlockMetadata> blocks = {{0, 0, 1000}, {0, 1000, 0}, {0, 1000, 70'000}};
  CHECK(SetOf(Selection(blocks, {{0}, {0}, {0}})) == OrdinalSet());
  CHECK(SetOf(Selection(blocks, {{1000}, {0}, {70'000}})) == OrdinalSet::Range(0, 71'000));
}

}  // namespace
}  // namespace ofindex

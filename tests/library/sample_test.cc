#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <ofindex/sample.h>

#include "tests/library/example_data.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

// Reads the rest of the epoch, `step` ordinals at a time.
std::vector<uint64_t> Rest(Sampler& sampler, size_t step = 7) {
  std::vector<uint64_t> all;
  std::vector<uint64_t> some(step);
  while (const size_t count = sampler.Next(some)) {
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

std::vector<uint64_t> Sorted(std::vector<uint64_t> ordinals) {
  std::sort(ordinals.begin(), ordinals.end());
  return ordinals;
}

std::vector<uint64_t> Upto(uint64_t end) {
  std::vector<uint64_t> all(end);
  std::iota(all.begin(), all.end(), uint64_t{0});
  return all;
}

TEST_CASE("an epoch has every record once, in an order that depends on seed and epoch") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  Sampler sampler = Must(Sampler::Open(dataset, {.seed = 1}));
  CHECK(sampler.epoch_size() == 100);
  CHECK(sampler.left() == 100);
  const std::vector<uint64_t> first = Rest(sampler);
  CHECK(Sorted(first) == Upto(100));
  CHECK(first != Upto(100));
  CHECK(sampler.left() == 0);
  sampler.SetEpoch(1);
  CHECK(sampler.epoch() == 1);
  const std::vector<uint64_t> second = Rest(sampler);
  CHECK(Sorted(second) == Upto(100));
  CHECK(second != first);
  Sampler same = Must(Sampler::Open(dataset, {.seed = 1, .epoch = 1}));
  CHECK(Rest(same, 100) == second);
  Sampler other = Must(Sampler::Open(dataset, {.seed = 2}));
  CHECK(Rest(other) != first);
}

TEST_CASE("only the selected records are sampled") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  const Selection odd = Must(Where(dataset, "word = 'odd'"));
  Sampler sampler = Must(Sampler::Open(dataset, {.selection = odd}));
  CHECK(Sorted(Rest(sampler)) == odd.Ordinals());
  Sampler none = Must(Sampler::Open(dataset, {.selection = Selection()}));
  CHECK(Rest(none).empty());
}

TEST_CASE("ranks divide an epoch, and its tail by the requested policy") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  struct Row {
    Tail tail;
    std::vector<size_t> sizes;  // of three ranks
  };
  for (const Row& row :
       {Row{Tail::kExact, {34, 33, 33}}, Row{Tail::kPad, {34, 34, 34}}, Row{Tail::kDrop, {33, 33, 33}}}) {
    std::vector<uint64_t> all;
    for (uint64_t rank = 0; rank < 3; ++rank) {
      Sampler sampler = Must(Sampler::Open(dataset, {.rank = rank, .world_size = 3, .tail = row.tail}));
      const std::vector<uint64_t> ours = Rest(sampler);
      CHECK(ours.size() == row.sizes[rank]);
      all.insert(all.end(), ours.begin(), ours.end());
    }
    if (row.tail == Tail::kExact) CHECK(Sorted(all) == Upto(100));
  }
}

TEST_CASE("a state resumes exactly with another number of ranks") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  Sampler whole = Must(Sampler::Open(dataset, {.seed = 5}));
  std::array<uint64_t, 40> begun;
  REQUIRE(whole.Next(begun) == 40);
  CHECK(whole.position() == 40);
  const std::string state = whole.State();
  const std::vector<uint64_t> rest = Rest(whole);
  std::vector<uint64_t> resumed(60);
  for (uint64_t rank = 0; rank < 4; ++rank) {
    Sampler sampler = Must(Sampler::Open(dataset, {.rank = rank, .world_size = 4, .state = state}));
    const std::vector<uint64_t> ours = Rest(sampler);
    REQUIRE(ours.size() == 15);
    for (size_t i = 0; i < ours.size(); ++i) resumed[4 * i + rank] = ours[i];
  }
  CHECK(resumed == rest);
}

TEST_CASE("a state of other records and invalid options are refused") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  const Dataset other = OpenExamples(dir / "other.tfrecord", 99);
  const std::string state = Must(Sampler::Open(dataset)).State();
  const auto code = [](const auto& result) { return result ? ErrorCode() : result.error().code; };
  CHECK(code(Sampler::Open(other, {.state = state})) == ErrorCode::kStale);
  CHECK(code(Sampler::Open(dataset, {.selection = Selection::Range(0, 5), .state = state})) == ErrorCode::kStale);
  CHECK(code(Sampler::Open(dataset, {.state = "no state"})) == ErrorCode::kUsage);
  CHECK(code(Sampler::Open(dataset, {.rank = 2, .world_size = 2})) == ErrorCode::kUsage);
  CHECK(code(Sampler::Open(dataset, {.weights = "no such"})) == ErrorCode::kUsage);
  CHECK(code(Sampler::Open(dataset, {.block = 4, .weights = "id"})) == ErrorCode::kUsage);
}

TEST_CASE("copies of a sampler are independent, and a moved-from sampler can still be used") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  Sampler sampler = Must(Sampler::Open(dataset));
  std::array<uint64_t, 10> some;
  REQUIRE(sampler.Next(some) == 10);
  Sampler copy = sampler;
  const std::vector<uint64_t> rest = Rest(sampler);
  CHECK(copy.left() == 90);
  Sampler taken = std::move(copy);
  CHECK(Rest(taken) == rest);
  CHECK(copy.left() == 90);  // NOLINT(bugprone-use-after-move): tested here
  copy = taken;
  CHECK(copy.left() == 0);
}

TEST_CASE("a sampler can draw by weights, balance classes or read blocks") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  Sampler weighted = Must(Sampler::Open(dataset, {.weights = "id"}));
  const std::vector<uint64_t> drawn = Rest(weighted);
  CHECK(drawn.size() == 100);
  CHECK(std::find(drawn.begin(), drawn.end(), 0) == drawn.end());  // its weight is 0
  Sampler balanced = Must(Sampler::Open(dataset, {.selection = Selection::Range(0, 51), .balance = "word"}));
  CHECK(Rest(balanced).size() == 51);
  for (const uint64_t block : {uint64_t{0}, uint64_t{5}}) {
    Sampler blocks = Must(Sampler::Open(dataset, {.block = block}));
    CHECK(Sorted(Rest(blocks)) == Upto(100));
  }
}

}  // namespace
}  // namespace ofindex

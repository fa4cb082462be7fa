// The steps of runs, next to a run that is made step by step.

#include "query/sampling/steps/run_steps.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ofindex {
namespace {

using Chance = std::mt19937_64;

uint64_t Below(Chance& chance, uint64_t n) { return chance() % n; }

/// A run that is made step by step: the first position of each step, and the positions that rank 0 reads in it.
struct MadeRun {
  std::vector<RunPosition> begins;
  std::vector<RunPosition> firsts;  // the first positions that are read
  std::vector<uint64_t> batches;    // within their epochs
  std::vector<RunPosition> epoch_begins;

  MadeRun(uint64_t size, const std::vector<SkippedSteps>& skipped, const StepShape& shape, RunPosition begin,
          uint64_t epochs) {
    for (uint64_t epoch = begin.epoch; epoch < begin.epoch + epochs; ++epoch) {
      const RunPosition epoch_begin = epoch == begin.epoch ? begin : RunPosition{epoch, 0};
      std::vector<uint64_t> left;
      for (uint64_t p = epoch_begin.position; p < size; ++p) {
        const RunPosition here{epoch, p};
        const bool is_skipped = std::any_of(skipped.begin(), skipped.end(), [&](const SkippedSteps& one) {
          return one.begin <= here && here < one.end;
        });
        if (!is_skipped) left.push_back(p);
      }
      Cut(left, shape, epoch_begin);
    }
  }

 private:
  void Cut(const std::vector<uint64_t>& left, const StepShape& shape, RunPosition epoch_begin) {
    // The records of rank 0, which no rank exceeds.
    uint64_t records = left.size() / shape.world;
    if (shape.tail != Tail::kDrop && left.size() % shape.world != 0) ++records;
    uint64_t batch = 0;
    for (uint64_t from = 0; from < records; from += shape.batch, ++batch) {
      if (shape.drop_last && records - from < shape.batch) break;
      const uint64_t position = from == 0 ? epoch_begin.position : left[from * shape.world];
      begins.push_back({epoch_begin.epoch, position});
      firsts.push_back({epoch_begin.epoch, left[from * shape.world]});
      batches.push_back(batch);
      epoch_begins.push_back(epoch_begin);
    }
  }
};

struct RunOfTest {
  uint64_t size;
  StepShape shape;
  RunPosition begin;
  std::vector<SkippedSteps> skipped;

  explicit RunOfTest(Chance& chance)
      : size(Below(chance, 60)),
        shape{.world = 1 + Below(chance, 4),
              .tail = static_cast<Tail>(Below(chance, 3)),
              .batch = 1 + Below(chance, 9),
              .drop_last = Below(chance, 2) == 0},
        begin{Below(chance, 3), Below(chance, 2) * Below(chance, size + 1)} {
    for (uint64_t i = Below(chance, 4); i > 0; --i) {
      RunPosition from{Below(chance, 6), Below(chance, size + 1)};
      RunPosition to{Below(chance, 6), Below(chance, size + 1)};
      if (to < from) std::swap(from, to);
      skipped.push_back({0, 0, from, to});
    }
  }
};

std::string CheckRun(Chance& chance) {
  constexpr uint64_t kEpochs = 12;
  const RunOfTest test(chance);
  const uint64_t first = Below(chance, 2) * Below(chance, 1000);
  const RunSteps steps(test.size, test.skipped, test.shape, test.begin, first);
  const MadeRun made(test.size, test.skipped, test.shape, test.begin, kEpochs);
  for (size_t i = 0; i < made.begins.size(); ++i) {
    const auto place = steps.Find(first + i);
    if (!place) return "a step is not found: " + place.error().message;
    if (place->begin != made.epoch_begins[i] || place->batch != made.batches[i]) return "a step has another place";
    const auto begin = steps.BeginOf(first + i);
    if (!begin || *begin != made.begins[i]) return "a step begins elsewhere";
    if (steps.StepAt(*begin) != first + i) return "StepAt is not the inverse of BeginOf";
  }
  for (uint64_t epoch = test.begin.epoch; epoch < test.begin.epoch + kEpochs; ++epoch) {
    const uint64_t from = epoch == test.begin.epoch ? test.begin.position : 0;
    for (uint64_t position = from; position <= test.size; ++position) {
      const auto begun = std::lower_bound(made.firsts.begin(), made.firsts.end(), RunPosition{epoch, position});
      const auto number = static_cast<uint64_t>(begun - made.firsts.begin());
      if (steps.StepAt({epoch, position}) != first + number) return "StepAt counts other steps";
    }
  }
  const uint64_t after = steps.StepAt({test.begin.epoch + kEpochs, 0});
  if (after != first + made.begins.size()) return "the number of steps is wrong";
  if (first > 0 && steps.Find(first - 1)) return "a step before the first is found";
  if (made.begins.size() < 3) return {};

  // Without the skipped steps, all others are as they were.
  const uint64_t from = first + Below(chance, made.begins.size() - 1);
  const uint64_t to = from + Below(chance, first + made.begins.size() - from);
  const auto skip = steps.Skip(from, to);
  if (!skip) return "steps cannot be skipped: " + skip.error().message;
  std::vector<SkippedSteps> skipped = test.skipped;
  skipped.push_back(*skip);
  const MadeRun left(test.size, skipped, test.shape, test.begin, kEpochs);
  std::vector<RunPosition> expected = made.begins;
  expected.erase(expected.begin() + static_cast<ptrdiff_t>(from - first),
                 expected.begin() + static_cast<ptrdiff_t>(to - first));
  // Ranks begin an epoch at its first position, even if that is skipped.
  std::vector<RunPosition> begins = left.begins;
  const auto moved = [&](const RunPosition& one) { return skip->begin <= one && one < skip->end; };
  for (RunPosition& one : begins) {
    if (moved(one)) one = skip->end;
  }
  return begins == expected ? std::string() : "other steps are skipped";
}

TEST_CASE("steps have the places that they have in a run made step by step") {
  Chance chance(1);
  for (int i = 0; i < 5'000; ++i) {
    const std::string wrong = CheckRun(chance);
    REQUIRE_MESSAGE(wrong.empty(), "run ", i, ": ", wrong);
  }
}

TEST_CASE("steps of far epochs are found at once") {
  const RunSteps steps(1000, {{0, 0, {5, 0}, {1'000'000'000'000, 500}}}, {.world = 2, .batch = 7, .drop_last = true});
  // An epoch has 71 steps; five come before the skipped ones, and the half epoch after them has 35.
  const auto place = steps.Find(5 * 71 + 35 + 71 * 1'000'000 + 3);
  REQUIRE(place);
  CHECK(place->begin == RunPosition{1'000'000'000'001 + 1'000'000, 0});
  CHECK(place->batch == 3);
  CHECK(steps.StepAt(place->begin) == 5 * 71 + 35 + 71 * 1'000'000);
  CHECK(steps.StepAt({UINT64_MAX, 0}) == UINT64_MAX);
}

TEST_CASE("a run without steps has none") {
  for (const uint64_t size : {uint64_t{0}, uint64_t{5}}) {
    const RunSteps steps(size, {}, {.world = 2, .batch = 7, .drop_last = true});
    const auto place = steps.Find(0);
    REQUIRE(!place);
    CHECK(place.error().code == ErrorCode::kOutOfRange);
    CHECK(steps.StepAt({1000, 3}) == 0);
  }
}

}  // namespace
}  // namespace ofindex

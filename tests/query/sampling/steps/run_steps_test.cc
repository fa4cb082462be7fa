// The steps of runs, next to a run that is made step by step.

#include "query/sampling/steps/run_steps.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

using Chance = std::mt19937_64;

uint64_t Below(Chance& chance, uint64_t n) { return chance() % n; }

struct RunOfTest {
  uint64_t size;
  StepShape shape;
  RunBegin begin;
  std::vector<SkippedSteps> skipped;

  explicit RunOfTest(Chance& chance)
      : size(Below(chance, 60)),
        shape{.world = 1 + Below(chance, 4),
              .tail = static_cast<Tail>(Below(chance, 3)),
              .batch = 1 + Below(chance, 9),
              .drop_last = Below(chance, 2) == 0} {
    const uint64_t of_first = Below(chance, 60);
    if (Below(chance, 3) == 0) begin.epoch_size = of_first;
    begin.position = {Below(chance, 3), Below(chance, 2) * Below(chance, begin.epoch_size.value_or(size) + 1)};
    begin.step = Below(chance, 2) * Below(chance, 1000);
    for (uint64_t i = Below(chance, 4); i > 0; --i) {
      RunPosition from{Below(chance, 6), Below(chance, size + 1)};
      RunPosition to{Below(chance, 6), Below(chance, size + 1)};
      if (to < from) std::swap(from, to);
      skipped.push_back({{}, from, to});  // positions of a run with other steps
    }
  }

  [[nodiscard]] RunSteps Steps() const { return RunSteps(size, skipped, shape, begin); }
};

constexpr uint64_t kEpochs = 12;

/// A run that is made step by step: the first position of each step, and the positions that rank 0 reads in it.
struct MadeRun {
  std::vector<RunPosition> begins;
  std::vector<RunPosition> firsts;  // the first positions that are read
  std::vector<uint64_t> batches;    // within their epochs
  std::vector<RunPosition> epoch_begins;

  explicit MadeRun(const RunOfTest& test) {
    const RunPosition begin = test.begin.position;
    for (uint64_t epoch = begin.epoch; epoch < begin.epoch + kEpochs; ++epoch) {
      const RunPosition epoch_begin = epoch == begin.epoch ? begin : RunPosition{epoch, 0};
      const uint64_t size = epoch == begin.epoch ? test.begin.epoch_size.value_or(test.size) : test.size;
      std::vector<uint64_t> left;
      for (uint64_t p = epoch_begin.position; p < size; ++p) {
        const RunPosition here{epoch, p};
        const bool is_skipped = std::any_of(test.skipped.begin(), test.skipped.end(), [&](const SkippedSteps& one) {
          return one.begin <= here && here < one.end;
        });
        if (!is_skipped) left.push_back(p);
      }
      Cut(left, test.shape, epoch_begin);
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

/// Returns the numbers of the steps that are read, which leave gaps for the skipped ones.
std::vector<uint64_t> NumbersOf(const RunOfTest& test, const MadeRun& made) {
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < made.firsts.size(); ++i) {
    uint64_t number = test.begin.step + i;
    for (const SkippedSteps& one : test.skipped) {
      const auto before = std::lower_bound(made.firsts.begin(), made.firsts.end(), one.begin) - made.firsts.begin();
      const bool counts = one.begin >= test.begin.position && static_cast<size_t>(before) <= i;
      if (counts) number += one.steps.last - one.steps.first;
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::string CheckNumbers(const RunOfTest& test, const MadeRun& made) {
  const RunSteps steps = test.Steps();
  const std::vector<uint64_t> numbers = NumbersOf(test, made);
  for (size_t i = 0; i < made.begins.size(); ++i) {
    const auto place = steps.Find(numbers[i]);
    if (!place) return "a step is not found: " + place.error().message;
    if (!*place) return "a step that is read is said to be skipped";
    if ((*place)->begin != made.epoch_begins[i] || (*place)->batch != made.batches[i])
      return "a step has another place";
    const auto begin = steps.BeginOf(numbers[i]);
    if (!begin || *begin != made.begins[i]) return "a step begins elsewhere";
    if (steps.StepAt(*begin) != numbers[i]) return "StepAt is not the inverse of BeginOf";
    for (uint64_t gap = i == 0 ? test.begin.step : numbers[i - 1] + 1; gap < numbers[i]; ++gap) {
      const auto skipped = steps.Find(gap);
      if (!skipped || *skipped) return "a number between those that are read is not skipped";
      const auto next = steps.BeginOf(gap);
      if (!next || *next != *begin) return "a skipped step does not begin where the next one does";
    }
  }
  for (uint64_t epoch = test.begin.position.epoch; epoch < test.begin.position.epoch + kEpochs; ++epoch) {
    const bool first = epoch == test.begin.position.epoch;
    for (uint64_t position = first ? test.begin.position.position : 0; position <= test.size; ++position) {
      const auto begun = std::lower_bound(made.firsts.begin(), made.firsts.end(), RunPosition{epoch, position});
      const auto read = static_cast<size_t>(begun - made.firsts.begin());
      if (steps.ReadBefore({epoch, position}) != read) return "ReadBefore counts other steps";
    }
  }
  const uint64_t end = test.begin.position.epoch + kEpochs;
  if (steps.ReadBefore({end, 0}) != made.begins.size()) return "the number of steps is wrong";
  if (test.begin.step > 0 && steps.Find(test.begin.step - 1)) return "a step before the first is found";
  return {};
}

/// Skips some steps, and checks that they alone are gone: all others have the numbers and positions that they had.
std::string CheckSkip(Chance& chance, const RunOfTest& test, const MadeRun& made, int times) {
  if (times == 0) return {};
  const std::vector<uint64_t> numbers = NumbersOf(test, made);
  if (numbers.size() < 3) return {};
  std::vector<StepRange> wanted;
  for (uint64_t i = 1 + Below(chance, 3); i > 0; --i) {
    const uint64_t first = Below(chance, numbers.size() - 1);
    wanted.push_back({numbers[first], numbers[first + Below(chance, numbers.size() - first)]});
  }
  const auto is_wanted = [&](uint64_t number) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const StepRange& one) { return one.first <= number && number < one.last; });
  };
  const auto added = test.Steps().Skip(wanted);
  if (!added) return "steps cannot be skipped: " + added.error().message;
  RunOfTest skipping = test;
  skipping.skipped.insert(skipping.skipped.end(), added->begin(), added->end());
  const MadeRun left(skipping);
  const std::vector<uint64_t> left_numbers = NumbersOf(skipping, left);
  size_t kept = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (is_wanted(numbers[i])) continue;
    if (kept == left.firsts.size()) return "too much is skipped";
    if (left.firsts[kept] != made.firsts[i]) return "other steps are skipped";
    if (left_numbers[kept] != numbers[i]) return "a step has another number once others are skipped";
    ++kept;
  }
  if (kept != left.firsts.size()) return "too little is skipped";
  const auto again = skipping.Steps().Skip(wanted);
  if (!again || !again->empty()) return "skipping twice is not the same as once";
  const std::string wrong = CheckNumbers(skipping, left);
  return wrong.empty() ? CheckSkip(chance, skipping, left, times - 1) : wrong;
}

TEST_CASE("steps have the places that they have in a run made step by step, and keep their numbers") {
  Chance chance(1);
  for (int i = 0; i < 5'000 / kCaseStep; ++i) {
    const RunOfTest test(chance);
    const MadeRun made(test);
    std::string wrong = CheckNumbers(test, made);
    if (wrong.empty()) wrong = CheckSkip(chance, test, made, 3);
    REQUIRE_MESSAGE(wrong.empty(), "run ", i, ": ", wrong);
  }
}

TEST_CASE("steps of far epochs are found at once") {
  const std::vector<SkippedSteps> skipped = {{{}, {5, 0}, {1'000'000'000'000, 500}}};
  const RunSteps steps(1000, skipped, {.world = 2, .batch = 7, .drop_last = true});
  // An epoch has 71 steps; five come before the skipped ones, and the half epoch after them has 35.
  const auto place = steps.Find(5 * 71 + 35 + 71 * 1'000'000 + 3);
  REQUIRE(place);
  REQUIRE(*place);
  CHECK((*place)->begin == RunPosition{1'000'000'000'001 + 1'000'000, 0});
  CHECK((*place)->batch == 3);
  CHECK(steps.StepAt((*place)->begin) == 5 * 71 + 35 + 71 * 1'000'000);
  CHECK(steps.StepAt({UINT64_MAX, 0}) == UINT64_MAX);
}

TEST_CASE("a run without steps has none") {
  for (const uint64_t size : {uint64_t{0}, uint64_t{5}}) {
    const RunSteps steps(size, {}, {.world = 2, .batch = 7, .drop_last = true});
    const auto place = steps.Find(0);
    REQUIRE(!place);
    CHECK(place.error().code == ErrorCode::kOutOfRange);
    CHECK(steps.StepAt({1000, 3}) == 0);
    const auto skipped = steps.Skip({{0, 1}});
    REQUIRE(skipped);
    CHECK(skipped->empty());
  }
}

TEST_CASE("wanted steps are joined, cut to what is to come, and not skipped twice") {
  const std::vector<SkippedSteps> known = {{{20, 30}, {}, {}}, {{40, 50}, {}, {}}};
  struct WantedSteps {
    std::vector<StepRange> wanted;
    std::vector<StepRange> left;
  };
  const std::vector<WantedSteps> cases = {
      {{}, {}},         {{{5, 9}}, {}},   {{{5, 12}}, {{10, 12}}},  {{{14, 16}, {12, 14}, {15, 18}}, {{12, 18}}},
      {{{16, 16}}, {}}, {{{20, 30}}, {}}, {{{25, 45}}, {{30, 40}}}, {{{0, 60}}, {{10, 20}, {30, 40}, {50, 60}}},
  };
  for (const WantedSteps& one : cases) {
    const auto left = StepsToSkip(10, known, one.wanted);
    REQUIRE(left);
    CHECK(*left == one.left);
  }
  std::vector<StepRange> many;
  for (uint64_t i = 0; i < kMaxSkips - 1; ++i) many.push_back({100 + 2 * i, 101 + 2 * i});
  const auto left = StepsToSkip(10, known, many);
  REQUIRE(!left);
  CHECK(left.error().code == ErrorCode::kUsage);
}

TEST_CASE("numbers beyond 64 bits are the highest number") {
  const StepNumbers numbers(UINT64_MAX - 5, {{2, UINT64_MAX}, {4, UINT64_MAX}});
  CHECK(numbers.NumberOf(1) == UINT64_MAX - 4);
  CHECK(numbers.NumberOf(2) == UINT64_MAX);
  CHECK(numbers.NumberOf(UINT64_MAX) == UINT64_MAX);
  const auto step = numbers.Find(UINT64_MAX);
  REQUIRE(step);
  CHECK(step->skipped);
}

}  // namespace
}  // namespace ofindex

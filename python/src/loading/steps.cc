#include "python/src/loading/steps.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/text.h"
#include "python/src/interpreter/errors.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ofindex::python {
namespace {

using Two = std::tuple<uint64_t, uint64_t>;
using Three = std::tuple<uint64_t, uint64_t, uint64_t>;

SkippedNumbers NumbersOfSkip(const SkippedSteps& one) {
  return {one.steps.first, one.steps.last, one.begin.epoch, one.begin.position, one.end.epoch, one.end.position};
}

std::vector<StepRange> RangesOf(const std::vector<Two>& pairs) {
  std::vector<StepRange> ranges;
  for (const auto& [first, last] : pairs) ranges.push_back({first, last});
  return ranges;
}

void BindRunSteps(nb::module_& m) {
  nb::class_<RunSteps>(m, "RunSteps")
      .def(
          "__init__",
          [](RunSteps* self, uint64_t epoch_size, const std::vector<SkippedNumbers>& skipped, uint64_t world_size,
             const std::string& tail, uint64_t batch_size, bool drop_last, uint64_t step, uint64_t epoch,
             uint64_t position, uint64_t first_size) {
            const StepShape shape{
                .world = world_size, .tail = TailOf(tail), .batch = batch_size, .drop_last = drop_last};
            new (self) RunSteps(epoch_size, SkipsOf(skipped), shape, {step, {epoch, position}, first_size});
          },
          "epoch_size"_a, "skipped"_a, "world_size"_a, "tail"_a, "batch_size"_a, "drop_last"_a, "step"_a, "epoch"_a,
          "position"_a, "first_size"_a)
      .def(
          "find",
          [](const RunSteps& steps, uint64_t step) -> std::optional<Two> {
            const std::optional<RunSteps::Place> place = Unwrap(steps.Find(step));
            if (!place) return std::nullopt;
            return Two(place->begin.epoch, place->batch);
          },
          "step"_a)
      .def(
          "step_at",
          [](const RunSteps& steps, uint64_t epoch, uint64_t position) {
            return steps.StepAt({epoch, position});
          },
          "epoch"_a, "position"_a)
      .def(
          "read_before",
          [](const RunSteps& steps, uint64_t epoch) {
            return steps.ReadBefore({epoch, 0});
          },
          "epoch"_a)
      .def(
          "number_of", [](const RunSteps& steps, uint64_t read) { return steps.numbers().NumberOf(read); }, "read"_a)
      .def(
          "to_skip",
          [](const RunSteps& steps, const std::vector<Two>& wanted) {
            return SkipNumbersOf(Unwrap(steps.Skip(RangesOf(wanted))));
          },
          "wanted"_a);
}

void BindStepNumbers(nb::module_& m) {
  nb::class_<StepNumbers>(m, "StepNumbers")
      .def(
          "__init__",
          [](StepNumbers* self, uint64_t first, const std::vector<Two>& gaps) {
            std::vector<StepNumbers::Gap> all;
            for (const auto& [before, steps] : gaps) all.push_back({before, steps});
            new (self) StepNumbers(first, std::move(all));
          },
          "first"_a, "gaps"_a)
      .def_prop_ro("first", &StepNumbers::first)
      .def("number_of", &StepNumbers::NumberOf, "read"_a)
      .def(
          "find",
          [](const StepNumbers& numbers, uint64_t number) {
            const StepNumbers::Step step = Unwrap(numbers.Find(number));
            return std::make_tuple(step.read_before, step.skipped);
          },
          "number"_a);
  m.def(
      "steps_to_skip",
      [](uint64_t first, const std::vector<SkippedNumbers>& skipped, const std::vector<Two>& wanted) {
        std::vector<Two> left;
        for (const StepRange& one : Unwrap(StepsToSkip(first, SkipsOf(skipped), RangesOf(wanted)))) {
          left.emplace_back(one.first, one.last);
        }
        return left;
      },
      "first"_a, "skipped"_a, "wanted"_a);
}

void BindRankSteps(nb::module_& m) {
  nb::class_<RankSteps>(m, "RankSteps")
      .def(
          "__init__",
          [](RankSteps* self, uint64_t size, const std::vector<SkippedNumbers>& skipped, uint64_t epoch,
             uint64_t position, uint64_t world_size, const std::string& tail) {
            new (self) RankSteps(PositionsOf(SkipsOf(skipped), epoch, size), position, world_size, TailOf(tail));
          },
          "size"_a, "skipped"_a, "epoch"_a, "position"_a, "world_size"_a, "tail"_a)
      .def("steps_of", &RankSteps::StepsOf, "rank"_a)
      .def("position_after", &RankSteps::PositionAfter, "steps"_a)
      .def(
          "runs",
          [](const RankSteps& ranks, uint64_t rank, uint64_t first, uint64_t count) {
            std::vector<Three> runs;
            ranks.ForEachRun(rank, first, 1, count, [&](uint64_t position, uint64_t stride, uint64_t n) {
              runs.emplace_back(position, stride, n);
            });
            return runs;
          },
          "rank"_a, "first"_a, "count"_a)
      .def(
          "places_of",
          [](const RankSteps& ranks, uint64_t position) {
            std::vector<Two> places;
            for (const RankSteps::Place& place : ranks.PlacesOf(position)) places.emplace_back(place.rank, place.step);
            return places;
          },
          "position"_a)
      .def_prop_ro("skipped", [](const RankSteps& ranks) {
        std::vector<Two> skipped;
        for (const PositionRange& range : ranks.positions().skipped()) skipped.emplace_back(range.begin, range.end);
        return skipped;
      });
}

}  // namespace

Tail TailOf(const std::string& tail) {
  if (tail == "exact") return Tail::kExact;
  if (tail == "pad") return Tail::kPad;
  if (tail == "drop") return Tail::kDrop;
  Raise(ErrorCode::kUsage, StrCat("tail='", tail, "': expected 'exact', 'pad' or 'drop'"));
}

std::vector<SkippedSteps> SkipsOf(const std::vector<SkippedNumbers>& numbers) {
  if (numbers.size() > kMaxSkips) {
    Raise(ErrorCode::kUsage, StrCat("skip: ", numbers.size(), " ranges of steps; expected ", kMaxSkips, " or fewer"));
  }
  std::vector<SkippedSteps> skipped;
  for (const auto& [first, last, epoch, position, end_epoch, end_position] : numbers) {
    skipped.push_back({{first, last}, {epoch, position}, {end_epoch, end_position}});
  }
  return skipped;
}

std::vector<SkippedNumbers> SkipNumbersOf(const std::vector<SkippedSteps>& skipped) {
  std::vector<SkippedNumbers> numbers;
  for (const SkippedSteps& one : skipped) numbers.push_back(NumbersOfSkip(one));
  return numbers;
}

void BindSteps(nb::module_& m) {
  BindRunSteps(m);
  BindStepNumbers(m);
  BindRankSteps(m);
}

}  // namespace ofindex::python

// Random training runs, checked against the record that the algorithm gives for each global position: ranks, workers,
// tails, views, skips, kills, changes of the world size and appended records.

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "query/sampling/sampler.h"
#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

// Sanitizers take ten times as long, so fewer runs are made.
constexpr int kScenarios = kSanitized ? 5'000 : 100'000;

using RandomNumbers = std::mt19937_64;

uint64_t Roll(RandomNumbers& random, uint64_t below) { return random() % below; }

// Returns a number from `least` to `most`, usually a small one.
uint64_t Skewed(RandomNumbers& random, uint64_t least, uint64_t most) {
  return least + Roll(random, Roll(random, 8) == 0 ? most - least + 1 : std::min<uint64_t>(most - least + 1, 4));
}

GenerationRow GenerationOfRecords(int64_t number, uint64_t records) {
  return {number, records, StrCat("generation ", number, " of ", records)};
}

OrdinalSet SomeOf(RandomNumbers& random, uint64_t records) {
  OrdinalSet::Builder builder;
  const uint64_t share = 1 + Roll(random, 8);
  for (uint64_t i = 0; i < records; ++i) {
    if (Roll(random, 8) < share) builder.Add(i);
  }
  return builder.Take();
}

// Returns a view of all records, of a WHERE, of a WHERE within a WHERE, or a slice of one of these.
View SomeView(RandomNumbers& random, uint64_t records) {
  View view = View::Range(0, records);
  for (uint64_t wheres = Roll(random, 3); wheres > 0; --wheres) view = view.Where(SomeOf(random, records));
  if (Roll(random, 3) != 0) return view;
  const uint64_t begin = Roll(random, view.size() + 1);
  return view.Slice(begin, begin + Roll(random, view.size() - begin + 1));
}

/// Returns the value of `result`; the test ends if it is an error. REQUIRE would cost more than the rest.
template <typename T>
T Must(Result<T> result) {
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

SamplingMethod SomeWeights(RandomNumbers& random, uint64_t size) {
  std::vector<double> weights(size);
  for (double& weight : weights) weight = static_cast<double>(Roll(random, 5));
  weights[0] = 1;
  return WeightedSampling{std::make_shared<const AliasTable>(Must(AliasTable::Of(weights))), "some"};
}

SamplingMethod SomeClasses(RandomNumbers& random, uint64_t size) {
  std::vector<uint32_t> classes(size);
  for (uint32_t& number : classes) number = static_cast<uint32_t>(Roll(random, 7));
  const auto deliver = [&](const BalancedClasses::Take& take) -> Result<void> {
    take(classes);
    return {};
  };
  const double temperature = static_cast<double>(1 + Roll(random, 3));
  return BalancedSampling{Must(BalancedClasses::Make(7, temperature, deliver)), "some"};
}

SamplingMethod SomeMethod(RandomNumbers& random, uint64_t size) {
  switch (size == 0 ? 0 : Roll(random, 6)) {
    case 0:
    case 1: return GlobalShuffle{};
    case 2: return SomeWeights(random, size);
    case 3: return SomeClasses(random, size);
    default:
      return BlockShape{.run = 1 + Roll(random, 20), .lanes = 1 + Roll(random, 70), .window = 1 + Roll(random, 9)};
  }
}

bool DrawsWithReplacement(const SamplingMethod& method) {
  return !std::holds_alternative<GlobalShuffle>(method) && !std::holds_alternative<BlockShape>(method);
}

/// One run: the records of a dataset, and the record at each position of its epoch.
struct Run {
  GenerationRow generation;
  View view;
  SamplingMethod method;
  uint64_t seed;
  uint64_t epoch;
  std::vector<uint64_t> order;  // ordinals by position, queried one by one
  std::vector<SkippedSteps> skipped = {};
  std::vector<uint64_t> kept = {};  // positions that are not skipped

  explicit Run(RandomNumbers& random)
      : generation(GenerationOfRecords(1, Roll(random, 300))),
        view(SomeView(random, generation.records)),
        method(SomeMethod(random, view.size())),
        seed(Roll(random, 5)),
        epoch(Roll(random, 5)) {
    const auto epoch_order = OrderOf(method, view.size(), seed, epoch);
    order.resize(epoch_order->size());
    for (uint64_t p = 0; p < order.size(); ++p) {
      epoch_order->Fill(p, 1, std::span(order).subspan(p, 1));
      order[p] = view.At(order[p]);
    }
    SkipSome(random);
  }

  // Skips positions of this epoch, of earlier and of later ones.
  void SkipSome(RandomNumbers& random) {
    std::vector<bool> skips(order.size());
    for (uint64_t ranges = Roll(random, 2) * Roll(random, 4); ranges > 0; --ranges) {
      RunPosition begin{Roll(random, 6), Roll(random, order.size() + 1)};
      RunPosition end{begin.epoch + (Roll(random, 4) == 0 ? 1 : 0), Roll(random, order.size() + 1)};
      if (end < begin) std::swap(begin, end);
      skipped.push_back({{}, begin, end});
      for (uint64_t p = 0; p < order.size(); ++p) {
        if (begin <= RunPosition{epoch, p} && RunPosition{epoch, p} < end) skips[p] = true;
      }
    }
    for (uint64_t p = 0; p < order.size(); ++p) {
      if (!skips[p]) kept.push_back(p);
    }
  }

  // Returns the number of kept positions before `position`.
  [[nodiscard]] uint64_t KeptBefore(uint64_t position) const {
    return static_cast<uint64_t>(std::lower_bound(kept.begin(), kept.end(), position) - kept.begin());
  }

  [[nodiscard]] bool ReadsEachRecordOnce() const {
    if (DrawsWithReplacement(method)) return true;
    std::vector<uint64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.size() != view.size()) return false;
    for (uint64_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] != view.At(i)) return false;
    }
    return true;
  }

  // Resumes a sampler from a state, as a process would: over the records that the state's generation had.
  [[nodiscard]] Sampler Resume(const std::string& json, const std::vector<GenerationRow>& generations,
                               const View& view_now, const Slice& slice, Tail tail) const {
    const SamplerState state = Must(ParseSamplerState(json));
    const GenerationRow found = Must(GenerationOf(state, generations));
    Sampler sampler = Must(Sampler::Of(found, view_now.Below(found.records), method, state.seed, slice, tail));
    if (const auto same = CheckSameSample(state, sampler.State()); !same) FAIL(same.error().message);
    if (state.skipped != skipped) FAIL("the state has other skips");
    sampler.Skip(state.skipped);
    sampler.SetEpoch(state.epoch);
    sampler.SeekTo(state.position);
    return sampler;
  }
};

/// One phase of a run, in which all ranks read until they are killed or the epoch ends.
class Phase {
 public:
  Phase(const Run& run, RandomNumbers& random, uint64_t begin) : run_(run), random_(random), begin_(begin) {
    world_ = Skewed(random, 1, 64);
    workers_ = std::max<uint64_t>(Skewed(random, 0, 8), 1);
    tail_ = static_cast<Tail>(Roll(random, 3));
    before_ = run.KeptBefore(begin);
    left_ = run.kept.size() - before_;
    whole_steps_ = left_ / world_;
    all_steps_ = (left_ + world_ - 1) / world_;
    killed_ = Roll(random, 3) != 0;
    steps_ = killed_ ? Roll(random, whole_steps_ + 1) : all_steps_;
  }

  std::string Play(const std::string& state, const std::vector<GenerationRow>& generations, const View& view) {
    for (uint64_t rank = 0; rank < world_; ++rank) {
      for (uint64_t worker = 0; worker < workers_; ++worker) {
        Sampler sampler = run_.Resume(state, generations, view, {rank, world_, worker, workers_}, tail_);
        std::string wrong = Read(sampler, rank, worker);
        if (!wrong.empty()) return wrong;
      }
    }
    // A rank without workers gives the position of all ranks.
    Sampler sampler = run_.Resume(state, generations, view, {0, world_}, tail_);
    std::vector<uint64_t> read(killed_ ? steps_ : steps_ + 1);
    read.resize(sampler.Next(read));
    end_ = sampler.position();
    state_ = ToJson(sampler.State());
    if (killed_ && end_ != PositionAfter(steps_)) return "the position is not that of all ranks";
    if (!killed_ && tail_ != Tail::kDrop && end_ != run_.order.size()) return "the epoch did not end";
    return state_.size() < 1024 + 64 * run_.skipped.size() ? std::string() : "the state is too large";
  }

  [[nodiscard]] uint64_t end() const { return end_; }
  [[nodiscard]] const std::string& state() const { return state_; }
  [[nodiscard]] bool killed() const { return killed_; }

 private:
  // Returns the number of steps that a rank must make, according to the tail mode.
  [[nodiscard]] uint64_t StepsOf(uint64_t rank) const {
    if (killed_) return steps_;
    if (tail_ == Tail::kDrop) return whole_steps_;
    if (tail_ == Tail::kPad) return all_steps_;
    return left_ / world_ + (rank < left_ % world_ ? 1 : 0);
  }

  // Returns the position if each rank has read `records` records.
  [[nodiscard]] uint64_t PositionAfter(uint64_t records) const {
    if (records == 0) return begin_;
    const uint64_t read = before_ + std::min(records * world_, left_);
    return read == run_.kept.size() ? run_.order.size() : run_.kept[read];
  }

  std::string Read(Sampler& sampler, uint64_t rank, uint64_t worker) {
    std::vector<uint64_t> expected;
    for (uint64_t step = worker; step < StepsOf(rank); step += workers_) {
      expected.push_back(run_.order[run_.kept[(before_ + rank + step * world_) % run_.kept.size()]]);
    }
    std::vector<uint64_t> read;
    std::vector<uint64_t> piece;
    while (read.size() < expected.size()) {
      piece.resize(std::min<uint64_t>(1 + Roll(random_, 40), expected.size() - read.size()));
      piece.resize(sampler.Next(piece));
      if (piece.empty()) return "the epoch ended too soon";
      read.insert(read.end(), piece.begin(), piece.end());
    }
    if (read != expected) return "the records read are not those of their positions";
    piece.resize(1);
    if (killed_ && sampler.position() != PositionAfter(expected.size() * workers_)) return "the position is wrong";
    if (!killed_ && sampler.Next(piece) != 0) return "the epoch ended too late";
    if (!killed_ && sampler.position() != run_.order.size())
      return "the position of an ended reader is not the end of the epoch";
    return killed_ || Roll(random_, 4) != 0 ? std::string() : CheckPlaces(sampler);
  }

  // Compares the places of one record with those at which the ranks read it.
  std::string CheckPlaces(const Sampler& sampler) {
    if (run_.order.empty()) return {};
    const uint64_t index = Roll(random_, run_.view.size());
    std::vector<Sampler::Place> expected;
    for (uint64_t rank = 0; rank < world_; ++rank) {
      for (uint64_t step = 0; step < StepsOf(rank); ++step) {
        const uint64_t position = run_.kept[(before_ + rank + step * world_) % run_.kept.size()];
        if (run_.order[position] == run_.view.At(index)) expected.push_back({position, rank, step});
      }
    }
    std::vector<Sampler::Place> places = Must(sampler.PlacesOf(index));
    const auto less = [](const Sampler::Place& a, const Sampler::Place& b) {
      return std::tie(a.rank, a.step) < std::tie(b.rank, b.step);
    };
    std::sort(places.begin(), places.end(), less);
    return places == expected ? std::string() : "PlacesOf is wrong";
  }

  const Run& run_;
  RandomNumbers& random_;
  const uint64_t begin_;
  uint64_t before_;  // kept positions before it
  uint64_t left_;    // kept positions from there
  uint64_t world_;
  uint64_t workers_;
  Tail tail_;
  uint64_t whole_steps_;
  uint64_t all_steps_;
  bool killed_;
  uint64_t steps_;
  uint64_t end_ = 0;
  std::string state_;
};

std::string PlayScenario(uint64_t number) {
  RandomNumbers random(number);
  const Run run(random);
  if (!run.ReadsEachRecordOnce()) return "the order does not have each record once";
  Sampler begun = Must(Sampler::Of(run.generation, run.view, run.method, run.seed));
  begun.SetEpoch(run.epoch);
  begun.Skip(run.skipped);
  std::string state = ToJson(begun.State());
  std::vector<GenerationRow> generations = {run.generation};
  View view = run.view;
  for (uint64_t position = 0;;) {
    Phase phase(run, random, position);
    std::string wrong = phase.Play(state, generations, view);
    if (!wrong.empty()) return wrong;
    if (!phase.killed()) return {};
    position = phase.end();
    state = phase.state();
    if (Roll(random, 3) != 0) continue;
    // Records are appended, all of which match.
    const uint64_t before = generations.back().records;
    generations.push_back(GenerationOfRecords(generations.back().number + 1, before + 1 + Roll(random, 50)));
    OrdinalSet::Builder grown;
    for (uint64_t i = 0; i < view.size(); ++i) grown.Add(view.At(i));
    grown.AddRange(before, generations.back().records);
    view = View::Of(grown.Take());
  }
}

TEST_CASE("however often a run is resumed with other world sizes, each position is read once, by the right rank") {
  int wrong = 0;
  for (int i = 0; i < kScenarios && wrong < 5; ++i) {
    const std::string what = PlayScenario(static_cast<uint64_t>(i));
    if (what.empty()) continue;
    ++wrong;
    MESSAGE("scenario " << i << ": " << what);
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace ofindex

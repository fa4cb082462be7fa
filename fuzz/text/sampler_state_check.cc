#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/grown_dataset.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/text/text_checks.h"
#include "query/sampling/open_sampler.h"

namespace ofindex {
namespace {

// The records of an updated dataset, at most.
constexpr uint64_t kGrownRecords = SmallDataset::kRecords;

// Resumes an order of `stage` from `state`.
void ResumeOrder(SampleRequest request, const SamplerState& state, const GrownDataset::Stage& stage) {
  request.state = state;
  Result<Sampler> sampler = OpenSampler(stage.columns, stage.generations, request, {}, stage.history);
  if (!IsThere(sampler)) return;
  Expect(sampler->epoch() == state.epoch && sampler->seed() == state.seed, "another epoch or seed than the state's");
  Expect(sampler->position() == state.position || !state.skipped.empty(), "another position than the state's");
  std::vector<uint64_t> drawn(2 * kGrownRecords);
  drawn.resize(sampler->Next(drawn));
  for (const uint64_t ordinal : drawn) Expect(ordinal < kGrownRecords, "a record that does not exist");
  const SamplerState after = sampler->State();
  const Result<SamplerState> again = ParseSamplerState(ToJson(after));
  Expect(again.has_value() && *again == after, "the state of a sampler is read otherwise");
}

// Resumes an order from its own state, except for seed, epoch, position and skips, which are those of `state`: no
// mutation would meet the fingerprints. The state is that of one stage of the dataset, and resumed at another.
void ResumeOwn(SampleRequest request, const SamplerState& state) {
  const GrownDataset& dataset = GrownDataset::Get();
  const GrownDataset::Stage& from = dataset.stage(static_cast<uint64_t>(state.generation) % GrownDataset::kStages);
  const GrownDataset::Stage& to = dataset.stage(state.records % GrownDataset::kStages);
  const Result<Sampler> fresh = OpenSampler(from.columns, from.generations, request);
  Expect(fresh.has_value(), "an order cannot be opened: ", fresh ? "" : fresh.error().message);
  SamplerState own = fresh->State();
  own.seed = state.seed;
  own.epoch = state.epoch;
  own.position = state.position;
  own.skipped = state.skipped;
  ResumeOrder(request, own, to);
}

void ResumeFrom(const SamplerState& state) {
  const GrownDataset::Stage& stage = GrownDataset::Get().stage(1);
  for (const SampleRequest& request :
       {SampleRequest{}, SampleRequest{.where = "label > 2"}, SampleRequest{.weights = "_length"},
        SampleRequest{.balance = "label"}, SampleRequest{.block = BlockShape{}}}) {
    ResumeOrder(request, state, stage);
    ResumeOwn(request, state);
  }
  ResumeOrder(SampleRequest{.block = BlockOf(state), .force = true}, state, stage);
}

}  // namespace

void CheckSamplerState(ByteView text) {
  const Result<SamplerState> state = ParseSamplerState(std::string(AsText(text)));
  if (!IsThere(state)) return;
  const Result<SamplerState> again = ParseSamplerState(ToJson(*state));
  Expect(again.has_value() && *again == *state, "a state that was written is read otherwise");
  ResumeFrom(*state);
}

}  // namespace ofindex

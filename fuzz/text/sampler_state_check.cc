#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/text/text_checks.h"
#include "query/sampling/open_sampler.h"

namespace ofindex {
namespace {

// Resumes an order from `state`. If `of_dataset`, the state is that of this dataset and order, except for its seed,
// epoch, position and skips: no mutation would meet the fingerprints.
void ResumeOrder(SampleRequest request, SamplerState state, bool of_dataset) {
  const SmallDataset& dataset = SmallDataset::Get();
  static const auto catalog = dataset.open().snapshot()->Catalog().value();
  if (of_dataset) {
    const Result<Sampler> fresh = OpenSampler(dataset.columns(), catalog->generations(), request);
    Expect(fresh.has_value(), "an order cannot be opened");
    SamplerState own = fresh->State();
    own.seed = state.seed;
    own.epoch = state.epoch;
    own.position = state.position;
    own.skipped = state.skipped;
    state = own;
  }
  request.state = state;
  Result<Sampler> sampler = OpenSampler(dataset.columns(), catalog->generations(), request);
  if (!IsThere(sampler)) return;
  Expect(sampler->epoch() == state.epoch && sampler->seed() == state.seed, "another epoch or seed than the state's");
  Expect(sampler->position() == state.position || !state.skipped.empty(), "another position than the state's");
  std::vector<uint64_t> drawn(2 * SmallDataset::kRecords);
  drawn.resize(sampler->Next(drawn));
  for (const uint64_t ordinal : drawn) Expect(ordinal < SmallDataset::kRecords, "a record that does not exist");
  const SamplerState after = sampler->State();
  const Result<SamplerState> again = ParseSamplerState(ToJson(after));
  Expect(again.has_value() && *again == after, "the state of a sampler is read otherwise");
}

void ResumeFrom(const SamplerState& state) {
  for (const SampleRequest& request :
       {SampleRequest{}, SampleRequest{.weights = "_length"}, SampleRequest{.balance = "label"},
        SampleRequest{.block = BlockShape{}}, SampleRequest{.block = BlockOf(state), .force = true}}) {
    ResumeOrder(request, state, false);
    if (!request.force) ResumeOrder(request, state, true);
  }
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

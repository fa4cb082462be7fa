#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "fuzz/text/text_checks.h"
#include "query/sampling/open_sampler.h"

namespace ofindex {
namespace {

// The order of a state decides what is drawn, so each kind of order is asked for.
void ResumeFrom(const SamplerState& state) {
  const SmallDataset& dataset = SmallDataset::Get();
  const auto catalog = dataset.open().snapshot()->Catalog().value();
  for (SampleRequest request : {SampleRequest{}, SampleRequest{.weights = "_length"}, SampleRequest{.balance = "label"},
                                SampleRequest{.block = BlockOf(state)}}) {
    for (const bool force : {false, true}) {
      request.state = state;
      request.force = force;
      Result<Sampler> sampler = OpenSampler(dataset.columns(), catalog->generations(), request);
      if (!IsThere(sampler)) continue;
      Expect(sampler->epoch() == state.epoch && sampler->seed() == state.seed,
             "another epoch or seed than the state's");
      Expect(sampler->position() == state.position, "another position than the state's");
      std::vector<uint64_t> drawn(2 * SmallDataset::kRecords);
      drawn.resize(sampler->Next(drawn));
      for (const uint64_t ordinal : drawn) Expect(ordinal < SmallDataset::kRecords, "a record that does not exist");
      const SamplerState after = sampler->State();
      const Result<SamplerState> again = ParseSamplerState(ToJson(after));
      Expect(again.has_value() && *again == after, "the state of a sampler is read otherwise");
    }
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

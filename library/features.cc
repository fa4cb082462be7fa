#include "proto/features.h"

#include <ofindex/features.h>

#include "library/convert.h"
#include "library/internals.h"
#include "proto/feature_data.h"

namespace ofindex::v1 {

struct Features::State {
  std::vector<uint8_t> payload;
  DecodedRecord decoded;  // names and bytes are views of `payload`
  std::vector<Feature> all;
  std::vector<FeatureList> lists;

  [[nodiscard]] FeatureValues Values(FeatureValue value) const { return Public(FeatureData::Of(decoded, value)); }
};

Features::Features(std::shared_ptr<const State> state) : state_(std::move(state)) {}
Features::Features(const Features&) = default;
Features& Features::operator=(const Features&) = default;
Features::~Features() = default;

ofindex::Result<Features> Internals::Decode(ByteView payload, ofindex::PayloadKind kind) {
  const auto state = std::make_shared<Features::State>();
  state->payload.assign(payload.begin(), payload.end());
  OFINDEX_TRY(state->decoded.Decode(state->payload, kind));
  for (const ofindex::Feature& feature : state->decoded.features()) {
    state->all.push_back({AsText(feature.name), state->Values(feature.value)});
  }
  for (const ofindex::FeatureList& list : state->decoded.feature_lists()) {
    FeatureList& shown = state->lists.emplace_back(FeatureList{AsText(list.name), {}});
    for (const FeatureValue step : state->decoded.steps(list)) shown.steps.push_back(state->Values(step));
  }
  return Features(state);
}

Result<Features> Features::Decode(ByteView payload, PayloadKind kind) {
  return Attempt([&] { return Internals::Decode(payload, Engine(kind)); });
}

const std::vector<Feature>& Features::all() const { return state_->all; }
const std::vector<FeatureList>& Features::lists() const { return state_->lists; }

const FeatureValues* Features::Find(std::string_view name) const {
  const ofindex::Feature* const found = state_->decoded.Find(AsBytes(name));
  if (found == nullptr) return nullptr;
  return &state_->all[static_cast<size_t>(found - state_->decoded.features().data())].values;
}

}  // namespace ofindex::v1

#include "proto/extract/found_features.h"

namespace ofindex {

ExtractedFeature* FoundFeatures::FindPlace(uint32_t feature, bool of_list) {
  if (follows_) StopFollowing();
  if (feature >= states_.size()) MakeRoom(feature);
  State& state = states_[feature];
  if (state.record == record_) {
    if (state.of_list && !of_list) return nullptr;
    state.of_list = of_list;
    return &features_[state.place];
  }
  state = {.record = record_, .place = count_, .of_list = of_list};
  features_[count_].feature = feature;
  return &features_[count_++];
}

void FoundFeatures::StopFollowing() {
  follows_ = false;
  for (uint32_t place = 0; place < count_; ++place) {
    states_[features_[place].feature] = {.record = record_, .place = place, .of_list = false};
  }
}

void FoundFeatures::MakeRoom(uint32_t feature) {
  states_.resize(feature + size_t{1});
  features_.resize(states_.size());
}

void FoundFeatures::Remove(uint32_t feature) {
  if (follows_) StopFollowing();
  if (feature >= states_.size() || states_[feature].record != record_) return;
  states_[feature].record = 0;
  const uint32_t place = states_[feature].place;
  features_[place] = features_[--count_];
  if (place != count_) states_[features_[place].feature].place = place;
}

}  // namespace ofindex

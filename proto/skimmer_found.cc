#include "proto/skimmer_found.h"

namespace ofindex {

void FoundFeatures::MakeRoom(uint32_t feature) {
  states_.resize(feature + size_t{1});
  features_.resize(states_.size());
}

void FoundFeatures::Remove(uint32_t feature) {
  if (feature >= states_.size() || states_[feature].record != record_) return;
  states_[feature].record = 0;
  const uint32_t place = states_[feature].place;
  features_[place] = features_[--count_];
  if (place != count_) states_[features_[place].feature].place = place;
}

}  // namespace ofindex

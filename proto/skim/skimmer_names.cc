#include "proto/skim/skimmer_names.h"

#include <utility>

#include "base/checksum.h"
#include "proto/skim/skimmed.h"

namespace ofindex {

SkimmerNames::SkimmerNames(std::span<const std::string> whole) : others_(ByName{&names_}) {
  for (const std::string& name : whole) wanted_.emplace(name, kUnknown);
}

uint32_t SkimmerNames::Search(ByteView name, size_t position) {
  uint32_t& cached = cache_[Xxh3(name) % cache_.size()];
  if (!Is(cached, name)) {
    const uint32_t number = SearchTree(AsText(name));
    if (number >= kDropped) return number;
    cached = number;
  }
  const Expected found = {AsBytes(names_[cached]), cached};
  if (position < expected_.size()) {
    expected_[position] = found;
  } else if (position == expected_.size() && position < kMostFeatures) {
    expected_.push_back(found);
  }
  return cached;
}

bool SkimmerNames::Is(uint32_t number, ByteView name) const {
  return kept(number) && EqualBytes(AsBytes(names_[number]), name);
}

uint32_t SkimmerNames::SearchTree(std::string_view name) const {
  if (const auto wanted = wanted_.find(name); wanted != wanted_.end()) return wanted->second;
  if (bound_ && name >= *bound_) return kDropped;
  const auto other = others_.find(name);
  return other == others_.end() ? kUnknown : *other;
}

uint32_t SkimmerNames::Learn(ByteView name) {
  just_given_up_.clear();
  expected_.clear();
  const std::string_view text = AsText(name);
  const auto wanted = wanted_.find(text);
  const uint32_t number = NewNumber(text);
  if (wanted != wanted_.end()) {
    wanted->second = number;
    whole_[number] = 1;
    return number;
  }
  others_.insert(number);
  others_bytes_ += name.size();
  while (others_.size() > kMostFeatures || others_bytes_ > kMostNamesBytes) GiveUpLast();
  return kept_[number] != 0 ? number : kDropped;
}

uint32_t SkimmerNames::NewNumber(std::string_view name) {
  auto number = static_cast<uint32_t>(names_.size());
  if (free_.empty()) {
    names_.emplace_back(name);
    kept_.push_back(1);
    whole_.push_back(0);
    is_given_up_.push_back(0);
    return number;
  }
  number = free_.back();
  free_.pop_back();
  names_[number] = name;
  kept_[number] = 1;
  whole_[number] = 0;
  return number;
}

void SkimmerNames::GiveUpLast() {
  const auto last = std::prev(others_.end());
  const uint32_t number = *last;
  others_.erase(last);
  others_bytes_ -= names_[number].size();
  bound_ = std::exchange(names_[number], {});
  dropped_ = true;
  kept_[number] = 0;
  free_.push_back(number);
  just_given_up_.push_back(number);
  if (std::exchange(is_given_up_[number], uint8_t{1}) == 0) given_up_.push_back(number);
}

void SkimmerNames::ForgetGivenUp() {
  for (const uint32_t number : given_up_) is_given_up_[number] = 0;
  given_up_.clear();
}

void SkimmerNames::Forget() {
  others_.clear();
  names_.clear();
  kept_.clear();
  whole_.clear();
  free_.clear();
  given_up_.clear();
  is_given_up_.clear();
  expected_.clear();
  for (auto& [name, number] : wanted_) number = kUnknown;
  others_bytes_ = 0;
  bound_.reset();
  dropped_ = false;
}

}  // namespace ofindex

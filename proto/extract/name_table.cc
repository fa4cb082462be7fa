#include "proto/extract/name_table.h"

#include <utility>

#include "base/checksum.h"
#include "proto/extract/extracted_feature.h"

namespace ofindex {

NameTable::NameTable(std::span<const std::string> whole) : others_(ByName{&names_}) {
  for (const std::string& name : whole) pinned_.emplace(name, kUnknown);
}

uint32_t NameTable::Search(ByteView name, size_t position) {
  uint32_t& cached = cache_[Xxh3(name) % cache_.size()];
  if (!Is(cached, name)) {
    const uint32_t number = SearchTree(AsText(name));
    if (number >= kDropped) return number;
    cached = number;
  }
  const Expected found = {AsBytes(names_[cached]), cached};
  if (position < expected_.size()) {
    expected_[position] = found;
  } else if (position == expected_.size() && position < kMaxFeatures) {
    expected_.push_back(found);
  }
  return cached;
}

bool NameTable::Is(uint32_t number, ByteView name) const {
  return kept(number) && EqualBytes(AsBytes(names_[number]), name);
}

uint32_t NameTable::SearchTree(std::string_view name) const {
  if (const auto pinned = pinned_.find(name); pinned != pinned_.end()) return pinned->second;
  if (bound_ && name >= *bound_) return kDropped;
  const auto other = others_.find(name);
  return other == others_.end() ? kUnknown : *other;
}

uint32_t NameTable::Learn(ByteView name) {
  just_evicted_.clear();
  expected_.clear();
  const std::string_view text = AsText(name);
  const auto pinned = pinned_.find(text);
  const uint32_t number = NewNumber(text);
  if (pinned != pinned_.end()) {
    pinned->second = number;
    whole_[number] = 1;
    return number;
  }
  others_.insert(number);
  others_bytes_ += name.size();
  while (others_.size() > kMaxFeatures || others_bytes_ > kMaxNamesBytes) EvictLast();
  return kept_[number] != 0 ? number : kDropped;
}

uint32_t NameTable::NewNumber(std::string_view name) {
  auto number = static_cast<uint32_t>(names_.size());
  if (free_.empty()) {
    names_.emplace_back(name);
    kept_.push_back(1);
    whole_.push_back(0);
    is_evicted_.push_back(0);
    return number;
  }
  number = free_.back();
  free_.pop_back();
  names_[number] = name;
  kept_[number] = 1;
  whole_[number] = 0;
  return number;
}

void NameTable::EvictLast() {
  const auto last = std::prev(others_.end());
  const uint32_t number = *last;
  others_.erase(last);
  others_bytes_ -= names_[number].size();
  bound_ = std::exchange(names_[number], {});
  dropped_ = true;
  kept_[number] = 0;
  free_.push_back(number);
  just_evicted_.push_back(number);
  if (std::exchange(is_evicted_[number], uint8_t{1}) == 0) evicted_.push_back(number);
}

void NameTable::ClearEvicted() {
  for (const uint32_t number : evicted_) is_evicted_[number] = 0;
  evicted_.clear();
}

void NameTable::Forget() {
  others_.clear();
  names_.clear();
  kept_.clear();
  whole_.clear();
  free_.clear();
  evicted_.clear();
  is_evicted_.clear();
  expected_.clear();
  for (auto& [name, number] : pinned_) number = kUnknown;
  others_bytes_ = 0;
  bound_.reset();
  dropped_ = false;
}

}  // namespace ofindex

#include "query/tables/groups/grouped_scans.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {

// The names begin with a byte that hardly any feature's name has.
GroupedScans::GroupedScans(const std::vector<Column>& columns) : computed_prefix_("\x01") {
  constexpr size_t kMaxColumns = 2000;
  while (std::any_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.name.find(computed_prefix_) != std::string::npos; })) {
    computed_prefix_ += '\x01';
  }
  const size_t room = kMaxColumns - std::min(kMaxColumns, columns.size());
  for (size_t i = 0; i < std::min(kMaxComputed, room); ++i) computed_names_.push_back(StrCat(computed_prefix_, i));
}

void GroupedScans::Explain(bool plain) {
  mode_ = Mode::kExplain;
  plain_ = plain;
  offers_.clear();
  accepted_.clear();
}

bool GroupedScans::Deny(size_t number) {
  return denied_.insert(KeyOf(offers_[number].offer, offers_[number].plan)).second;
}

void GroupedScans::Prepare() {
  mode_ = Mode::kPrepare;
  seen_ = 0;
  same_ = true;
}

void GroupedScans::Clear() {
  scans_.clear();
  next_ = 0;
  denied_.clear();
  armed_ = {};
}

std::string GroupedScans::KeyOf(const GroupOffer& offer, const std::string& plan) {
  std::string key = StrCat(plan, offer.distinct ? " distinct" : " groups");
  for (const GroupRequest::Key& column : offer.keys) key += StrCat(column.descending ? " -" : " ", column.column);
  return key;
}

bool GroupedScans::MayPromise(const GroupOffer& offer, const std::string& plan) const {
  return mode_ != Mode::kSealed && !denied_.contains(KeyOf(offer, plan));
}

std::optional<uint64_t> GroupedScans::Take(const GroupOffer& offer, const std::string& plan) {
  if (mode_ == Mode::kSealed) return std::nullopt;
  if (mode_ == Mode::kExplain) {
    offers_.push_back({offer, plan});
    return offers_.size() - 1;
  }
  const size_t number = seen_++;
  same_ = same_ && number < offers_.size() && offers_[number] == Made{offer, plan};
  const auto accepted = accepted_.find(number);
  if (!same_ || accepted == accepted_.end()) return std::nullopt;
  scans_[next_] = accepted->second;
  return next_++;
}

const GroupedScan* GroupedScans::Find(uint64_t number) const {
  const auto found = scans_.find(number);
  return found == scans_.end() ? nullptr : &found->second;
}

}  // namespace ofindex

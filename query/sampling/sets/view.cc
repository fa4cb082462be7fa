#include "query/sampling/sets/view.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.h"

namespace ofindex {

View View::Range(uint64_t begin, uint64_t end) {
  if (begin >= end) return {};
  assert(end <= OrdinalSet::kEnd);
  return View(begin, end, nullptr);
}

View View::Of(OrdinalSet set) {
  const uint64_t size = set.size();
  if (size == 0) return {};
  const uint64_t first = set.Select(0);
  if (set.Select(size - 1) - first == size - 1) return Range(first, first + size);
  return View(0, size, std::make_shared<const OrdinalSet>(std::move(set)));
}

void View::Map(std::span<uint64_t> indices) const {
  for (uint64_t& index : indices) {
    assert(index < size());
    index += begin_;
  }
  if (set_) set_->SelectAll(indices);
}

std::optional<uint64_t> View::IndexOf(uint64_t ordinal) const {
  if (set_ && !set_->Contains(ordinal)) return std::nullopt;
  const uint64_t number = set_ ? set_->Rank(ordinal) : ordinal;
  if (number < begin_ || number >= end_) return std::nullopt;
  return number - begin_;
}

View View::Slice(uint64_t begin, uint64_t end) const {
  assert(begin <= end && end <= size());
  if (begin == end) return {};
  return View(begin_ + begin, begin_ + end, set_);
}

View View::Where(const OrdinalSet& selected) const {
  if (size() == 0) return {};
  OrdinalSet among = selected.Between(At(0), At(size() - 1) + 1);
  return Of(set_ ? set_->Intersect(among) : std::move(among));
}

View View::Between(uint64_t begin, uint64_t end) const {
  const uint64_t last = Below(end).size();
  return Slice(std::min(Below(begin).size(), last), last);
}

View View::Below(uint64_t end) const {
  const uint64_t number = set_ ? set_->Rank(end) : end;
  return Slice(0, std::clamp(number, begin_, end_) - begin_);
}

std::string View::Fingerprint() const {
  if (!set_) return ToHex(ByteView(OrdinalSet::Range(begin_, end_).Fingerprint()));
  const bool whole = size() == set_->size();
  return ToHex(ByteView(whole ? set_->Fingerprint() : set_->Slice(begin_, end_).Fingerprint()));
}

}  // namespace ofindex

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "proto/plain_entry.h"
#include "proto/skimmer_names.h"

namespace ofindex {

/// The head of a plain entry, up to its value, as the last record had it. Entries of one feature mostly have the same
/// tags, lengths and name, so that one comparison finds an entry sound and its feature known.
class EntryImprint {
 public:
  /// Takes the imprint of `entry`, which lies at `p` and is of `feature`; of none if its head is too long.
  void Press(const uint8_t* p, const PlainEntry& entry, uint32_t feature) {
    const auto size = static_cast<size_t>(entry.value.data() - p);
    size_ = entry.size;
    if (size > head_.size()) return void(head_size_ = 0);
    std::copy_n(p, size, head_.begin());
    head_size_ = static_cast<uint32_t>(size);
    kind_ = entry.kind;
    feature_ = feature;
  }

  /// Reads the entry at `p`, which lies before `end`, if its head is this one, and its value is as plain; all but its
  /// name.
  [[nodiscard]] bool Read(const uint8_t* p, const uint8_t* end, PlainEntry& entry) const {
    if (static_cast<uint64_t>(end - p) < size_ || head_size_ == 0) return false;
    if (!EqualBytes({head_.data(), head_size_}, {p, head_size_})) return false;
    const uint64_t value_size = size_ - head_size_;
    entry.kind = kind_;
    entry.value = {p + head_size_, static_cast<size_t>(value_size)};
    entry.size = size_;
    return kind_ == FeatureKind::kBytes || ReadPlainNumber(kind_, p + head_size_, value_size, entry.bits);
  }

  [[nodiscard]] uint32_t feature() const { return feature_; }

 private:
  std::array<uint8_t, 48> head_ = {};
  uint32_t head_size_ = 0;
  uint32_t size_ = 0;
  uint32_t feature_ = 0;
  FeatureKind kind_ = FeatureKind::kNone;
};

}  // namespace ofindex

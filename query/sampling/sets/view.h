#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {

/// Records of a dataset, numbered from 0 in ascending order: a range of ordinals, or a range of members of a set that
/// views share. A value type, cheap to copy and to slice. Immutable; may be read by any number of threads.
class View {
 public:
  View() = default;  ///< the empty view

  /// Returns [begin, end); `end` is at most OrdinalSet::kEnd. Empty if `end` is not above `begin`.
  [[nodiscard]] static View Range(uint64_t begin, uint64_t end);

  [[nodiscard]] static View Of(OrdinalSet set);

  [[nodiscard]] uint64_t size() const { return end_ - begin_; }

  /// Returns the ordinal of record `i`, which is less than size(). O(1) in a range, O(log pages) in a set.
  [[nodiscard]] uint64_t At(uint64_t i) const { return set_ ? set_->Select(begin_ + i) : begin_ + i; }

  /// Replaces each i in `indices` by At(i). Faster than single calls.
  void Map(std::span<uint64_t> indices) const;

  /// Returns the inverse: At(IndexOf(ordinal)) == ordinal; nullopt if the record is not in the view. Any
  /// number may be given as `ordinal`.
  [[nodiscard]] std::optional<uint64_t> IndexOf(uint64_t ordinal) const;

  /// Returns the records [begin, end) of the view; begin <= end <= size(). Shares the set.
  [[nodiscard]] View Slice(uint64_t begin, uint64_t end) const;

  /// Returns the records of the view that are also in `selected`.
  [[nodiscard]] View Where(const OrdinalSet& selected) const;

  /// Returns the part of the view with ordinals in [begin, end). Shares the set.
  [[nodiscard]] View Between(uint64_t begin, uint64_t end) const;

  /// Returns the part of the view with ordinals below `end`. Shares the set.
  [[nodiscard]] View Below(uint64_t end) const;

  /// Returns OrdinalSet::Fingerprint() of the set of the view's records: 32 hexadecimal digits, which do not depend on
  /// how the view was made. Takes as long as reading that set.
  [[nodiscard]] std::string Fingerprint() const;

 private:
  View(uint64_t begin, uint64_t end, std::shared_ptr<const OrdinalSet> set)
      : begin_(begin), end_(end), set_(std::move(set)) {}

  uint64_t begin_ = 0;  // ordinals, or member numbers in the set
  uint64_t end_ = 0;
  std::shared_ptr<const OrdinalSet> set_;
};

}  // namespace ofindex

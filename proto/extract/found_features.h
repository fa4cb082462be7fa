#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "proto/extract/extracted_feature.h"
#include "proto/features.h"

namespace ofindex {

/// The content of one record: its features, each once, and the values of those that are kept whole. Designed for reuse:
/// its arrays grow to the largest record and are kept.
///
/// The position of a feature is looked up by its number. If a record has the same features as the previous one in the
/// same order, as is nearly always the case, each keeps its position, and the lookup is skipped.
class FoundFeatures {
 public:
  void BeginRecord() {
    count_before_ = count_;
    follows_ = true;
    count_ = 0;
    ++record_;
    numbers.clear();
    ranges.clear();
    strings.clear();
  }

  /// Returns the entry of `feature` in this record; the content of the entry is unspecified. `of_list` is true for a
  /// feature list, which replaces a context feature of the same name. A context feature never replaces a list: if there
  /// is one, returns null.
  [[nodiscard]] ExtractedFeature* Place(uint32_t feature, bool of_list) {
    const bool follows = follows_ && !of_list && count_ < count_before_ && features_[count_].feature == feature;
    return follows ? &features_[count_++] : FindPlace(feature, of_list);
  }

  /// Removes `feature` if this record has it.
  void Remove(uint32_t feature);

  [[nodiscard]] std::span<const ExtractedFeature> features() const { return {features_.data(), count_}; }
  [[nodiscard]] std::span<ExtractedFeature> features() { return {features_.data(), count_}; }

  std::vector<uint64_t> numbers;     ///< of features that are kept whole
  std::vector<PayloadRange> ranges;  ///< of bytes features that are kept whole
  std::vector<ByteView> strings;     ///< strings[i] is the content of ranges[i], set once the record was read

 private:
  struct State {
    uint64_t record = 0;  ///< the last record that had the feature; 0 if none
    uint32_t place = 0;
    bool of_list = false;
  };

  [[nodiscard]] ExtractedFeature* FindPlace(uint32_t feature, bool of_list);
  void StopFollowing();
  void MakeRoom(uint32_t feature);

  std::vector<State> states_;               // by feature; out of date while follows_
  std::vector<ExtractedFeature> features_;  // same size; [0, count_) is in use
  uint32_t count_ = 0;
  uint32_t count_before_ = 0;  // of the previous record
  bool follows_ = true;        // features [0, count_) match the previous record, and none of them is a list
  uint64_t record_ = 0;
};

/// Returns the int64 for `varint` as a value of `kind`, which is int32 or int64.
[[nodiscard]] inline uint64_t IntegerBits(FeatureKind kind, uint64_t varint) {
  return kind == FeatureKind::kInt32 ? static_cast<uint64_t>(static_cast<int32_t>(varint)) : varint;
}

/// Adds a number to the summary in `values`. The caller sets its kind.
inline void AddNumber(uint64_t bits, ExtractedFeature& values) { values.bits = ++values.count == 1 ? bits : 0; }

inline void AddBytes(PayloadRange range, ExtractedFeature& values) {
  AddNumber(range.offset, values);
  values.size = values.count == 1 ? range.size : 0;
  if (range.size > values.largest) values.largest = range.size;
}

}  // namespace ofindex

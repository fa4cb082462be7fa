#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "proto/features.h"
#include "proto/skim/skimmed.h"

namespace ofindex {

/// Where a bytes value stands in the payload.
struct Stretch {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// What one record has: its features, each once, and the values of those that are kept whole. Made to be used for
/// record after record: its arrays grow to the largest record and stay.
///
/// Where a feature stands is looked up by its number. As long as a record has the features of the one before in the
/// same order, which is nearly always, each stands where it did, and the lookup is spared.
class FoundFeatures {
 public:
  void BeginRecord() {
    count_before_ = count_;
    follows_ = true;
    count_ = 0;
    ++record_;
    numbers.clear();
    stretches.clear();
    texts.clear();
  }

  /// The place of `feature` in this record, with anything in it. `of_list`: it is found as a feature list now, which
  /// nothing but another one replaces: null if there is one and this is none.
  [[nodiscard]] SkimmedFeature* Place(uint32_t feature, bool of_list) {
    const bool follows = follows_ && !of_list && count_ < count_before_ && features_[count_].feature == feature;
    return follows ? &features_[count_++] : FindPlace(feature, of_list);
  }

  /// Takes `feature` out, if this record has it.
  void Remove(uint32_t feature);

  [[nodiscard]] std::span<const SkimmedFeature> features() const { return {features_.data(), count_}; }
  [[nodiscard]] std::span<SkimmedFeature> features() { return {features_.data(), count_}; }

  std::vector<uint64_t> numbers;   ///< of features that are kept whole
  std::vector<Stretch> stretches;  ///< the same of bytes
  std::vector<ByteView> texts;     ///< texts[i] is what stretches[i] says, once the record was read

 private:
  struct State {
    uint64_t record = 0;  ///< the last one that had the feature; 0 is none
    uint32_t place = 0;
    bool of_list = false;
  };

  [[nodiscard]] SkimmedFeature* FindPlace(uint32_t feature, bool of_list);
  void StopFollowing();
  void MakeRoom(uint32_t feature);

  std::vector<State> states_;             // by feature; behind the times while this record follows the one before
  std::vector<SkimmedFeature> features_;  // as many; [0, count_) is in use
  uint32_t count_ = 0;
  uint32_t count_before_ = 0;  // of the record before
  bool follows_ = true;        // features [0, count_) are those of the record before, none of them a list
  uint64_t record_ = 0;
};

/// The int64 that `varint` is as a value of `kind`, which is int32 or int64.
[[nodiscard]] inline uint64_t IntegerBits(FeatureKind kind, uint64_t varint) {
  return kind == FeatureKind::kInt32 ? static_cast<uint64_t>(static_cast<int32_t>(varint)) : varint;
}

/// Adds a number to the values that `values` sums up. Its kind is the caller's.
inline void AddNumber(uint64_t bits, SkimmedFeature& values) { values.bits = ++values.count == 1 ? bits : 0; }

inline void AddBytes(Stretch stretch, SkimmedFeature& values) {
  AddNumber(stretch.offset, values);
  values.size = values.count == 1 ? stretch.size : 0;
  if (stretch.size > values.largest) values.largest = stretch.size;
}

}  // namespace ofindex

#pragma once

#include <array>
#include <cstdint>

#include "query/decoding/decoded_batch.h"
#include "query/decoding/feature_spec.h"
#include "query/decoding/feature_values.h"

namespace ofindex {

/// The array of one feature while it is filled, record by record: the one place that knows what a spec asks of the
/// values. Whoever reads the records, they are put in here. Numbers of which every record has as many go straight to
/// their final place, the others into an array of this column's own, in the order in which they are put.
class FeatureColumn {
 public:
  /// `spec` has to outlive it, and has its defaults spelled out: see BatchDecoder. `place` is where the numbers of
  /// record 0 of the request go; null if HasPlace(spec) is false.
  FeatureColumn(const FeatureSpec& spec, uint8_t* place);

  /// True if every record has as many numbers.
  [[nodiscard]] static bool HasPlace(const FeatureSpec& spec) {
    return spec.form != FeatureSpec::Form::kRagged && spec.type != DataType::kBytes;
  }

  /// Puts in what the next record has: it is number `record` of the request. After a fault, Rewind().
  [[nodiscard]] FeatureFault Put(const FeatureValues& values, uint64_t record);

  /// The same for a record that does not have the feature, or has it without a kind.
  [[nodiscard]] FeatureFault PutAbsent(uint64_t record);

  /// Goes back to the first `records` that were put in.
  void Rewind(uint64_t records);

  /// Makes room for `records` records with `bytes` bytes of values, if there is memory: it is a guess.
  void ReserveFor(uint64_t records, uint64_t bytes);

  [[nodiscard]] const FeatureSpec& spec() const { return *spec_; }

  /// What was put in; empty if it has a place.
  [[nodiscard]] FeatureArray& array() { return array_; }
  [[nodiscard]] const FeatureArray& array() const { return array_; }

  /// Which values the first `records` records have, as [0, value) of array().
  [[nodiscard]] uint64_t ValuesOf(uint64_t records) const {
    return array_.form == FeatureSpec::Form::kRagged ? static_cast<uint64_t>(array_.rows[records])
                                                     : records * spec_->values;
  }

  /// The bytes of array() that the first `values` values take.
  [[nodiscard]] uint64_t BytesOf(uint64_t values) const {
    return array_.type == DataType::kBytes ? static_cast<uint64_t>(array_.offsets[values]) : values * item_bytes_;
  }

 private:
  using CastNumbers = bool (*)(const uint8_t* from, uint64_t count, uint8_t* to);

  [[nodiscard]] FeatureFault PutFixed(const FeatureValues& values, uint64_t record);
  [[nodiscard]] FeatureFault PutRagged(const FeatureValues& values);
  [[nodiscard]] FeatureFault PutRaw(const FeatureValues& values, uint64_t record);
  [[nodiscard]] FeatureFault PutRawBytes(ByteView bytes, uint8_t* to);
  [[nodiscard]] FeatureFault CheckItems(uint64_t items) const;
  [[nodiscard]] FeatureFault AppendStrings(const ByteView* strings, uint64_t count);
  [[nodiscard]] bool Takes(FeatureKind kind) const { return (kinds_ >> static_cast<unsigned>(kind) & 1) != 0; }

  const FeatureSpec* spec_;
  uint8_t* place_;
  uint64_t item_bytes_;
  uint64_t record_bytes_;                  // of a record that has a place
  uint32_t kinds_;                         // a bit for each kind that becomes this type
  std::array<CastNumbers, 6> casts_ = {};  // by kind
  FeatureArray array_;
};

/// The kinds of values that become `type` in `form`: a bit for each.
[[nodiscard]] uint32_t KindsOf(FeatureSpec::Form form, DataType type);

}  // namespace ofindex

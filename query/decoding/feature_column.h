#pragma once

#include <array>
#include <cstdint>

#include "query/decoding/decoded_batch.h"
#include "query/decoding/feature_spec.h"
#include "query/decoding/feature_values.h"

namespace ofindex {

/// The array of one feature while it is filled, record by record. All checks of values against a spec are here, for all
/// readers of records. Numbers with a fixed count per record go straight to their final place. All other values are
/// appended to an array that the column owns.
class FeatureColumn {
 public:
  /// `spec`, with its defaults filled in (see BatchDecoder), must outlive this object. `place` is where the numbers of
  /// the first record go; null if HasPlace(spec) is false.
  FeatureColumn(const FeatureSpec& spec, uint8_t* place);

  /// Returns true if every record has the same number of numeric values.
  [[nodiscard]] static bool HasPlace(const FeatureSpec& spec) {
    return spec.form != FeatureSpec::Form::kRagged && spec.type != DataType::kBytes;
  }

  /// Appends the values of the next record, number `record` of the request. After a fault, call Rewind().
  [[nodiscard]] FeatureFault Put(const FeatureValues& values, uint64_t record);

  /// Appends a record without the feature, or with a feature without a kind.
  [[nodiscard]] FeatureFault PutAbsent(uint64_t record);

  /// Goes back to the first `records` records.
  void Rewind(uint64_t records);

  /// Reserves room for `records` records with `bytes` bytes of values, an estimate, if there is memory.
  void ReserveFor(uint64_t records, uint64_t bytes);

  [[nodiscard]] const FeatureSpec& spec() const { return *spec_; }

  /// The values put in; empty if the column has a place.
  [[nodiscard]] FeatureArray& array() { return array_; }
  [[nodiscard]] const FeatureArray& array() const { return array_; }

  /// Returns the number of values in array() that belong to the first `records` records.
  [[nodiscard]] uint64_t ValuesOf(uint64_t records) const {
    return array_.form == FeatureSpec::Form::kRagged ? static_cast<uint64_t>(array_.rows[records])
                                                     : records * spec_->values;
  }

  /// Returns the number of bytes of array() that hold the first `values` values.
  [[nodiscard]] uint64_t BytesOf(uint64_t values) const {
    return array_.type == DataType::kBytes ? static_cast<uint64_t>(array_.offsets[values]) : values * item_bytes_;
  }

 private:
  using CastNumbers = bool (*)(const uint8_t* from, uint64_t count, uint8_t* to);

  [[nodiscard]] FeatureFault PutFixed(const FeatureValues& values, uint64_t record);
  [[nodiscard]] FeatureFault PutRagged(const FeatureValues& values);
  [[nodiscard]] FeatureFault PutRaw(const FeatureValues& values, uint64_t record);
  [[nodiscard]] FeatureFault PutRawBytes(ByteView bytes, uint8_t* to);
  [[nodiscard]] FeatureFault PutMade(const FeatureValues& values, uint64_t record);
  [[nodiscard]] FeatureFault CheckItems(uint64_t items) const;
  [[nodiscard]] FeatureFault AppendStrings(const ByteView* strings, uint64_t count);
  [[nodiscard]] bool Takes(FeatureKind kind) const { return (kinds_ >> static_cast<unsigned>(kind) & 1) != 0; }

  const FeatureSpec* spec_;
  uint8_t* place_;
  uint64_t item_bytes_;
  uint64_t record_bytes_;                  // of a record, if the column has a place
  uint32_t kinds_;                         // a bit for each kind that becomes this type
  std::array<CastNumbers, 6> casts_ = {};  // by kind
  FeatureArray array_;
};

/// Returns the kinds of values that become `type` in `form`, a bit for each.
[[nodiscard]] uint32_t KindsOf(FeatureSpec::Form form, DataType type);

}  // namespace ofindex

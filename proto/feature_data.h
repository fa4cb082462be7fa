#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "proto/features.h"

namespace ofindex {

/// A view of the values of a feature, or of one step of a feature list, in an array in any storage. Cheap to create,
/// because one is created for every value written. kNone means that the feature has no kind and no values.
class FeatureData {
 public:
  FeatureData() = default;

  [[nodiscard]] static FeatureData Bytes(std::span<const ByteView> values) {
    return {FeatureKind::kBytes, values.data(), values.size()};
  }
  [[nodiscard]] static FeatureData Floats(std::span<const float> values) {
    return {FeatureKind::kFloat, values.data(), values.size()};
  }
  [[nodiscard]] static FeatureData Doubles(std::span<const double> values) {
    return {FeatureKind::kDouble, values.data(), values.size()};
  }
  [[nodiscard]] static FeatureData Int32s(std::span<const int64_t> values) {
    return {FeatureKind::kInt32, values.data(), values.size()};
  }
  [[nodiscard]] static FeatureData Int64s(std::span<const int64_t> values) {
    return {FeatureKind::kInt64, values.data(), values.size()};
  }

  /// Returns the values that `value` refers to in `record`. Valid as long as the record's content.
  [[nodiscard]] static FeatureData Of(const DecodedRecord& record, FeatureValue value) {
    switch (value.kind) {
      case FeatureKind::kNone: return {};
      case FeatureKind::kBytes: return Bytes(record.bytes(value));
      case FeatureKind::kFloat: return Floats(record.floats(value));
      case FeatureKind::kDouble: return Doubles(record.doubles(value));
      case FeatureKind::kInt32: return Int32s(record.integers(value));
      case FeatureKind::kInt64: return Int64s(record.integers(value));
    }
    return {};
  }

  [[nodiscard]] FeatureKind kind() const { return kind_; }
  [[nodiscard]] size_t count() const { return count_; }

  /// The values, by kind; integers are int32 or int64.
  [[nodiscard]] std::span<const ByteView> bytes() const { return As<ByteView>(kind_ == FeatureKind::kBytes); }
  [[nodiscard]] std::span<const float> floats() const { return As<float>(kind_ == FeatureKind::kFloat); }
  [[nodiscard]] std::span<const double> doubles() const { return As<double>(kind_ == FeatureKind::kDouble); }
  [[nodiscard]] std::span<const int64_t> integers() const {
    return As<int64_t>(kind_ == FeatureKind::kInt32 || kind_ == FeatureKind::kInt64);
  }

 private:
  FeatureData(FeatureKind kind, const void* values, size_t count) : kind_(kind), values_(values), count_(count) {}

  template <typename Value>
  [[nodiscard]] std::span<const Value> As([[maybe_unused]] bool of_kind) const {
    assert(of_kind);
    return {static_cast<const Value*>(values_), count_};
  }

  FeatureKind kind_ = FeatureKind::kNone;
  const void* values_ = nullptr;
  size_t count_ = 0;
};

}  // namespace ofindex

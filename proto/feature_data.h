#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "proto/features.h"

namespace ofindex {

/// The values of a feature, or of one step of a feature list, wherever they are kept: a view, of the one list that
/// `kind` names. Both kinds of integers stand in `integers`. kNone has no values, and writes a feature without a kind.
struct FeatureData {
  FeatureKind kind = FeatureKind::kNone;
  std::span<const ByteView> bytes = {};
  std::span<const float> floats = {};
  std::span<const double> doubles = {};
  std::span<const int64_t> integers = {};

  [[nodiscard]] static FeatureData Bytes(std::span<const ByteView> values) {
    return {.kind = FeatureKind::kBytes, .bytes = values};
  }
  [[nodiscard]] static FeatureData Floats(std::span<const float> values) {
    return {.kind = FeatureKind::kFloat, .floats = values};
  }
  [[nodiscard]] static FeatureData Doubles(std::span<const double> values) {
    return {.kind = FeatureKind::kDouble, .doubles = values};
  }
  [[nodiscard]] static FeatureData Int32s(std::span<const int64_t> values) {
    return {.kind = FeatureKind::kInt32, .integers = values};
  }
  [[nodiscard]] static FeatureData Int64s(std::span<const int64_t> values) {
    return {.kind = FeatureKind::kInt64, .integers = values};
  }

  /// What `value` names in `record`: valid as long as the record's content.
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

  [[nodiscard]] size_t count() const {
    switch (kind) {
      case FeatureKind::kNone: return 0;
      case FeatureKind::kBytes: return bytes.size();
      case FeatureKind::kFloat: return floats.size();
      case FeatureKind::kDouble: return doubles.size();
      default: return integers.size();
    }
  }
};

}  // namespace ofindex

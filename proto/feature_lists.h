#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "proto/feature_data.h"

namespace ofindex {

/// The values of one feature while they are collected, in the vector for their kind; the other vectors are empty. The
/// memory is reused for the next feature.
struct FeatureLists {
  std::vector<ByteView> bytes = {};
  std::vector<float> floats = {};
  std::vector<double> doubles = {};
  std::vector<int64_t> integers = {};  ///< int32 and int64

  [[nodiscard]] size_t count() const { return bytes.size() + floats.size() + doubles.size() + integers.size(); }

  /// Returns values [begin, end) of the list of `kind`. Valid until the list changes.
  [[nodiscard]] FeatureData Range(FeatureKind kind, size_t begin, size_t end) const {
    const size_t n = end - begin;
    switch (kind) {
      case FeatureKind::kNone: return {};
      case FeatureKind::kBytes: return FeatureData::Bytes(std::span(bytes).subspan(begin, n));
      case FeatureKind::kFloat: return FeatureData::Floats(std::span(floats).subspan(begin, n));
      case FeatureKind::kDouble: return FeatureData::Doubles(std::span(doubles).subspan(begin, n));
      case FeatureKind::kInt32: return FeatureData::Int32s(std::span(integers).subspan(begin, n));
      case FeatureKind::kInt64: return FeatureData::Int64s(std::span(integers).subspan(begin, n));
    }
    return {};
  }

  void Clear() {
    bytes.clear();
    floats.clear();
    doubles.clear();
    integers.clear();
  }
};

}  // namespace ofindex

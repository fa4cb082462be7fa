#pragma once

#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "proto/extract/extracted_feature.h"
#include "proto/extract/found_features.h"
#include "proto/features.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// Reads one Feature: its kind, the number of its values, and either the value, if there is exactly one, or all values.
/// Holds references to its arguments, which must outlive it.
template <typename Source>
class FeatureReader {
 public:
  using Reader = typename Source::Reader;
  using Bytes = typename Source::Bytes;

  FeatureReader(Source& source, PayloadKind payload, FoundFeatures& found)
      : source_(source), payload_(payload), found_(found) {}

  /// Adds the values of `feature` to `values`: values of the same kind are appended; a list of another kind replaces
  /// all values so far. Returns false if the feature is malformed or cannot be read.
  [[nodiscard]] bool Extract(Reader& feature, ExtractedFeature& values) { return ExtractKinds<false>(feature, values); }

  /// Does the same as Extract, and appends the values to the lists in `found`. The values of this feature begin at
  /// index `numbers` of found.numbers and at index `ranges` of found.ranges; they are removed if a list of another kind
  /// replaces them.
  [[nodiscard]] bool Keep(Reader& feature, ExtractedFeature& values, size_t numbers, size_t ranges) {
    first_number_ = numbers;
    first_range_ = ranges;
    return ExtractKinds<true>(feature, values);
  }

 private:
  template <bool kKeep>
  [[nodiscard]] bool ExtractKinds(Reader& feature, ExtractedFeature& values) {
    typename Source::Field field;
    while (feature.Next(&field)) {
      const FeatureKind kind = KindOfField(payload_, field.number);
      if (kind == FeatureKind::kNone || field.type != WireType::kBytes) continue;
      if (kind != values.kind) Reset<kKeep>(kind, values);
      Reader list = feature.Nested(field.bytes);
      if (!ExtractList<kKeep>(list, values)) return false;
    }
    return feature.ok();
  }

  template <bool kKeep>
  void Reset(FeatureKind kind, ExtractedFeature& values) {
    values = {.kind = kind};
    if constexpr (kKeep) {
      found_.numbers.resize(first_number_);
      found_.ranges.resize(first_range_);
    }
  }

  template <bool kKeep>
  [[nodiscard]] bool ExtractList(Reader& list, ExtractedFeature& values) {
    typename Source::Field field;
    while (list.Next(&field)) {
      if (field.number != 1) continue;
      if (field.type == ValueType(values.kind)) {
        Add<kKeep>(field, values);
      } else if (field.type == WireType::kBytes && !ExtractPacked<kKeep>(list, field.bytes, values)) {
        return false;
      }
    }
    return list.ok();
  }

  template <bool kKeep>
  void Add(const typename Source::Field& field, ExtractedFeature& values) {
    if (values.kind != FeatureKind::kBytes) return AddOne<kKeep>(IntegerBits(values.kind, field.value), values);
    const PayloadRange range = source_.Where(field.bytes);
    AddBytes(range, values);
    if constexpr (kKeep) found_.ranges.push_back(range);
  }

  template <bool kKeep>
  void AddOne(uint64_t bits, ExtractedFeature& values) {
    AddNumber(bits, values);
    if constexpr (kKeep) found_.numbers.push_back(bits);
  }

  template <bool kKeep>
  [[nodiscard]] bool ExtractPacked(Reader& list, Bytes chunk, ExtractedFeature& values) {
    if (values.kind == FeatureKind::kFloat) return ExtractPackedFixed<kKeep, uint32_t>(list, chunk, values);
    if (values.kind == FeatureKind::kDouble) return ExtractPackedFixed<kKeep, uint64_t>(list, chunk, values);
    if constexpr (!kKeep) {
      if (const uint64_t count = source_.CountQuickly(chunk); count > 1) return Count(count, values);
    }
    Reader packed = list.Packed(chunk);
    uint64_t varint = 0;
    while (packed.NextVarint(&varint)) AddOne<kKeep>(IntegerBits(values.kind, varint), values);
    return packed.ok();
  }

  /// Adds `count` values, more than one.
  static bool Count(uint64_t count, ExtractedFeature& values) {
    values.count += static_cast<uint32_t>(count);
    values.bits = 0;
    return true;
  }

  template <bool kKeep, typename T>
  [[nodiscard]] bool ExtractPackedFixed(Reader& list, Bytes chunk, ExtractedFeature& values) {
    if (chunk.size() % sizeof(T) != 0) return list.Reject(WireFault::kPackedSize, chunk);
    const uint64_t count = chunk.size() / sizeof(T);
    if (!kKeep && count > 1) return Count(count, values);
    for (uint64_t i = 0; i < count; ++i) {
      const uint8_t* value = source_.At(chunk.subspan(i * sizeof(T), sizeof(T)));
      if (value == nullptr) return false;
      T bits;
      std::memcpy(&bits, value, sizeof bits);
      AddOne<kKeep>(bits, values);
    }
    return true;
  }

  Source& source_;
  PayloadKind payload_;
  FoundFeatures& found_;
  size_t first_number_ = 0;
  size_t first_range_ = 0;
};

}  // namespace ofindex

#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// The kind of a feature's values. The values of the enum are the field numbers of OFRecord's kinds.
enum class FeatureKind : uint8_t {
  kNone = 0,  ///< a feature that is there, with no kind set: neither an absent feature nor an empty list
  kBytes = 1,
  kFloat = 2,
  kDouble = 3,
  kInt32 = 4,
  kInt64 = 5,
};

[[nodiscard]] constexpr std::string_view Name(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kNone: return "none";
    case FeatureKind::kBytes: return "bytes";
    case FeatureKind::kFloat: return "float";
    case FeatureKind::kDouble: return "double";
    case FeatureKind::kInt32: return "int32";
    case FeatureKind::kInt64: return "int64";
  }
  return "unknown";
}

/// The kind that field `number` of a Feature sets in payloads of `payload`; kNone if it is an unknown field there.
[[nodiscard]] constexpr FeatureKind KindOfField(PayloadKind payload, uint32_t number) {
  if (payload == PayloadKind::kOfRecord) return number <= 5 ? static_cast<FeatureKind>(number) : FeatureKind::kNone;
  if (number == 3) return FeatureKind::kInt64;
  return number <= 2 ? static_cast<FeatureKind>(number) : FeatureKind::kNone;
}

/// The field of a Feature that holds values of `kind` in payloads of `payload`: what KindOfField reads; 0 if there is
/// none, as for doubles in an Example.
[[nodiscard]] constexpr uint32_t FieldOfKind(PayloadKind payload, FeatureKind kind) {
  for (uint32_t number = 1; number <= 5; ++number) {
    if (kind != FeatureKind::kNone && KindOfField(payload, number) == kind) return number;
  }
  return 0;
}

/// How one value of a list of `kind` is written when it is not packed. Not defined for kNone.
[[nodiscard]] constexpr WireType ValueType(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kBytes: return WireType::kBytes;
    case FeatureKind::kFloat: return WireType::kFixed32;
    case FeatureKind::kDouble: return WireType::kFixed64;
    default: return WireType::kVarint;
  }
}

/// Where the values of a feature, or of one step of a feature list, stand: [first, first + count) of the array that the
/// DecodedRecord it comes from keeps for `kind`. An empty list has a kind and count 0.
struct FeatureValue {
  FeatureKind kind = FeatureKind::kNone;
  uint32_t first = 0;
  uint32_t count = 0;
};

struct Feature {
  ByteView name = {};  ///< any bytes: may be empty, and need not be UTF-8
  FeatureValue value = {};
};

/// A feature of many steps, each with a kind and a number of values of its own. Shown to users as `NAME[]`.
struct FeatureList {
  ByteView name = {};  ///< as written, without the brackets
  uint32_t first_step = 0;
  uint32_t step_count = 0;
};

/// The features of one record, decoded. Made to be used for one record after another: its arrays grow to the largest
/// record and stay. Names and bytes values are views of the payload that was decoded last, so they are valid as long as
/// both that payload and this object's content. Const members may be called from any number of threads.
class DecodedRecord {
 public:
  /// Replaces the content by that of `payload`, read as libprotobuf reads a message of `kind`: the last entry of a name
  /// wins whole, what is repeated inside one entry merges, another kind resets, unknown fields are skipped. A name that
  /// is not UTF-8 is accepted, which a proto3 parser would refuse. Takes memory in proportion to `payload`: at most 16
  /// bytes for one of the payload, and twice that while it grows. Empty after an error.
  ///
  /// Errors: kDamage  `payload` is no protobuf message; the text has byte and reason
  ///         kLimit   `payload` is longer than kMaxMessageBytes
  ///         kUsage   `kind` is kOpaque
  [[nodiscard]] Result<void> Decode(ByteView payload, PayloadKind kind);

  /// Forgets the content, and keeps the memory.
  void Clear();

  /// Features of an Example or OFRecord, context features of a SequenceExample: each name once, in byte order.
  [[nodiscard]] std::span<const Feature> features() const { return features_; }

  /// Feature lists of a SequenceExample, none in other payloads: each name once, in byte order.
  [[nodiscard]] std::span<const FeatureList> feature_lists() const { return lists_; }

  /// The one of features() that is called `name`; null if there is none. Valid until the content changes.
  [[nodiscard]] const Feature* Find(ByteView name) const;

  /// The steps of `list`, one of feature_lists(), in order.
  [[nodiscard]] std::span<const FeatureValue> steps(const FeatureList& list) const {
    return std::span(steps_).subspan(list.first_step, list.step_count);
  }

  /// The values of `value`, which is of this content and of the kind asked for; integers are int32 or int64.
  [[nodiscard]] std::span<const ByteView> bytes(FeatureValue value) const {
    assert(value.kind == FeatureKind::kBytes);
    return std::span(bytes_).subspan(value.first, value.count);
  }
  [[nodiscard]] std::span<const float> floats(FeatureValue value) const {
    assert(value.kind == FeatureKind::kFloat);
    return std::span(floats_).subspan(value.first, value.count);
  }
  [[nodiscard]] std::span<const double> doubles(FeatureValue value) const {
    assert(value.kind == FeatureKind::kDouble);
    return std::span(doubles_).subspan(value.first, value.count);
  }
  [[nodiscard]] std::span<const int64_t> integers(FeatureValue value) const {
    assert(value.kind == FeatureKind::kInt32 || value.kind == FeatureKind::kInt64);
    return std::span(integers_).subspan(value.first, value.count);
  }

 private:
  // Each reads its message to the end, and returns false if it is malformed. Readers go by reference: by value,
  // decoding a record of five small features took 1.4 times as long.
  [[nodiscard]] bool DecodePayload(WireReader& payload);
  [[nodiscard]] bool DecodeFeatures(WireReader& features);
  [[nodiscard]] bool DecodeFeatureEntry(WireReader& entry);
  [[nodiscard]] bool DecodeFeatureLists(WireReader& lists);
  [[nodiscard]] bool DecodeSteps(WireReader& list);
  [[nodiscard]] bool DecodeFeature(WireReader& feature, FeatureValue* value);
  [[nodiscard]] bool DecodeList(WireReader& list, FeatureKind kind);
  [[nodiscard]] bool DecodePacked(WireReader& list, ByteView chunk, FeatureKind kind);
  void Append(FeatureKind kind, const WireField& field);
  [[nodiscard]] uint32_t Size(FeatureKind kind) const;

  PayloadKind payload_kind_ = PayloadKind::kOpaque;
  std::vector<Feature> features_;
  std::vector<FeatureList> lists_;
  std::vector<FeatureValue> steps_;
  // Values in wire order. Those that lost, to a later entry of their name or to another kind, stay; nobody points at
  // them.
  std::vector<ByteView> bytes_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<int64_t> integers_;  // of both int32 and int64
};

}  // namespace ofindex

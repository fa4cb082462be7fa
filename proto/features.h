#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// The kind of a feature's values. The enum values are the field numbers of OFRecord's kinds.
enum class FeatureKind : uint8_t {
  kNone = 0,  ///< a feature that is present without a kind: neither an absent feature nor an empty list
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

/// Returns the bit of `kind` in a set of kinds.
[[nodiscard]] constexpr uint8_t BitOf(FeatureKind kind) {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(kind));
}
inline constexpr uint8_t kBytesKind = BitOf(FeatureKind::kBytes);
inline constexpr uint8_t kIntegerKinds = BitOf(FeatureKind::kInt32) | BitOf(FeatureKind::kInt64);
inline constexpr uint8_t kRealKinds = BitOf(FeatureKind::kFloat) | BitOf(FeatureKind::kDouble);

/// Returns the kind that field `number` of a Feature sets in payloads of kind `payload`; kNone for an unknown field.
[[nodiscard]] constexpr FeatureKind KindOfField(PayloadKind payload, uint32_t number) {
  if (payload == PayloadKind::kOfRecord) return number <= 5 ? static_cast<FeatureKind>(number) : FeatureKind::kNone;
  if (number == 3) return FeatureKind::kInt64;
  return number <= 2 ? static_cast<FeatureKind>(number) : FeatureKind::kNone;
}

/// Returns the number of the field of a Feature that holds values of `kind` in payloads of kind `payload`; 0 if there
/// is none, as for doubles in an Example. The inverse of KindOfField.
[[nodiscard]] constexpr uint32_t FieldOfKind(PayloadKind payload, FeatureKind kind) {
  for (uint32_t number = 1; number <= 5; ++number) {
    if (kind != FeatureKind::kNone && KindOfField(payload, number) == kind) return number;
  }
  return 0;
}

/// Returns the wire type of one unpacked value in a list of `kind`. Undefined for kNone.
[[nodiscard]] constexpr WireType ValueType(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kBytes: return WireType::kBytes;
    case FeatureKind::kFloat: return WireType::kFixed32;
    case FeatureKind::kDouble: return WireType::kFixed64;
    default: return WireType::kVarint;
  }
}

/// Returns the integer that `varint` encodes in a list of `kind`: protobuf drops the upper bits of an int32.
[[nodiscard]] constexpr int64_t IntegerOf(FeatureKind kind, uint64_t varint) {
  return kind == FeatureKind::kInt32 ? static_cast<int32_t>(varint) : static_cast<int64_t>(varint);
}

/// The location of the values of a feature, or of one step of a feature list: [first, first + count) of the array for
/// `kind` in its DecodedRecord, unless that is an outline. An empty list has a kind and count 0.
struct FeatureValue {
  FeatureKind kind = FeatureKind::kNone;
  uint32_t first = 0;
  uint32_t count = 0;
};

struct Feature {
  ByteView name = {};  ///< any bytes: may be empty, need not be UTF-8
  FeatureValue value = {};
};

/// A feature with steps, each with its own kind and number of values. Shown to users as `NAME[]`.
struct FeatureList {
  ByteView name = {};  ///< as written, without the brackets
  uint32_t first_step = 0;
  uint32_t step_count = 0;
};

/// The features of one record, decoded. Designed for reuse: its arrays grow to the largest record and are kept. Names
/// and bytes values are views of the payload decoded last, so they are valid until that payload is destroyed or this
/// object's content changes. Const members may be called from any number of threads.
class DecodedRecord {
 public:
  /// Replaces the content by that of `payload`, read as libprotobuf reads a message of `kind`: the last entry of a name
  /// replaces earlier entries entirely; inside one entry, lists of one kind are merged, and a list of another kind
  /// replaces them; unknown fields are skipped. A name that is not UTF-8 is accepted, although a proto3 parser would
  /// refuse it. Takes at most 16 bytes of memory per payload byte, and twice that while growing. Empty after an error.
  ///
  /// Errors: kDamage if `payload` is not a valid protobuf message (the text gives byte and reason); kLimit if `payload`
  /// is longer than kMaxMessageBytes; kUsage if `kind` is kOpaque.
  [[nodiscard]] Result<void> Decode(ByteView payload, PayloadKind kind);

  /// Does the same as Decode, but leaves the values in `payload`, so that memory is needed for names and steps alone.
  /// The values can then be read only with FeatureSlices: bytes(), floats(), doubles() and integers() must not be
  /// called. `payload` may be mapped bytes that another process changes meanwhile: names are copied, so whatever is
  /// there then, it only gives other values or fewer. Errors: those of Decode.
  [[nodiscard]] Result<void> DecodeOutline(ByteView payload, PayloadKind kind);

  /// Clears the content, but keeps the memory.
  void Clear();

  /// Features of an Example or OFRecord, or context features of a SequenceExample: each name once, in byte order.
  [[nodiscard]] std::span<const Feature> features() const { return features_; }

  /// Feature lists of a SequenceExample, each name once, in byte order; empty for other payloads.
  [[nodiscard]] std::span<const FeatureList> feature_lists() const { return lists_; }

  /// Returns the feature of features() named `name`; null if there is none. Valid until the content changes.
  [[nodiscard]] const Feature* Find(ByteView name) const;

  /// Returns the steps of `list`, which is one of feature_lists(), in order.
  [[nodiscard]] std::span<const FeatureValue> steps(const FeatureList& list) const {
    return std::span(steps_).subspan(list.first_step, list.step_count);
  }

  /// Return the values that `value` refers to. `value` must come from this content, and have the kind of the function;
  /// integers() is for int32 and int64.
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
  friend class FeatureSlices;

  [[nodiscard]] Result<void> DecodeAll(ByteView payload, PayloadKind kind);

  // Each of these functions reads its message to the end, and returns false if it is malformed. Readers are passed by
  // reference, because decoding a record of five small features took 1.4 times as long with readers passed by value.
  [[nodiscard]] bool DecodePayload(WireReader& payload);
  [[nodiscard]] bool DecodeFeatures(WireReader& features);
  [[nodiscard]] bool DecodeFeatureEntry(WireReader& entry);
  [[nodiscard]] bool DecodeFeatureLists(WireReader& lists);
  [[nodiscard]] bool DecodeSteps(WireReader& list);
  [[nodiscard]] bool DecodeFeature(WireReader& feature, FeatureValue* value);
  [[nodiscard]] bool DecodeList(WireReader& list, FeatureKind kind);
  [[nodiscard]] bool DecodePacked(WireReader& list, ByteView chunk, FeatureKind kind);
  [[nodiscard]] bool OutlineList(WireReader& list, FeatureKind kind, ByteView bytes, FeatureValue* value);
  [[nodiscard]] bool CountPacked(WireReader& list, ByteView chunk, FeatureKind kind, uint32_t* count) const;
  [[nodiscard]] ByteView Kept(ByteView name);
  void Append(FeatureKind kind, const WireField& field);
  [[nodiscard]] uint32_t Size(FeatureKind kind) const;

  PayloadKind payload_kind_ = PayloadKind::kOpaque;
  std::vector<Feature> features_;
  std::vector<FeatureList> lists_;
  std::vector<FeatureValue> steps_;
  // Values in wire order. Values that were replaced, by a later entry with the same name or by a list of another kind,
  // stay here unreferenced.
  std::vector<ByteView> bytes_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<int64_t> integers_;  // int32 and int64

  // An outline has no values: `first` of a FeatureValue is then the first of its lists.
  bool outline_ = false;
  std::vector<ByteView> value_lists_;  // messages of the payload, in wire order
  std::deque<std::string> names_;      // one after the other, in pieces that never move
};

}  // namespace ofindex

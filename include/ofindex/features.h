#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/bytes.h>
#include <ofindex/format.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

/// The values of a feature, or of one step of a feature list: a view of an array in any storage. Cheap to copy. A
/// default-constructed object is a feature without a kind, which has no values.
class FeatureValues {
 public:
  FeatureValues() = default;

  [[nodiscard]] static FeatureValues Bytes(std::span<const ByteView> values) {
    return {FeatureKind::kBytes, values.data(), values.size()};
  }
  [[nodiscard]] static FeatureValues Floats(std::span<const float> values) {
    return {FeatureKind::kFloat, values.data(), values.size()};
  }
  [[nodiscard]] static FeatureValues Doubles(std::span<const double> values) {
    return {FeatureKind::kDouble, values.data(), values.size()};
  }
  [[nodiscard]] static FeatureValues Int32s(std::span<const int64_t> values) {
    return {FeatureKind::kInt32, values.data(), values.size()};
  }
  [[nodiscard]] static FeatureValues Int64s(std::span<const int64_t> values) {
    return {FeatureKind::kInt64, values.data(), values.size()};
  }

  [[nodiscard]] FeatureKind kind() const { return kind_; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// Return the values, or an empty span if they are of another kind. Integers are int32 or int64.
  [[nodiscard]] std::span<const ByteView> bytes() const { return As<ByteView>(kind_ == FeatureKind::kBytes); }
  [[nodiscard]] std::span<const float> floats() const { return As<float>(kind_ == FeatureKind::kFloat); }
  [[nodiscard]] std::span<const double> doubles() const { return As<double>(kind_ == FeatureKind::kDouble); }
  [[nodiscard]] std::span<const int64_t> integers() const {
    return As<int64_t>(kind_ == FeatureKind::kInt32 || kind_ == FeatureKind::kInt64);
  }

 private:
  FeatureValues(FeatureKind kind, const void* values, size_t size) : kind_(kind), values_(values), size_(size) {}

  template <typename Value>
  [[nodiscard]] std::span<const Value> As(bool of_kind) const {
    if (!of_kind) return {};
    return {static_cast<const Value*>(values_), size_};
  }

  FeatureKind kind_ = FeatureKind::kNone;
  const void* values_ = nullptr;
  size_t size_ = 0;
};

/// A feature of one record.
struct Feature {
  std::string_view name;  ///< any bytes: may be empty, need not be UTF-8
  FeatureValues values;
};

/// A feature list of a SequenceExample: the values of each step.
struct FeatureList {
  std::string_view name;
  std::vector<FeatureValues> steps;
};

/// The features of one record, decoded as libprotobuf decodes them: the last entry of a name replaces earlier ones, and
/// unknown fields are skipped. Owns the bytes that its names and values refer to. A handle: copies share those bytes,
/// and a move is a copy. Immutable and thread-safe.
class OFINDEX_API Features {
 public:
  /// Decodes a copy of `payload`. Memory is proportional to the size of `payload`.
  /// Errors: kDamage if `payload` is not a valid message (the text gives the byte and the reason); kLimit if it is
  /// longer than protobuf allows, 2 GiB; kUsage if `kind` is kOpaque.
  [[nodiscard]] static Result<Features> Decode(ByteView payload, PayloadKind kind);

  Features(const Features&);
  Features& operator=(const Features&);
  ~Features();

  /// The features of an Example or OFRecord, or the context features of a SequenceExample: each name once, in byte
  /// order. Names and values stay valid as long as this object, or any copy of it, lives.
  [[nodiscard]] const std::vector<Feature>& all() const;

  /// The feature lists of a SequenceExample, each name once, in byte order; empty for other payloads.
  [[nodiscard]] const std::vector<FeatureList>& lists() const;

  /// Returns the values of the feature named `name` in all(); null if there is none.
  [[nodiscard]] const FeatureValues* Find(std::string_view name) const;

 private:
  friend struct Internals;
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit Features(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

}  // namespace ofindex::v1

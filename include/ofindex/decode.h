#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <ofindex/api.h>
#include <ofindex/bytes.h>
#include <ofindex/dataset.h>
#include <ofindex/result.h>

namespace ofindex::v1 {

/// The item types of a decoded array.
enum class DataType : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,   ///< IEEE 754 binary16, as its bits in a uint16_t
  kBfloat16,  ///< the upper half of a float, as a uint16_t
  kFloat32,
  kFloat64,
  kBytes,  ///< byte strings, of different lengths
};

/// The DataType of items of `T`.
template <typename T>
inline constexpr DataType kTypeOf = DataType::kBytes;
template <>
inline constexpr DataType kTypeOf<bool> = DataType::kBool;
template <>
inline constexpr DataType kTypeOf<int8_t> = DataType::kInt8;
template <>
inline constexpr DataType kTypeOf<int16_t> = DataType::kInt16;
template <>
inline constexpr DataType kTypeOf<int32_t> = DataType::kInt32;
template <>
inline constexpr DataType kTypeOf<int64_t> = DataType::kInt64;
template <>
inline constexpr DataType kTypeOf<uint8_t> = DataType::kUint8;
template <>
inline constexpr DataType kTypeOf<uint16_t> = DataType::kUint16;
template <>
inline constexpr DataType kTypeOf<uint32_t> = DataType::kUint32;
template <>
inline constexpr DataType kTypeOf<uint64_t> = DataType::kUint64;
template <>
inline constexpr DataType kTypeOf<float> = DataType::kFloat32;
template <>
inline constexpr DataType kTypeOf<double> = DataType::kFloat64;

/// How the values of one feature become an array. The forms are those of tf.io.parse_example and of OneFlow's raw
/// decoder.
struct FeatureSpec {
  enum class Form : uint8_t {
    kFixed,   ///< `values` values in every record
    kRagged,  ///< any number of values; none if the feature is absent
    kRaw,     ///< `values` items: the single byte string of a bytes feature reinterpreted, or numbers cast
  };

  std::string name;  ///< exact bytes; "NAME[]" is a feature list of a SequenceExample: the values of all its steps
  DataType type = DataType::kInt64;
  Form form = Form::kFixed;
  uint64_t values = 1;  ///< for kFixed and kRaw: number of items per record, the product of the shape; may be 0

  /// For kFixed: the default that replaces every value if a record lacks the feature. An integer (0 or 1 for kBool), a
  /// real, which is rounded, or, for kBytes, a string, as `type` requires. If there is no default, such a record is an
  /// error.
  std::variant<std::monostate, int64_t, double, std::string> fill = {};

  bool truncate = false;  ///< for kRaw: cut items beyond `values` instead of failing
  bool pad = false;       ///< for kRaw: fill missing items with 0 instead of failing
};

/// One feature of the records of a batch: a view, valid as long as a copy of the FeatureBatch lives.
struct FeatureColumn {
  DataType type = DataType::kInt64;
  FeatureSpec::Form form = FeatureSpec::Form::kFixed;
  uint64_t count = 0;  ///< values of all records
  ByteView data = {};  ///< for numbers, `count` items, aligned to 64 bytes; for bytes, all strings concatenated
  /// For bytes, `count` + 1: string i is [offsets[i], offsets[i + 1]) of `data`. Otherwise empty.
  std::span<const int64_t> offsets = {};
  /// For kRagged, one more than records: the values of record i are [rows[i], rows[i + 1]). Otherwise empty.
  std::span<const int64_t> rows = {};

  /// Returns the values as items of `T`; empty if that is not their type. Halves are uint16_t.
  template <typename T>
  [[nodiscard]] std::span<const T> As() const {
    static_assert(kTypeOf<T> != DataType::kBytes, "no column has items of this type");
    const bool half = type == DataType::kFloat16 || type == DataType::kBfloat16;
    if (type != kTypeOf<T> && !(half && kTypeOf<T> == DataType::kUint16)) return {};
    return {reinterpret_cast<const T*>(data.data()), count};
  }

  /// Returns byte string `i` of a column of bytes; `i` is less than `count`.
  [[nodiscard]] ByteView Bytes(uint64_t i) const {
    const auto begin = static_cast<uint64_t>(offsets[i]);
    return data.subspan(begin, static_cast<uint64_t>(offsets[i + 1]) - begin);
  }
};

/// The features of records that were requested together. A handle: copies share the arrays, and a move is a copy.
/// Immutable and thread-safe.
class OFINDEX_API FeatureBatch {
 public:
  FeatureBatch();  ///< no records and no columns
  FeatureBatch(const FeatureBatch&);
  FeatureBatch& operator=(const FeatureBatch&);
  ~FeatureBatch();

  [[nodiscard]] uint64_t records() const;

  /// One column for each spec, in the order of the specs.
  [[nodiscard]] const std::vector<FeatureColumn>& columns() const;

 private:
  friend class FeatureDecoder;
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit FeatureBatch(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// Decodes features of records into arrays. A handle: copies share the cached state that speeds up the next batch, and
/// a move is a copy. Immutable and thread-safe; usable after fork.
///
/// Integer features can become any integer type, bool if all values are 0 or 1, or a real type that holds them exactly.
/// Float and double features can become any real type, rounded to the nearest value, but not to infinity. Bytes
/// features become byte strings. A value that does not fit the type is an error and never wraps.
class OFINDEX_API FeatureDecoder {
 public:
  /// Errors: kUsage if two specs have the same name, if a kRaw spec has type kBytes, or if a `fill` does not fit its
  /// spec.
  [[nodiscard]] static Result<FeatureDecoder> Create(const std::vector<FeatureSpec>& specs);

  FeatureDecoder(const FeatureDecoder&);
  FeatureDecoder& operator=(const FeatureDecoder&);
  ~FeatureDecoder();

  /// Decodes the records `ordinals` of `dataset`, in that order; repeats are allowed. Uses up to `threads` threads if
  /// there are enough records for them; the result does not depend on their number.
  ///
  /// Errors: kFeature if a feature is not as specified, or if the payload is opaque (the text names the record);
  /// kDamage if the payload is malformed; those of Dataset::Read.
  [[nodiscard]] Result<FeatureBatch> Decode(const Dataset& dataset, std::span<const uint64_t> ordinals,
                                            unsigned threads = 1) const;

 private:
  struct OFINDEX_INTERNAL State;
  OFINDEX_INTERNAL explicit FeatureDecoder(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace ofindex::v1

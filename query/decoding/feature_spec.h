#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// What the items of a decoded array are. The order is that of the table in feature_spec.cc.
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
  kFloat32,
  kFloat64,
  kBytes,  ///< byte strings, each of its own length
};

/// Bytes of one item; 0 of kBytes.
[[nodiscard]] size_t ItemBytes(DataType type);

/// numpy's name of `type`, and "bytes".
[[nodiscard]] std::string_view Name(DataType type);

[[nodiscard]] std::optional<DataType> ParseDataType(std::string_view name);

/// How one feature of every record becomes a part of an array. The forms are those of tf.io.parse_example, and of
/// OneFlow's raw decoder.
struct FeatureSpec {
  enum class Form : uint8_t {
    kFixed,   ///< `values` values in every record; `fill` where the feature is absent
    kRagged,  ///< any number of values; none where the feature is absent
    kRaw,  ///< `values` items: the one byte string of a bytes feature taken apart, or the numbers of another one cast
  };

  std::string name;  ///< exact bytes; of a SequenceExample "NAME[]" is a feature list: the values of all its steps
  Form form = Form::kFixed;
  DataType type = DataType::kInt64;
  uint64_t values = 1;  ///< of kFixed and kRaw, in every record: the product of the shape; may be 0

  /// Of kFixed, numbers: one item, or as many as `values`, as they stand in the array.
  std::optional<std::vector<uint8_t>> fill = {};
  /// Of kFixed, bytes: one string, or as many as `values`.
  std::optional<std::vector<std::string>> fill_bytes = {};

  bool truncate = false;  ///< of kRaw: what is beyond `values` items is cut off, and no error
  bool pad = false;       ///< of kRaw: what lacks to `values` items is 0, and no error
};

}  // namespace ofindex

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// Makes the items of a record's array from one byte string, as an image decoder does. Thread-safe.
class BytesDecoder {
 public:
  virtual ~BytesDecoder() = default;

  /// Writes the items to `to`, which has room for bytes(). Fails in the same way each time.
  /// Errors: their messages follow "feature 'NAME': "; a hint is added if they have none.
  [[nodiscard]] virtual Result<void> Decode(ByteView bytes, uint8_t* to) const = 0;

  /// Returns how many bytes Decode writes.
  [[nodiscard]] virtual uint64_t bytes() const = 0;
};

/// The item types of a decoded array, in the order of the table in feature_spec.cc.
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
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kBytes,  ///< byte strings, of different lengths
};

/// Returns the bytes of one item; 0 for kBytes.
[[nodiscard]] size_t ItemBytes(DataType type);

/// Returns numpy's name of `type`, or "bytes".
[[nodiscard]] std::string_view Name(DataType type);

[[nodiscard]] std::optional<DataType> ParseDataType(std::string_view name);

/// The request for one feature: how its values in each record become part of an array. The forms are those of
/// tf.io.parse_example, and of OneFlow's raw decoder.
struct FeatureSpec {
  enum class Form : uint8_t {
    kFixed,   ///< `values` values in every record; `fill` if the feature is absent
    kRagged,  ///< any number of values; none if the feature is absent
    kRaw,     ///< `values` items: a bytes feature's single byte string reinterpreted, or other numbers cast
    kMade,    ///< `values` items that `decoder` makes from a bytes feature's single byte string
  };

  std::string name;  ///< exact bytes; in a SequenceExample "NAME[]" is a feature list: the values of all its steps
  Form form = Form::kFixed;
  DataType type = DataType::kInt64;
  uint64_t values = 1;  ///< except for kRagged, in every record: the product of the shape; may be 0

  /// For kFixed numbers: one item or `values` items, in the array's representation.
  std::optional<std::vector<uint8_t>> fill = {};
  /// For kFixed bytes: one string, or `values` strings.
  std::optional<std::vector<std::string>> fill_bytes = {};

  bool truncate = false;  ///< for kRaw: cut items beyond `values` instead of failing
  bool pad = false;       ///< for kRaw: fill missing items with 0 instead of failing

  std::shared_ptr<const BytesDecoder> decoder = nullptr;  ///< for kMade
};

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "proto/features.h"

namespace ofindex {

/// The types of a source's values: those of NiFi's records, which Avro and SQL share. docs/record_formats.md has the
/// table of what becomes of each.
enum class SourceType : uint8_t {
  kBoolean,
  kByte,
  kChar,
  kShort,
  kInt,
  kLong,
  kBigint,  // whole numbers
  kFloat,
  kDouble,
  kDecimal,  // numbers
  kString,
  kBytes,
  kEnum,       // bytes
  kByteArray,  // all whole numbers of one list: a string of bytes
  kDate,
  kTime,
  kTimestamp,  // whole numbers that may be written as text
  kChoice,     // what the value itself is
};

/// The name that a schema has for `type`.
[[nodiscard]] std::string_view Name(SourceType type);

/// The kind of a feature of `type` in payloads of `payload`. Not of kChoice, whose values have kinds of their own.
[[nodiscard]] FeatureKind KindOf(SourceType type, PayloadKind payload);

/// One feature to be written.
struct PackFeature {
  std::string name;
  std::optional<SourceType> type = {};  ///< nothing: no row has a value, and the feature no kind
  bool steps = false;                   ///< a list of lists: a feature list, where the message has those
};

/// What is written of a source's rows, and how.
struct PackSchema {
  std::vector<PackFeature> features;
  std::vector<PackFeature> maps;  ///< of every name that begins with `name` and a dot

  /// From JSON: {"label": "int", "box": {"x": "float"}, "tags": "array<string>", "counts": "map<long>"}.
  /// Errors: kFormat, with what is wrong and where.
  [[nodiscard]] static Result<PackSchema> Parse(std::string_view json);
};

}  // namespace ofindex

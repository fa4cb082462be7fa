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

/// The types of a source's values, as in NiFi's records; Avro and SQL share them. The table in docs/record_formats.md
/// lists the kind of each.
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
  kByteArray,  // all whole numbers of one list: a byte string
  kDate,
  kTime,
  kTimestamp,  // whole numbers that may be written as text
  kChoice,     // typed by the value itself
};

/// Returns the name of `type` in a schema.
[[nodiscard]] std::string_view Name(SourceType type);

/// Returns the kind of a feature of `type` in payloads of `payload`. Not defined for kChoice, whose kind depends
/// on the value.
[[nodiscard]] FeatureKind KindOf(SourceType type, PayloadKind payload);

/// One feature to be written.
struct PackFeature {
  std::string name;
  std::optional<SourceType> type = {};  ///< nothing: no row has a value, so the feature has no kind
  bool steps = false;                   ///< a list of lists: a feature list, if the message supports it
};

/// Which features of a source's rows are written, and how.
struct PackSchema {
  std::vector<PackFeature> features;
  std::vector<PackFeature> maps;  ///< apply to every name that begins with `name` and a dot

  /// Parses JSON: {"label": "int", "box": {"x": "float"}, "tags": "array<string>", "counts": "map<long>"}. Errors:
  /// kFormat, with what is wrong and where; those of CheckFeatureName.
  [[nodiscard]] static Result<PackSchema> Parse(std::string_view json);
};

/// Checks that `name` is one that a build takes for the name of a feature: text without control characters, not empty.
/// A record with any other name would be an opaque payload, without columns. `what` has the name: "column 2". Errors:
/// kFormat.
[[nodiscard]] Result<void> CheckFeatureName(std::string_view name, std::string_view what);

}  // namespace ofindex

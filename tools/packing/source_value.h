#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ofindex {

/// One value as read from a source, before it is converted.
struct SourceValue {
  enum class Type : uint8_t { kNull, kBoolean, kInteger, kReal, kText, kBytes };

  Type type = Type::kNull;
  int64_t integer = 0;  ///< also for kBoolean: 0 or 1
  double real = 0;
  std::string_view text = {};  ///< for kText and kBytes; valid until the next row is parsed
};

[[nodiscard]] constexpr std::string_view Name(SourceValue::Type type) {
  switch (type) {
    case SourceValue::Type::kNull: return "null";
    case SourceValue::Type::kBoolean: return "boolean";
    case SourceValue::Type::kInteger: return "integer";
    case SourceValue::Type::kReal: return "number";
    case SourceValue::Type::kText: return "text";
    case SourceValue::Type::kBytes: return "bytes";
  }
  return "unknown";
}

/// Receives the content of a row, flat: members of nested records under dotted names, list elements one by one.
class RowVisitor {
 public:
  virtual ~RowVisitor() = default;

  /// Begins a list under `name`, nested inside `depth` others. Its elements, if any, follow as values.
  [[nodiscard]] virtual Result<void> List(std::string_view name, int depth) = 0;

  /// Receives a value under `name`, inside `depth` lists.
  [[nodiscard]] virtual Result<void> Value(std::string_view name, const SourceValue& value, int depth) = 0;
};

/// Which names a row may have.
enum class RowNames : uint8_t {
  kFeatures,  ///< those that CheckFeatureName() allows
  kAny,
};

/// Parses rows of one format. One parser is used for many rows; not thread-safe.
class RowParser {
 public:
  virtual ~RowParser() = default;

  /// Passes the content of `row` to `visitor`. The 64 bytes after `row` must be readable; their content does not
  /// matter. Errors: kFormat if `row` is malformed; those of the visitor.
  [[nodiscard]] virtual Result<void> Parse(std::string_view row, RowVisitor& visitor) = 0;
};

}  // namespace ofindex

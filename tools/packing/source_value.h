#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ofindex {

/// One value as a source has it, before it is known what becomes of it.
struct SourceValue {
  enum class Type : uint8_t { kNull, kBoolean, kInteger, kReal, kText, kBytes };

  Type type = Type::kNull;
  int64_t integer = 0;  ///< of kBoolean, too: 0 or 1
  double real = 0;
  std::string_view text = {};  ///< of kText and kBytes; valid until the next row is parsed
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

/// Is shown what a row holds, flat: members of nested records under dotted names, elements of lists one by one.
class RowVisitor {
 public:
  virtual ~RowVisitor() = default;

  /// A list begins under `name`, inside `depth` others. Its elements, if any, follow as values.
  [[nodiscard]] virtual Result<void> List(std::string_view name, int depth) = 0;

  /// A value under `name`, inside `depth` lists.
  [[nodiscard]] virtual Result<void> Value(std::string_view name, const SourceValue& value, int depth) = 0;
};

/// Takes rows of one format apart. Made to be used for one row after another; not thread-safe.
class RowParser {
 public:
  virtual ~RowParser() = default;

  /// Shows what `row` holds to `visitor`. 64 bytes behind `row` can be read, whatever they are. Errors: kFormat  it is
  /// no row of the format; those of the visitor.
  [[nodiscard]] virtual Result<void> Parse(std::string_view row, RowVisitor& visitor) = 0;
};

}  // namespace ofindex

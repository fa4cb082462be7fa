#pragma once

#include <cstdint>
#include <string>

#include "index/chunks/chunk.h"
#include "index/columns/column.h"

namespace ofindex {

/// Compares two values as SQLite does, without affinity: NULL, then numbers by value, then TEXT and then BLOB by their
/// bytes. Integers and reals compare exactly. No value is a NaN, which SQL does not have. Returns less than, equal to
/// or greater than 0.
[[nodiscard]] int CompareValues(const Chunk::Value& a, const Chunk::Value& b);

/// Returns a view of `value`, valid as long as `value`.
[[nodiscard]] inline Chunk::Value ViewOf(const ColumnValue& value) {
  return {.type = value.type, .integer = value.integer, .real = value.real, .bytes = AsBytes(value.bytes)};
}

/// Returns a copy of `value` that owns its bytes.
[[nodiscard]] inline ColumnValue Owned(const Chunk::Value& value) {
  return {.type = value.type, .integer = value.integer, .real = value.real, .bytes = std::string(AsText(value.bytes))};
}

[[nodiscard]] inline int CompareValues(const ColumnValue& a, const ColumnValue& b) {
  return CompareValues(ViewOf(a), ViewOf(b));
}

[[nodiscard]] inline bool IsNumber(ColumnValue::Type type) {
  return type == ColumnValue::Type::kInteger || type == ColumnValue::Type::kReal;
}

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "index/columns/column.h"

namespace ofindex {

// Values of every type, as SQL has them.

inline ColumnValue SqlInt(int64_t value) { return {.type = ColumnValue::Type::kInteger, .integer = value}; }
inline ColumnValue SqlReal(double value) { return {.type = ColumnValue::Type::kReal, .real = value}; }
inline ColumnValue SqlText(std::string text) { return {.type = ColumnValue::Type::kText, .bytes = std::move(text)}; }
inline ColumnValue SqlBlob(std::string bytes) { return {.type = ColumnValue::Type::kBlob, .bytes = std::move(bytes)}; }

}  // namespace ofindex

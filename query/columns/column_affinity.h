#pragma once

#include <cstdint>
#include <string_view>

#include "query/columns/column_store.h"

namespace ofindex {

/// The affinity of a column, by which SQLite converts the other side of a comparison if that side has no affinity
/// (sqlite.org/datatype3.html, 4.2): numeric text to its number, or numbers to text.
enum class Affinity : uint8_t { kNone, kNumeric, kText };

/// The declared type of a column of floats alone. For SQLite it is REAL; writers of results show such values as floats.
inline constexpr std::string_view kFloatType = "FLOAT";

/// Returns the declared type of `column`: INTEGER, kFloatType, REAL, NUMERIC for integers and reals, or TEXT for bytes
/// and lists. Empty if its
/// values are numbers and bytes: each is then compared without conversion.
[[nodiscard]] std::string_view DeclaredType(const ColumnStore& store, const Column& column);

/// Returns the affinity that SQLite gives to a column of that type.
[[nodiscard]] Affinity AffinityOf(const ColumnStore& store, const Column& column);

/// Returns true if SQLite may compare `text` as a number under numeric affinity; sometimes also for other text.
[[nodiscard]] bool MayBeNumber(std::string_view text);

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <string_view>

#include "query/columns/column_store.h"

namespace ofindex {

/// The affinity of a column, by which SQLite converts the other side of a comparison if that side has none of its own
/// (sqlite.org/datatype3.html, 4.2): text that is a number to that number, or numbers to text.
enum class Affinity : uint8_t { kNone, kNumeric, kText };

/// The type that `column` is declared with: INTEGER, REAL, NUMERIC for both, or TEXT for bytes and lists. Empty if its
/// values are numbers and bytes: each is then compared as what it is.
[[nodiscard]] std::string_view DeclaredType(const ColumnStore& store, const Column& column);

/// The affinity that SQLite gives to a column of that type.
[[nodiscard]] Affinity AffinityOf(const ColumnStore& store, const Column& column);

/// Returns true if SQLite may compare `text` as a number under numeric affinity. May be true for text that it does not.
[[nodiscard]] bool MayBeNumber(std::string_view text);

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <string_view>

#include "query/column_store.h"

namespace ofindex {

/// What a comparison with a column converts the other side to before it compares, if that side has no affinity of its
/// own (sqlite.org/datatype3.html, 4.2): text that is a number to that number, or numbers to text.
enum class Affinity : uint8_t { kNone, kNumeric, kText };

/// The type that `column` is declared with: INTEGER, REAL, NUMERIC for both, or TEXT for bytes and lists. Empty if its
/// values are numbers and bytes: each is then compared as what it is.
[[nodiscard]] std::string_view DeclaredType(const ColumnStore& store, const Column& column);

/// The affinity that SQLite gives to a column of that type.
[[nodiscard]] Affinity AffinityOf(const ColumnStore& store, const Column& column);

/// True if SQLite may compare `text` as a number, where affinity asks for one. Some that it does not are let through.
[[nodiscard]] bool MayBeNumber(std::string_view text);

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/chunks/chunk.h"
#include "query/columns/value_order.h"
#include "tools/shell/json.h"

namespace ofindex {

/// Returns an SQL value as JSON: null, a number, a string, or {"base64": ...}.
[[nodiscard]] Json JsonOfValue(const Chunk::Value& value);

/// Returns a field as in RFC 4180. An empty text is quoted to distinguish it from NULL, which is an empty field. As CSV
/// is often read in a terminal, characters that Printable() escapes are written as \xNN, except for tabs and newlines.
[[nodiscard]] std::string CsvField(std::string_view exact);

/// Returns a part of such a field, between the quotes. `exact` must not begin or end in the middle of a character.
[[nodiscard]] std::string CsvPart(std::string_view exact);

[[nodiscard]] std::string CsvOfValue(const Chunk::Value& value);

/// Returns `names`, of which later ones that are equal to earlier ones get the suffixes _2, _3 and so on.
[[nodiscard]] std::vector<std::string> DistinctNames(const std::vector<std::string>& names);

/// Returns the shortest text that identifies a real, which is the same on every system.
[[nodiscard]] std::string RealText(double real);

/// No limit on the columns of a shown text.
inline constexpr size_t kUncut = SIZE_MAX / 8;

/// Returns `text` for people: control characters are shown as \xNN, and the text is cut to `limit` columns, at least 8.
[[nodiscard]] std::string ShownText(std::string_view text, size_t limit);
[[nodiscard]] std::string ShownValue(const Chunk::Value& value, size_t limit);

}  // namespace ofindex

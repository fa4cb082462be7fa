#pragma once

#include <string>
#include <string_view>

#include "index/chunks/chunk.h"
#include "query/columns/value_order.h"
#include "tools/shell/json.h"

namespace ofindex {

/// An SQL value as JSON: null, a number, a string, or {"base64": ...}.
[[nodiscard]] Json JsonOfValue(const Chunk::Value& value);

/// A field of RFC 4180. An empty text has quotes, so that it is not taken for NULL, which is nothing at all. A CSV is
/// often read in a terminal: what Printable() escapes is \xNN, except for tabs and the ends of lines.
[[nodiscard]] std::string CsvField(std::string_view exact);
[[nodiscard]] std::string CsvOfValue(const Chunk::Value& value);

/// A real as it is written everywhere: as many digits as tell it from its neighbours.
[[nodiscard]] std::string RealText(double real);

/// For people: what would move a cursor is shown as \xNN, and what is longer than `most` characters is cut.
[[nodiscard]] std::string ShownText(std::string_view text, size_t most);
[[nodiscard]] std::string ShownValue(const Chunk::Value& value, size_t most);

/// Places that `text`, which is UTF-8, takes on a terminal: one a character.
[[nodiscard]] size_t ShownWidth(std::string_view text);

}  // namespace ofindex

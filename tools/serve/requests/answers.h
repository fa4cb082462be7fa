#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "tools/http/exchange.h"
#include "tools/shell/json.h"

namespace ofindex {

/// Returns the answer that is `document`.
[[nodiscard]] Response JsonAnswer(const Json& document);

/// Returns the answer {"error": {"message", "hint"}} with the status of the error's code.
[[nodiscard]] Response ErrorAnswer(const Error& error);

/// Returns the HTTP status of an error. An interrupted question is 409: a newer one of the same page has ended it.
[[nodiscard]] int StatusOf(ErrorCode code);

/// Return numbers as JSON: as a string if JavaScript could not represent the integer exactly.
[[nodiscard]] Json JsonInteger(int64_t value);
[[nodiscard]] Json JsonCount(uint64_t value);

/// Returns a value of a column: null, a number, a string, or {"base64": ...}. Long values are cut to `max_bytes`.
[[nodiscard]] Json JsonCell(const Chunk::Value& value, size_t max_bytes);

/// Returns `text` cut to at most `characters` characters; invalid UTF-8 is shown as \xNN.
[[nodiscard]] Json JsonCut(std::string_view text, size_t characters);

}  // namespace ofindex

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace ofindex {

// RFC 4648 with padding, as JSON has bytes that are no text.

void AppendBase64(ByteView bytes, std::string& out);

/// The bytes that `text` is of; nothing if it is no base64.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace ofindex

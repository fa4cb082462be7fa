#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace ofindex {

// RFC 4648 with padding, the JSON form of bytes that are not text.

void AppendBase64(ByteView bytes, std::string& out);

/// Returns the bytes that `text` encodes; nothing if it is not base64.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace ofindex

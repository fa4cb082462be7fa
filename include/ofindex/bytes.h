#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <ofindex/api.h>

namespace ofindex::v1 {

/// Bytes owned by someone else; the owner determines how long they stay valid.
using ByteView = std::span<const uint8_t>;

/// Return the same bytes as characters, and as bytes. Nothing is copied.
[[nodiscard]] inline std::string_view AsText(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline ByteView AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace ofindex::v1

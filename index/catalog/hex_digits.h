#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/checksum.h"

namespace ofindex {

/// Parse 16 and 32 hexadecimal digits, as ToHex returns them; nullopt for anything else.
[[nodiscard]] std::optional<uint64_t> FromHex(std::string_view digits);
[[nodiscard]] std::optional<Digest128> DigestFromHex(std::string_view digits);

}  // namespace ofindex

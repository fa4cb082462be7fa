#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ofindex {

// These parse the whole text, and return nothing if it is anything else or has extra characters.

/// Parses a 64-bit whole number: no sign except -, no leading zeros.
[[nodiscard]] std::optional<int64_t> ParseWhole(std::string_view text);

/// Parses a finite number.
[[nodiscard]] std::optional<double> ParseReal(std::string_view text);

/// Parses true, false, True, False, TRUE or FALSE.
[[nodiscard]] std::optional<bool> ParseBoolean(std::string_view text);

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ofindex {

// What text says. Nothing where it says something else, or something before or behind.

/// A whole number of 64 bits, written as numbers are: no sign but -, no zeros before it.
[[nodiscard]] std::optional<int64_t> ParseWhole(std::string_view text);

/// A finite number.
[[nodiscard]] std::optional<double> ParseReal(std::string_view text);

/// true, false, True, False, TRUE or FALSE.
[[nodiscard]] std::optional<bool> ParseBoolean(std::string_view text);

}  // namespace ofindex

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ofindex {

/// Returns how many columns of a terminal `text` takes, which is UTF-8 without control characters: 2 for a wide
/// character (CJK, emoji), 0 for a combining mark. If the system has no UTF-8 locale, every character takes one.
[[nodiscard]] size_t ShownWidth(std::string_view text);

/// Returns `text` cut to at most `width` columns; a cut text ends with "...", unless `width` is less than 4.
[[nodiscard]] std::string CutToWidth(std::string_view text, size_t width);

}  // namespace ofindex

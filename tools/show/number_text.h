#pragma once

#include <array>
#include <charconv>
#include <string>

namespace ofindex {

/// Returns the shortest text that identifies the number.
[[nodiscard]] std::string Shortest(auto number) {
  std::array<char, 40> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), result.ptr};
}

}  // namespace ofindex

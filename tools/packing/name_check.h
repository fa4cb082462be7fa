#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace ofindex {

/// Returns true if `name`, which is UTF-8, has a character below U+0020, or from U+007F to U+009F.
[[nodiscard]] inline bool HasControlCharacter(std::string_view name) {
  uint8_t before = 0;
  for (const char c : name) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x20 || byte == 0x7f || (before == 0xc2 && byte < 0xa0)) return true;
    before = byte;
  }
  return false;
}

/// Checks that `name` is one that a build takes for the name of a feature: text without control characters, not empty.
/// A record with any other name would be an opaque payload, without columns. `what` has the name: "column 2". Errors:
/// kFormat.
[[nodiscard]] inline Result<void> CheckFeatureName(std::string_view name, std::string_view what) {
  constexpr size_t kMaxShown = 64;
  if (name.empty()) {
    return Fail(ErrorCode::kFormat, StrCat(what, " has no name; expected a name"),
                "give it a name, or remove it from every row");
  }
  const bool is_text = IsUtf8(name);
  if (is_text && !HasControlCharacter(name)) return {};
  return Fail(ErrorCode::kFormat,
              StrCat("the name of ", what, ", '", Printable(name.substr(0, kMaxShown)), "', ",
                     is_text ? "has a control character" : "is not UTF-8", "; expected text"),
              "give it a name of plain text, or remove it from every row");
}

}  // namespace ofindex

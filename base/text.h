#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace ofindex {

namespace text_internal {
inline void Append(std::string& out, std::string_view text) { out += text; }
inline void Append(std::string& out, char c) { out += c; }
template <std::integral T>
requires(!std::same_as<T, char>) void Append(std::string& out, T value) { out += std::to_string(value); }
}  // namespace text_internal

/// Text of all arguments, one after the other; integers in decimal.
template <typename... Args>
[[nodiscard]] std::string StrCat(const Args&... args) {
  std::string out;
  (text_internal::Append(out, args), ...);
  return out;
}

/// 1234567 -> "1,234,567".
[[nodiscard]] std::string FormatCount(uint64_t n);

/// "1 record", "2,000 records": `noun` in the plural but for one.
[[nodiscard]] std::string Counted(uint64_t n, std::string_view noun);

/// Bytes in binary units with three figures, or four from 1000 to 1023: 0 -> "0 B", 1536 -> "1.50 KiB".
[[nodiscard]] std::string FormatBytes(double bytes);

/// Lower-case hexadecimal, two digits a byte.
[[nodiscard]] std::string ToHex(ByteView bytes);

/// 16 lower-case hexadecimal digits.
[[nodiscard]] std::string ToHex(uint64_t value);

/// ASCII letters in lower case, every other byte as it is: names that are folded to the same are the same in SQL.
[[nodiscard]] constexpr char Folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
[[nodiscard]] std::string Folded(std::string_view text);

/// True if `text` is well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
[[nodiscard]] bool IsUtf8(std::string_view text);

/// `text` made safe to show: control characters and bytes that are not UTF-8 become \xNN, so that a file or a feature
/// name cannot move the cursor of whoever reads it.
[[nodiscard]] std::string Printable(std::string_view text);

/// Orders paths as people count: runs of digits by value, `/` before any other byte, other bytes by value. Paths that
/// differ in leading zeros alone are ordered by their bytes, so that the order is total.
[[nodiscard]] bool NaturalLess(std::string_view a, std::string_view b);

/// True if the two differ in nothing but leading zeros of numbers, as part-1 and part-01 do.
[[nodiscard]] bool NaturallyEqual(std::string_view a, std::string_view b);

}  // namespace ofindex

#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

namespace text_internal {
inline void Append(std::string& out, std::string_view text) { out += text; }
inline void Append(std::string& out, char c) { out += c; }
template <std::integral T>
requires(!std::same_as<T, char>) void Append(std::string& out, T value) { out += std::to_string(value); }
}  // namespace text_internal

/// Returns the concatenated text of all arguments; integers in decimal.
template <typename... Args>
[[nodiscard]] std::string StrCat(const Args&... args) {
  std::string out;
  (text_internal::Append(out, args), ...);
  return out;
}

/// Formats with thousands separators: 1234567 -> "1,234,567".
[[nodiscard]] std::string FormatCount(uint64_t n);

/// Returns a count with its noun: "1 record", "2,000 records". `noun` is the singular.
[[nodiscard]] std::string Counted(uint64_t n, std::string_view noun);

/// Formats bytes in binary units with three digits, or four from 1000 to 1023: 0 -> "0 B", 1536 -> "1.50 KiB".
[[nodiscard]] std::string FormatBytes(double bytes);

/// Returns lower-case hexadecimal, two digits per byte.
[[nodiscard]] std::string ToHex(ByteView bytes);

/// Returns 16 lower-case hexadecimal digits.
[[nodiscard]] std::string ToHex(uint64_t value);

/// Returns the lower case of an ASCII letter, and any other byte unchanged. SQL treats two names as equal if all their
/// bytes fold to the same.
[[nodiscard]] constexpr char Folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
[[nodiscard]] std::string Folded(std::string_view text);

/// Returns true if `text` is well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
[[nodiscard]] bool IsUtf8(std::string_view text);

/// Returns true if `text`, which is UTF-8, has a character of Unicode's category Cc: below U+0020, or U+007F to U+009F.
[[nodiscard]] bool HasControl(std::string_view text);

/// Returns `text` made safe to print: control characters and bytes that are not UTF-8 become \xNN, so that a file name
/// or feature name cannot move the reader's cursor.
[[nodiscard]] std::string Printable(std::string_view text);

/// Returns a string literal of Python for the path `text`, which may stand between single quotes in a shell. Control
/// characters are escaped; a byte that is not UTF-8 becomes the surrogate by which Python names it in paths.
[[nodiscard]] std::string PythonLiteral(std::string_view text);

/// Returns the names in a list separated by commas. A comma in a name is written "\,", a backslash "\\". A name may be
/// empty.
[[nodiscard]] std::vector<std::string> SplitNames(std::string_view list);

/// Returns `name` as it is written in such a list.
[[nodiscard]] std::string EscapedName(std::string_view name);

/// Returns `text` as one word of a shell command, in single quotes unless it has only plain characters.
[[nodiscard]] std::string ShellWord(std::string_view text);

/// Orders paths naturally: runs of digits by value, `/` before any other byte, other bytes by value. Paths that differ
/// only in leading zeros are ordered by their bytes, so the order is total.
[[nodiscard]] bool NaturalLess(std::string_view a, std::string_view b);

/// Returns true if the two differ only in leading zeros of numbers, as part-1 and part-01 do.
[[nodiscard]] bool NaturallyEqual(std::string_view a, std::string_view b);

}  // namespace ofindex

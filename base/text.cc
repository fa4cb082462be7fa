#include "base/text.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdio>

namespace ofindex {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Rank of a byte in natural order: the end of a path component sorts before any byte that may be part of one.
int Rank(char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; }

// Consumes the run of digits at the front of `text`, and returns it without leading zeros.
std::string_view TakeNumber(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && IsDigit(text[n])) ++n;
  std::string_view number = text.substr(0, n);
  text.remove_prefix(n);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

std::strong_ordering CompareNumbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

std::strong_ordering NaturalCompare(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    std::strong_ordering order = std::strong_ordering::equal;
    if (IsDigit(a.front()) && IsDigit(b.front())) {
      order = CompareNumbers(TakeNumber(a), TakeNumber(b));
    } else {
      order = Rank(a.front()) <=> Rank(b.front());
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    if (order != std::strong_ordering::equal) return order;
  }
  return a.size() <=> b.size();
}

// Returns the length of the well-formed UTF-8 sequence at the front of `text`, or 0 (Unicode 15, table 3-7).
size_t Utf8SequenceLength(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return i < text.size() && at(i) >= low && at(i) <= high;
  };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return continues(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const unsigned low = lead == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : 0xbf;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const unsigned low = lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xf4 ? 0x8f : 0xbf;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Returns the code point of a well-formed UTF-8 sequence.
uint32_t CharacterOf(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead;
  uint32_t character = lead & (0x7fU >> sequence.size());
  for (const char c : sequence.substr(1)) character = character << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return character;
}

// C0, DEL and C1: terminals interpret some of them.
bool IsControl(uint32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

// Characters with the property Bidi_Control (Unicode 15, PropList.txt): they are invisible
// and reorder the text after them.
bool IsBidiControl(uint32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string FormatCount(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string Counted(uint64_t n, std::string_view noun) { return StrCat(FormatCount(n), " ", noun, n == 1 ? "" : "s"); }

std::string FormatBytes(double bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  // The thresholds are the values whose rounding would add a digit: 1023.5 KiB becomes 1.00 MiB, and 9.995 becomes
  // 10.0.
  while (bytes >= (unit == 0 ? 1024 : 1023.5) && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, bytes, kUnits[unit]);
  return text.data();
}

std::string ToHex(ByteView bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (uint8_t byte : bytes) {
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
  return out;
}

std::string ToHex(uint64_t value) {
  std::string out(16, '0');
  for (size_t i = 0; i < 16; ++i) out[15 - i] = kHexDigits[(value >> (4 * i)) & 15];
  return out;
}

std::string Folded(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) c = Folded(c);
  return folded;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t n = Utf8SequenceLength(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

bool HasControl(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && static_cast<uint8_t>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t n = Utf8SequenceLength(text);
    const std::string_view sequence = text.substr(0, n == 0 ? 1 : n);
    const uint32_t c = CharacterOf(sequence);
    if (n == 0 || IsControl(c) || IsBidiControl(c)) {
      for (const char& byte : sequence) out += StrCat("\\x", ToHex(AsBytes(std::string_view(&byte, 1))));
    } else {
      out += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string PythonLiteral(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t n = Utf8SequenceLength(text);
    const std::string_view sequence = text.substr(0, n == 0 ? 1 : n);
    const uint32_t c = CharacterOf(sequence);
    if (n == 0) {
      out += StrCat("\\udc", ToHex(AsBytes(sequence)));  // PEP 383
    } else if (IsControl(c) || IsBidiControl(c) || c == '\'') {
      out += StrCat("\\u", ToHex(uint64_t{c}).substr(12));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return out + '"';
}

std::vector<std::string> SplitNames(std::string_view list) {
  std::vector<std::string> names(1);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == ',') {
      names.emplace_back();
      continue;
    }
    if (list[i] == '\\' && i + 1 < list.size()) ++i;
    names.back() += list[i];
  }
  return names;
}

std::string EscapedName(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == ',' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string ShellWord(std::string_view text) {
  const auto plain = [](char c) {
    return (Folded(c) >= 'a' && Folded(c) <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("_,./:@%+=-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool NaturalLess(std::string_view a, std::string_view b) {
  const std::strong_ordering order = NaturalCompare(a, b);
  return order != std::strong_ordering::equal ? order == std::strong_ordering::less : a < b;
}

bool NaturallyEqual(std::string_view a, std::string_view b) {
  return NaturalCompare(a, b) == std::strong_ordering::equal;
}

}  // namespace ofindex

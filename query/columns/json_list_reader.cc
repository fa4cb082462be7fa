#include "query/columns/json_list_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "query/columns/base64.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

void AppendUtf8(uint32_t c, std::string& text) {
  const auto put = [&text](uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 63));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 63));
    put(0x80 | (c >> 6 & 63));
  }
  put(0x80 | (c & 63));
}

bool IsHighSurrogate(uint32_t c) { return c >= 0xd800 && c < 0xdc00; }
bool IsLowSurrogate(uint32_t c) { return c >= 0xdc00 && c < 0xe000; }

// Returns false for numbers that std::from_chars takes, and JSON does not: ".5", "5.", "05".
bool IsSpelledAsInJson(std::string_view number) {
  const auto is_digit = [&](size_t i) { return i < number.size() && number[i] >= '0' && number[i] <= '9'; };
  if (number.starts_with('-')) number.remove_prefix(1);
  if (!is_digit(0) || (number[0] == '0' && is_digit(1))) return false;
  const size_t point = number.find('.');
  return point == std::string_view::npos || is_digit(point + 1);
}

// Returns whether a number that no double holds is too small for that, and not too large.
bool IsTiny(std::string_view number) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  const size_t mark = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, mark);
  const size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  std::string_view text = number.substr(std::min(mark + 1, number.size()));
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t exponent = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec == std::errc::result_out_of_range)
    exponent = text.starts_with('-') ? -kHuge : kHuge;
  exponent = std::clamp(exponent, -kHuge, kHuge);
  const size_t point = std::min(digits.find('.'), digits.size());
  return exponent + static_cast<int64_t>(point) - static_cast<int64_t>(first) < 0;
}

}  // namespace

bool JsonListReader::Fail() {
  state_ = State::kWrong;
  return false;
}

// Takes `token`, and whitespace before it.
bool JsonListReader::Take(std::string_view token) {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  if (!rest_.starts_with(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
}

bool JsonListReader::Next() {
  if (state_ == State::kEnd || state_ == State::kWrong) return false;
  const bool first = state_ == State::kBegin;
  if (first && !Take("[")) return Fail();
  state_ = State::kInside;
  if (Take("]")) {
    if (!Take("") || !rest_.empty()) return Fail();
    state_ = State::kEnd;
    return false;
  }
  if (!first && !Take(",")) return Fail();
  return TakeValue() || Fail();
}

bool JsonListReader::TakeValue() {
  value_ = {};
  if (Take("null")) return true;
  if (Take("\"")) {
    value_.type = Type::kText;
    return TakeString(value_.bytes);
  }
  return Take("{") ? TakeBase64() : TakeNumber();
}

bool JsonListReader::TakeNumber() {
  const std::string_view token = rest_.substr(0, rest_.find_first_not_of("+-.0123456789eE"));
  const char* const end = token.data() + token.size();
  if (!IsSpelledAsInJson(token)) return false;
  rest_.remove_prefix(token.size());
  const auto integer = std::from_chars(token.data(), end, value_.integer);
  value_.type = Type::kInteger;
  if (integer.ec == std::errc() && integer.ptr == end) return true;
  value_.integer = 0;
  value_.type = Type::kReal;
  const auto real = std::from_chars(token.data(), end, value_.real);
  if (real.ptr != end) return false;
  if (real.ec == std::errc::result_out_of_range) {  // infinite, like 9e999, or too small to differ from 0
    value_.real = IsTiny(token) ? 0 : std::numeric_limits<double>::infinity();
    if (token[0] == '-') value_.real = -value_.real;
  }
  return true;
}

// Takes the rest of a string after its first quote.
bool JsonListReader::TakeString(std::string& text) {
  while (!rest_.empty()) {
    const size_t plain = std::min(rest_.find_first_of("\"\\"), rest_.size());
    const std::string_view piece = rest_.substr(0, plain);
    if (std::any_of(piece.begin(), piece.end(), [](unsigned char byte) { return byte < 0x20; })) return false;
    text += piece;
    rest_.remove_prefix(plain);
    if (rest_.empty()) return false;
    const bool quote = rest_[0] == '"';
    rest_.remove_prefix(1);
    if (quote) return true;
    if (!TakeEscape(text)) return false;
  }
  return false;
}

bool JsonListReader::TakeEscape(std::string& text) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  if (rest_.empty()) return false;
  const char c = rest_[0];
  rest_.remove_prefix(1);
  if (const size_t i = kNames.find(c); i != std::string_view::npos) {
    text += kMeant[i];
    return true;
  }
  if (c != 'u') return false;
  const std::optional<uint32_t> unit = TakeHex();
  if (!unit || IsLowSurrogate(*unit)) return false;
  if (!IsHighSurrogate(*unit)) {
    AppendUtf8(*unit, text);
    return true;
  }
  if (!rest_.starts_with("\\u")) return false;
  rest_.remove_prefix(2);
  const std::optional<uint32_t> low = TakeHex();
  if (!low || !IsLowSurrogate(*low)) return false;
  AppendUtf8(0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00), text);
  return true;
}

std::optional<uint32_t> JsonListReader::TakeHex() {
  uint32_t unit = 0;
  if (rest_.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 4, unit, 16);
  if (error != std::errc() || end != rest_.data() + 4) return std::nullopt;
  rest_.remove_prefix(4);
  return unit;
}

bool JsonListReader::TakeBase64() {
  std::string key;
  std::string text;
  if (!Take("\"") || !TakeString(key) || key != "base64" || !Take(":")) return false;
  if (!Take("\"") || !TakeString(text) || !Take("}")) return false;
  std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes) return false;
  value_.type = Type::kBlob;
  value_.bytes = *std::move(bytes);
  return true;
}

}  // namespace ofindex

#include "tools/report_page/html.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kPiece = size_t{1} << 16;

// Elements in a line of text, which is not to be broken: a line break is a space.
constexpr std::array<std::string_view, 8> kInline = {"a", "b", "bdi", "code", "rect", "small", "span", "title"};

bool IsInline(std::string_view element) { return std::find(kInline.begin(), kInline.end(), element) != kInline.end(); }

// A character of a text in UTF-8. One of no bytes is a byte that is not UTF-8.
struct DecodedCharacter {
  uint32_t point = 0;
  size_t bytes = 0;
};

DecodedCharacter FirstOf(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {.point = lead, .bytes = 1};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (text.size() < bytes || !IsUtf8(text.substr(0, bytes))) return {.point = lead, .bytes = 0};
  uint32_t code = lead & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3fU);
  return {.point = code, .bytes = bytes};
}

// True for what turns the direction of the text around it, or is invisible and may be part of a lookalike name.
bool TurnsText(uint32_t code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x61c ||
         (code >= 0x200b && code <= 0x200f) || code == 0x2028 || code == 0x2029 || code == 0xfeff;
}

// True for code points that are not characters: a document with one is in error.
bool IsNoncharacter(uint32_t code) { return (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe; }

bool IsControl(uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

void AppendHex(std::string& out, const char* format, uint32_t number) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, number);
  out += text.data();
}

// Appends a character that is not allowed in a page as one that is.
void AppendReplaced(std::string& out, const DecodedCharacter& character) {
  if (character.bytes == 1 && character.point == '\n') {
    out += "\\n";
  } else if (character.bytes == 1 && character.point == '\t') {
    out += "\\t";
  } else if (character.bytes <= 1) {
    AppendHex(out, "\\x%02x", character.point);
  } else {
    AppendHex(out, "\\u%04X", character.point);
  }
}

std::string_view EntityOf(char character) {
  switch (character) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return {};
  }
}

}  // namespace

std::string AllowedText(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const DecodedCharacter first = FirstOf(text);
    const size_t bytes = std::max<size_t>(first.bytes, 1);
    if (first.bytes == 0 || IsControl(first.point) || TurnsText(first.point) || IsNoncharacter(first.point)) {
      AppendReplaced(out, first);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

void Html::Doctype() { buffer_ += "<!DOCTYPE html>\n"; }

Html& Html::Open(HtmlWord element, Attributes attributes) {
  Start(element, attributes);
  open_.push_back(element.text());
  return *this;
}

Html& Html::Close() {
  if (open_.empty()) return *this;
  buffer_ += StrCat("</", open_.back(), ">");
  if (!IsInline(open_.back())) buffer_ += '\n';
  open_.pop_back();
  if (buffer_.size() >= kPiece) Flush();
  return *this;
}

Html& Html::Void(HtmlWord element, Attributes attributes) {
  Start(element, attributes);
  if (buffer_.size() >= kPiece) Flush();
  return *this;
}

Html& Html::Text(std::string_view text) {
  Escaped(text);
  return *this;
}

Html& Html::Style(HtmlWord css) {
  buffer_ += StrCat("<style>\n", css.text(), "</style>\n");
  return *this;
}

Result<void> Html::Finish() {
  while (!open_.empty()) Close();
  Flush();
  OFINDEX_TRY(written_);
  return {};
}

void Html::Start(HtmlWord element, Attributes attributes) {
  buffer_ += StrCat("<", element.text());
  for (const Attribute& attribute : attributes) {
    buffer_ += StrCat(" ", attribute.name.text(), "=\"");
    Escaped(attribute.value);
    buffer_ += '"';
  }
  buffer_ += '>';
}

void Html::Escaped(std::string_view text) {
  for (const char character : AllowedText(text)) {
    const std::string_view entity = EntityOf(character);
    if (entity.empty()) {
      buffer_ += character;
    } else {
      buffer_ += entity;
    }
  }
}

void Html::Flush() {
  if (written_) written_ = sink_(buffer_);
  buffer_.clear();
}

}  // namespace ofindex

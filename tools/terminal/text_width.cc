#include "tools/terminal/text_width.h"

#include <algorithm>
#include <clocale>
#include <cwchar>

namespace ofindex {
namespace {

constexpr std::string_view kCutMark = "...";

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

// While it lives, this thread's functions for wide characters know Unicode, whatever the user's locale is.
class UnicodeLocale {
 public:
  UnicodeLocale() : before_(Unicode() == locale_t{} ? locale_t{} : ::uselocale(Unicode())) {}
  ~UnicodeLocale() {
    if (before_ != locale_t{}) ::uselocale(before_);
  }
  UnicodeLocale(const UnicodeLocale&) = delete;
  UnicodeLocale& operator=(const UnicodeLocale&) = delete;

  [[nodiscard]] bool exists() const { return before_ != locale_t{}; }

 private:
  static locale_t Unicode() {
    static const locale_t unicode = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    return unicode;
  }

  const locale_t before_;
};

struct Character {
  size_t bytes = 1;
  size_t width = 1;
};

// Returns the size and width of the first character of `text`, which is not empty.
Character FirstCharacter(std::string_view text, bool has_locale) {
  size_t bytes = 1;
  while (bytes < text.size() && (text[bytes] & 0xc0) == 0x80) ++bytes;
  if (bytes == 1 || !has_locale) return {bytes, 1};
  std::mbstate_t state{};
  wchar_t wide = 0;
  if (std::mbrtowc(&wide, text.data(), bytes, &state) != bytes) return {bytes, 1};
  const int width = ::wcwidth(wide);
  return {bytes, width < 0 ? 1 : static_cast<size_t>(width)};
}

// Returns how many bytes of `text` fit into `width` columns, combining marks included.
size_t BytesWithin(std::string_view text, size_t width) {
  const UnicodeLocale locale;
  size_t end = 0;
  size_t taken = 0;
  while (end < text.size()) {
    const Character next = FirstCharacter(text.substr(end), locale.exists());
    if (taken + next.width > width) break;
    taken += next.width;
    end += next.bytes;
  }
  return end;
}

}  // namespace

size_t ShownWidth(std::string_view text) {
  if (IsAscii(text)) return text.size();
  const UnicodeLocale locale;
  size_t width = 0;
  while (!text.empty()) {
    const Character next = FirstCharacter(text, locale.exists());
    width += next.width;
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string CutToWidth(std::string_view text, size_t width) {
  if (text.size() <= width || BytesWithin(text, width) == text.size()) return std::string(text);
  if (width <= kCutMark.size()) return std::string(text.substr(0, BytesWithin(text, width)));
  std::string cut(text.substr(0, BytesWithin(text, width - kCutMark.size())));
  return cut.append(kCutMark);
}

}  // namespace ofindex

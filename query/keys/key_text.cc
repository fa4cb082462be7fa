#include "query/keys/key_text.h"

#include <charconv>

#include "base/text.h"

namespace ofindex {

Result<KeyText> ParseKeyText(const std::string& text) {
  KeyText key;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=') {
      key.value = text.substr(i + 1);
      return key;
    }
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '=') ++i;
    key.name += text[i];
  }
  return Fail(ErrorCode::kUsage, StrCat("key '", Printable(text), "': no '=' in it; expected NAME=VALUE"),
              "name a feature and its value, as in filename=a.jpg");
}

Result<int64_t> ParseIntegerKey(const std::string& text, const std::string& feature) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (!text.empty() && error == std::errc() && at == end) return value;
  return Fail(ErrorCode::kUsage,
              StrCat("key '", Printable(text), "': the values of feature '", Printable(feature),
                     "' are integers; expected an integer from -2^63 to 2^63 - 1"),
              "write the number in decimal digits");
}

}  // namespace ofindex

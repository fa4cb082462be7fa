#include "tools/number_option.h"

#include <charconv>
#include <cstdint>

#include "base/text.h"

namespace ofindex {

std::string WholeNumber(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && (text == "0" || text[0] != '0');
  return whole ? std::string() : StrCat("'", Printable(text), "' is no number from 0 to ", UINT64_MAX);
}

}  // namespace ofindex

#include "tools/shell/number_option.h"

#include <charconv>

#include "base/text.h"

namespace ofindex {

std::string WholeNumber(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && (text == "0" || text[0] != '0');
  return whole ? std::string() : StrCat("'", Printable(text), "' is not a number from 0 to ", UINT64_MAX);
}

void AddMebibytes(CLI::App& verb, const char* name, uint64_t& bytes, uint64_t least, uint64_t most, const char* help) {
  verb.add_option_function<uint64_t>(
          name, [&bytes](uint64_t mebibytes) { bytes = mebibytes << 20; }, help)
      ->check(CLI::Validator(WholeNumber, ""))
      ->check(CLI::Range(least, most).description(""))
      ->type_name("MIB");
}

std::string NotEmpty(const std::string& text) { return text.empty() ? "is empty; expected a name" : ""; }

}  // namespace ofindex

#include "tools/packing/text_numbers.h"

#include <charconv>
#include <cmath>

namespace ofindex {
namespace {

template <typename Number>
std::optional<Number> Parse(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// True for "007" and "-01.5": a number would lose the leading zeros.
bool HasZerosBefore(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

}  // namespace

std::optional<int64_t> ParseWhole(std::string_view text) {
  return HasZerosBefore(text) || text == "-0" ? std::nullopt : Parse<int64_t>(text);
}

std::optional<double> ParseReal(std::string_view text) {
  if (HasZerosBefore(text)) return std::nullopt;
  const std::optional<double> number = Parse<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<bool> ParseBoolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

}  // namespace ofindex

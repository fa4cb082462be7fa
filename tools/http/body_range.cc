#include "tools/http/body_range.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ofindex {
namespace {

// A number beyond 64 bits is the largest one: it is past the end of every body all the same.
std::optional<uint64_t> RangeNumber(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  uint64_t number = UINT64_MAX;
  static_cast<void>(std::from_chars(digits.data(), digits.data() + digits.size(), number));
  return number;
}

}  // namespace

BodyRange ParseRange(std::string_view value, uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!value.starts_with(kUnit)) return {.kind = BodyRange::Kind::kWhole, .begin = 0, .size = size};
  const std::string_view range = value.substr(kUnit.size());
  const BodyRange whole{.kind = BodyRange::Kind::kWhole, .begin = 0, .size = size};
  const BodyRange outside{.kind = BodyRange::Kind::kOutside};
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return whole;
  const std::optional<uint64_t> first = RangeNumber(range.substr(0, dash));
  const std::optional<uint64_t> last = RangeNumber(range.substr(dash + 1));
  if (dash == 0) {
    if (!last) return whole;
    const uint64_t length = std::min(*last, size);
    return length == 0 ? outside : BodyRange{BodyRange::Kind::kPart, size - length, length};
  }
  if (!first || (!last && dash + 1 != range.size()) || (last && *last < *first)) return whole;
  if (*first >= size) return outside;
  const uint64_t end = last ? std::min(*last, size - 1) + 1 : size;
  return {BodyRange::Kind::kPart, *first, end - *first};
}

}  // namespace ofindex

#include "query/ordinals.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace ofindex {
namespace {

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

tl::unexpected<Error> NoOrdinal(std::string_view text) {
  return Fail(ErrorCode::kUsage, StrCat("'", Printable(text), "' is not a valid ordinal; expected N, -N or A:B"),
              "records are numbered from 0; negative ordinals count from the end");
}

// Returns the end of a range as a position in [0, size].
uint64_t Clamp(int64_t value, uint64_t size) {
  if (value >= 0) return std::min(static_cast<uint64_t>(value), size);
  const uint64_t back = uint64_t{0} - static_cast<uint64_t>(value);
  return back >= size ? 0 : size - back;
}

}  // namespace

Result<OrdinalRange> ParseOrdinals(std::string_view text, uint64_t size) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    const std::optional<int64_t> value = ParseNumber(text);
    if (!value) return NoOrdinal(text);
    const uint64_t distance =
        *value < 0 ? uint64_t{0} - static_cast<uint64_t>(*value) : static_cast<uint64_t>(*value) + 1;
    if (distance > size) {
      return Fail(ErrorCode::kOutOfRange,
                  StrCat("record ", *value, " is not in the dataset; ",
                         size == 0 ? std::string("it has no records") : StrCat("expected 0 to ", size - 1)),
                  "`ofindex info` shows the number of records");
    }
    const uint64_t ordinal = Clamp(*value, size);
    return OrdinalRange{ordinal, ordinal + 1};
  }
  const std::string_view from = text.substr(0, colon);
  const std::string_view to = text.substr(colon + 1);
  const std::optional<int64_t> begin = from.empty() ? std::optional<int64_t>(0) : ParseNumber(from);
  const std::optional<int64_t> end = to.empty() ? std::optional<int64_t>(INT64_MAX) : ParseNumber(to);
  if (!begin || !end) return NoOrdinal(text);
  OrdinalRange range{Clamp(*begin, size), Clamp(*end, size)};
  range.end = std::max(range.begin, range.end);
  return range;
}

}  // namespace ofindex

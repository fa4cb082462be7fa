#include "tools/serve/records/value_answer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "tools/media/media_type.h"

namespace ofindex {
namespace {

// Records do not change while their index holds, but the next server may serve others at the same address.
void AddCaching(const std::string& tag, Response& answer) {
  answer.headers.emplace_back("ETag", tag);
  answer.headers.emplace_back("Cache-Control", "private, max-age=3600");
}

std::string_view Header(const Request& request, std::string_view name) {
  for (const auto& [given, value] : request.headers) {
    if (given == name) return value;
  }
  return {};
}

struct ByteSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

std::optional<uint64_t> DigitsOf(std::string_view text) {
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// Reads "bytes=first-last", "bytes=first-" or "bytes=-count" (RFC 9110, 14.1.2). Returns nullopt for other headers,
// several ranges included: those are answered with the whole value, as the RFC allows.
std::optional<ByteSpan> RangeOf(std::string_view header, uint64_t size) {
  if (!header.starts_with("bytes=")) return std::nullopt;
  header.remove_prefix(6);
  const size_t dash = header.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<uint64_t> first = DigitsOf(header.substr(0, dash));
  const std::optional<uint64_t> last = DigitsOf(header.substr(dash + 1));
  if (dash == 0) return last ? std::optional(ByteSpan{size - std::min(size, *last), size}) : std::nullopt;
  if (!first || (!last && dash + 1 != header.size()) || (last && *last < *first)) return std::nullopt;
  const uint64_t end = last && *last < size ? *last + 1 : size;
  return ByteSpan{*first, std::max(end, *first)};
}

template <typename To, typename From>
std::string ArrayOf(const From& numbers) {
  std::string bytes(numbers.size() * sizeof(To), '\0');
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<To>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
  }
  return bytes;
}

}  // namespace

Response ValueAnswer(ByteView value, const std::string& tag, const Request& request) {
  Response answer{.type = std::string(MediaTypeOf(value).name)};
  AddCaching(tag, answer);
  answer.headers.emplace_back("Accept-Ranges", "bytes");
  if (const auto range = RangeOf(Header(request, "range"), value.size())) {
    if (range->begin >= value.size() || range->begin == range->end) {
      answer.status = 416;
      answer.headers.emplace_back("Content-Range", StrCat("bytes */", value.size()));
      return answer;
    }
    answer.status = 206;
    answer.headers.emplace_back("Content-Range",
                                StrCat("bytes ", range->begin, "-", range->end - 1, "/", value.size()));
    value = value.subspan(range->begin, range->end - range->begin);
  }
  answer.body = std::string(AsText(value));
  return answer;
}

bool HasValue(const std::string& tag, const Request& request) {
  return Header(request, "if-none-match").find(tag) != std::string_view::npos;
}

Response UnchangedAnswer(const std::string& tag) {
  Response answer{.status = 304};
  AddCaching(tag, answer);
  return answer;
}

Result<Response> NumbersAnswer(const DecodedRecord& record, FeatureValue value, const std::string& tag) {
  Response answer{.type = "application/octet-stream"};
  value.count = std::min(value.count, kMaxServedNumbers);
  std::string_view type = "float64";
  switch (value.kind) {
    case FeatureKind::kFloat:
      answer.body = ArrayOf<float>(record.floats(value));
      type = "float32";
      break;
    case FeatureKind::kDouble: answer.body = ArrayOf<double>(record.doubles(value)); break;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: answer.body = ArrayOf<double>(record.integers(value)); break;
    case FeatureKind::kBytes:
    case FeatureKind::kNone:
      return Fail(ErrorCode::kFeature,
                  StrCat("a feature of kind '", Name(value.kind), "' has no numbers; expected one of numbers"),
                  "'api/value' answers with bytes");
  }
  AddCaching(tag, answer);
  answer.headers.emplace_back("X-Count", StrCat(value.count));
  answer.headers.emplace_back("X-Type", std::string(type));
  return answer;
}

}  // namespace ofindex

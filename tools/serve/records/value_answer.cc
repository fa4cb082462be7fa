#include "tools/serve/records/value_answer.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "tools/media/media_type.h"

namespace ofindex {
namespace {

// The next server may have other data at the same address, so a browser must ask each time whether it has the value.
void AddCaching(const std::string& tag, Response& answer) {
  answer.headers.emplace_back("ETag", tag);
  answer.headers.emplace_back("Cache-Control", "private, no-cache");
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

std::optional<Response> UnchangedAnswer(const Request& request, const std::string& tag) {
  if (!request.HasBody(tag)) return std::nullopt;
  Response answer{.status = 304};
  AddCaching(tag, answer);
  return answer;
}

Response ValueAnswer(ByteView value, const std::string& tag) {
  Response answer{.type = std::string(MediaTypeOf(value).name), .body = std::string(AsText(value))};
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

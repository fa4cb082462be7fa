#include "tools/serve/requests/answers.h"

#include <algorithm>

#include "base/text.h"
#include "query/columns/base64.h"

namespace ofindex {
namespace {

constexpr int64_t kMaxExact = int64_t{1} << 53;

// Returns the length of the longest prefix of `text` that has at most `characters` characters and ends between two.
size_t CutAt(std::string_view text, size_t characters) {
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (begins && characters-- == 0) break;
  }
  return end;
}

}  // namespace

Response JsonAnswer(const Json& document) { return {.body = Dump(document)}; }

Response ErrorAnswer(const Error& error) {
  Response answer =
      JsonAnswer({{"error", {{"message", JsonText(error.message)}, {"hint", JsonText(error.hint.text())}}}});
  answer.status = StatusOf(error.code);
  // Who holds what is asked for lets go of it soon; a limit stays.
  if (error.code == ErrorCode::kLocked) answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return 400;
    case ErrorCode::kOutOfRange:
    case ErrorCode::kNotFound: return 404;
    case ErrorCode::kInterrupted: return 409;
    case ErrorCode::kStale: return 410;
    case ErrorCode::kDamage:
    case ErrorCode::kFormat:
    case ErrorCode::kFeature: return 422;
    case ErrorCode::kLimit:
    case ErrorCode::kLocked: return 503;
    case ErrorCode::kIndex:
    case ErrorCode::kIo: return 500;
  }
  return 500;
}

Json JsonInteger(int64_t value) {
  if (value <= kMaxExact && value >= -kMaxExact) return value;
  return StrCat(value);
}

Json JsonCount(uint64_t value) {
  if (value <= uint64_t{kMaxExact}) return value;
  return StrCat(value);
}

Json JsonCut(std::string_view text, size_t characters) {
  // Only the part that is shown must be valid.
  const std::string_view shown = text.substr(0, CutAt(text, characters));
  if (IsUtf8(shown)) return std::string(shown);
  const std::string printable = Printable(shown);
  return printable.substr(0, CutAt(printable, characters));
}

Json JsonCell(const Chunk::Value& value, size_t max_bytes) {
  switch (value.type) {
    case ColumnValue::Type::kNull: break;
    case ColumnValue::Type::kInteger: return JsonInteger(value.integer);
    case ColumnValue::Type::kReal: return JsonReal(value.real);
    case ColumnValue::Type::kText: return JsonCut(AsText(value.bytes), max_bytes);
    case ColumnValue::Type::kBlob: {
      std::string encoded;
      AppendBase64(value.bytes.first(std::min(value.bytes.size(), max_bytes)), encoded);
      return {{"base64", std::move(encoded)}};
    }
  }
  return nullptr;
}

}  // namespace ofindex

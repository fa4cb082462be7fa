#include "query/columns/list_json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "query/columns/base64.h"
#include "query/columns/json_list_reader.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

void AppendInteger(int64_t value, std::string& json) { json += std::to_string(value); }

void AppendReal(double value, std::string& json) {
  if (std::isnan(value)) {
    json += "null";
  } else if (std::isinf(value)) {
    json += value > 0 ? "9e999" : "-9e999";
  } else {
    // The same form as in `get --json`.
    const bool plain = value == 0 || (std::abs(value) >= 1e-4 && std::abs(value) < 1e15);
    std::array<char, 48> text{};
    const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, format);
    const std::string_view digits(text.data(), static_cast<size_t>(end - text.data()));
    json += digits;
    if (digits.find_first_of(".e") == std::string_view::npos) json += ".0";
  }
}

void AppendString(std::string_view text, std::string& json) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      json += "\\u00";
      json += kDigits[byte >> 4];
      json += kDigits[byte & 15];
    } else {
      json += c;
    }
  }
  json += '"';
}

void AppendBytes(ByteView bytes, std::string& json) {
  if (IsText(bytes)) return AppendString(AsText(bytes), json);
  json += "{\"base64\":\"";
  AppendBase64(bytes, json);
  json += "\"}";
}

void AppendValue(const Chunk& chunk, FeatureKind kind, uint32_t i, std::string& json) {
  const Chunk::Lists& lists = chunk.lists();
  switch (kind) {
    case FeatureKind::kNone: json += "null"; break;
    case FeatureKind::kBytes: AppendBytes(chunk.strings()[chunk.strings().number[i]], json); break;
    case FeatureKind::kFloat: AppendReal(std::bit_cast<float>(static_cast<uint32_t>(lists.numbers[i])), json); break;
    case FeatureKind::kDouble: AppendReal(std::bit_cast<double>(lists.numbers[i]), json); break;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: AppendInteger(static_cast<int64_t>(lists.numbers[i]), json); break;
  }
}

}  // namespace

void AppendListJson(const Chunk& chunk, uint32_t record, std::string& json) {
  const Chunk::Lists& lists = chunk.lists();
  const uint32_t begin = record == 0 ? 0 : lists.ends[record - 1];
  const FeatureKind kind = lists.kinds.empty() ? FeatureKind::kNone : lists.kinds[lists.kinds.size() == 1 ? 0 : record];
  json += '[';
  for (uint32_t i = begin; i < lists.ends[record]; ++i) {
    if (i > begin) json += ',';
    AppendValue(chunk, kind, i, json);
  }
  json += ']';
}

std::optional<bool> JsonListHas(std::string_view json, const std::vector<ColumnValue>& wanted) {
  JsonListReader reader(json);
  bool has = false;
  while (reader.Next()) {
    if (has || reader.value().type == ColumnValue::Type::kNull) continue;
    has = std::any_of(wanted.begin(), wanted.end(),
                      [&](const ColumnValue& value) { return CompareValues(reader.value(), value) == 0; });
  }
  if (!reader.sound()) return std::nullopt;
  return has;
}

}  // namespace ofindex

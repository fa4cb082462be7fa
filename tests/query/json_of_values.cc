#include "tests/query/json_of_values.h"

#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ofindex {

std::string JsonOfValues(const std::vector<ColumnValue>& values) {
  static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "[";
  for (const ColumnValue& value : values) {
    if (text.size() > 1) text += ',';
    switch (value.type) {
      case ColumnValue::Type::kNull: text += "null"; break;
      case ColumnValue::Type::kInteger: text += nlohmann::json(value.integer).dump(); break;
      case ColumnValue::Type::kReal:
        text += std::isinf(value.real) ? (value.real > 0 ? "9e999" : "-9e999") : nlohmann::json(value.real).dump();
        break;
      case ColumnValue::Type::kText: text += nlohmann::json(value.bytes).dump(); break;
      case ColumnValue::Type::kBlob: {
        std::string bits;
        for (const char c : value.bytes) {
          for (int bit = 7; bit >= 0; --bit) bits += ((c >> bit) & 1) != 0 ? '1' : '0';
        }
        text += "{\"base64\":\"";
        for (size_t i = 0; i < bits.size(); i += 6) {
          text += kAlphabet[std::stoul((bits.substr(i, 6) + "00000").substr(0, 6), nullptr, 2)];
        }
        text += std::string((3 - value.bytes.size() % 3) % 3, '=') + "\"}";
        break;
      }
    }
  }
  return text + "]";
}

}  // namespace ofindex

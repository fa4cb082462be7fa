#include "tools/http/exchange.h"

#include <algorithm>

namespace ofindex {

const std::string& Request::Parameter(const std::string& name, const std::string& otherwise) const {
  for (const auto& [each, value] : parameters) {
    if (each == name) return value;
  }
  return otherwise;
}

bool Request::HasBody(std::string_view tag) const {
  return !tag.empty() && std::any_of(headers.begin(), headers.end(), [&](const auto& field) {
    return field.first == "if-none-match" && field.second.find(tag) != std::string::npos;
  });
}

}  // namespace ofindex

#include "tools/http/exchange.h"

#include <algorithm>
#include <string_view>

namespace ofindex {
namespace {

std::string_view WithoutBlanks(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Returns true if `tag` is among the tags of If-None-Match, weak or not. Our tags have no commas.
bool Lists(std::string_view tags, std::string_view tag) {
  while (true) {
    const size_t comma = std::min(tags.find(','), tags.size());
    std::string_view one = WithoutBlanks(tags.substr(0, comma));
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag) return true;
    if (comma == tags.size()) return false;
    tags.remove_prefix(comma + 1);
  }
}

}  // namespace

const std::string& Request::Parameter(const std::string& name, const std::string& otherwise) const {
  for (const auto& [each, value] : parameters) {
    if (each == name) return value;
  }
  return otherwise;
}

bool Request::HasBody(std::string_view tag) const {
  return !tag.empty() && std::any_of(headers.begin(), headers.end(), [&](const auto& field) {
    return field.first == "if-none-match" && Lists(field.second, tag);
  });
}

}  // namespace ofindex

#include "tools/http/target.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ofindex {
namespace {

std::optional<unsigned> HexDigit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

std::optional<std::string> Unescaped(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const std::optional<unsigned> high = HexDigit(text[i + 1]);
    const std::optional<unsigned> low = HexDigit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return out;
}

bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string Escaped(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<uint8_t>(c);
    out += '%';
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
  return out;
}

bool IsPrintableAscii(char c) { return c > ' ' && c < '\x7f'; }

bool IsPlainPath(std::string_view path) {
  return !path.starts_with("//") && std::all_of(path.begin(), path.end(), [](char c) {
    return static_cast<uint8_t>(c) >= 0x20 && c != '\x7f' && c != '\\';
  });
}

std::optional<UrlParameters> ParseQuery(std::string_view query) {
  UrlParameters parameters;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = Unescaped(pair.substr(0, equals), /*plus_is_space=*/true);
    std::optional<std::string> value =
        Unescaped(pair.substr(std::min(pair.size(), equals + 1)), /*plus_is_space=*/true);
    if (!name || !value) return std::nullopt;
    parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return parameters;
}

}  // namespace

std::optional<Target> ParseTarget(std::string_view target) {
  if (!target.starts_with('/') || target.find('#') != std::string_view::npos) return std::nullopt;
  if (!std::all_of(target.begin(), target.end(), IsPrintableAscii)) return std::nullopt;
  const size_t question = std::min(target.find('?'), target.size());
  std::optional<std::string> path = Unescaped(target.substr(0, question), /*plus_is_space=*/false);
  if (!path || !IsPlainPath(*path)) return std::nullopt;
  std::optional<UrlParameters> parameters = ParseQuery(target.substr(std::min(target.size(), question + 1)));
  if (!parameters) return std::nullopt;
  return Target{std::move(*path), std::move(*parameters)};
}

std::string QueryOf(const UrlParameters& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    if (!out.empty()) out += '&';
    out += Escaped(name) + "=" + Escaped(value);
  }
  return out;
}

}  // namespace ofindex

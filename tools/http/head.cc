#include "tools/http/head.h"

#include "base/text.h"

namespace ofindex {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool IsPort(std::string_view port) {
  return port.size() <= 5 && port.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace

std::string_view Head::Field(std::string_view name) const {
  for (const auto& [each, value] : fields) {
    if (each == name) return value;
  }
  return {};
}

size_t Head::Count(std::string_view name) const {
  return static_cast<size_t>(
      std::count_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; }));
}

std::string HostName(std::string_view host) {
  const size_t begin = host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0;
  const size_t colon = std::min(host.find(':', begin), host.size());
  if (colon < host.size() && !IsPort(host.substr(colon + 1))) return {};
  const std::string_view name = host.substr(0, colon);
  if (name.starts_with('[') && !name.ends_with(']')) return {};
  return Folded(name);
}

bool IsAddress(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) {
    return name.find_first_not_of("0123456789abcdef:.", 1) == name.size() - 1;
  }
  // A last label of digits alone is never a name: browsers take such a host for an address, or refuse it.
  const std::string_view last = name.substr(name.find_last_of('.') + 1);
  return !last.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace ofindex

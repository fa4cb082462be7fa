#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ofindex {

/// The request line and the header of a request, as they were received: nothing is checked yet.
struct Head {
  std::string method = {};
  std::string target = {};
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< names in lower case

  /// Returns the first value of a field; empty if there is none.
  [[nodiscard]] std::string_view Field(std::string_view name) const;
  [[nodiscard]] size_t Count(std::string_view name) const;
};

/// Returns the name in the value of a Host field, in lower case and without the port: "localhost" of "localhost:80",
/// "[::1]" of "[::1]:80". Empty if it is malformed.
[[nodiscard]] std::string HostName(std::string_view host);

/// Returns true for "10.0.0.1" and "[::1]": names that are addresses, which no name server decides about.
[[nodiscard]] bool IsAddress(std::string_view name);

/// Calls `take(value)` for each cookie `name` in the value of a Cookie field, until it returns true. Returns whether it
/// did.
template <typename Take>
bool AnyCookie(std::string_view cookies, std::string_view name, const Take& take) {
  while (!cookies.empty()) {
    std::string_view cookie = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(cookies.size(), cookie.size() + 1));
    cookie.remove_prefix(std::min(cookie.size(), cookie.find_first_not_of(" \t")));
    if (!cookie.starts_with(name) || cookie.substr(name.size(), 1) != "=") continue;
    if (take(cookie.substr(name.size() + 1))) return true;
  }
  return false;
}

}  // namespace ofindex

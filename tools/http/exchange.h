#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ofindex {

enum class Method : uint8_t { kGet, kPost };

/// A request that has passed all checks: its token, which is no longer among the parameters, its Host, its origin and
/// its size. A value type.
struct Request {
  Method method = Method::kGet;
  std::string path = {};                                             ///< decoded, without parameters: "/api/record"
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< decoded, in the order of the URL
  std::vector<std::pair<std::string, std::string>> headers = {};     ///< names in lower case
  std::string body = {};
  std::shared_ptr<const std::atomic<bool>> gone = nullptr;  ///< becomes true once nobody waits for the answer

  /// Returns the first value of a parameter, or `otherwise`.
  [[nodiscard]] const std::string& Parameter(const std::string& name, const std::string& otherwise) const;

  /// Returns true if the client says that it has the body whose ETag is `tag`, in If-None-Match.
  [[nodiscard]] bool HasBody(std::string_view tag) const;
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< besides those of the server
};

/// Answers the requests of a path. Called on several threads at once.
using Handler = std::function<Response(const Request&)>;

struct Route {
  Method method = Method::kGet;
  std::string path = {};  ///< exactly
  Handler handler = {};
  bool needs_token = true;  ///< false for files of the page, which have no data; never for "/"
};

}  // namespace ofindex

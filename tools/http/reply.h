#pragma once

#include <cstddef>
#include <string>

#include "tools/http/exchange.h"

namespace ofindex {

/// A response as it goes over the wire: `head`, then `size` bytes of `body` from `begin`.
struct Reply {
  std::string head = {};
  std::string body = {};
  size_t begin = 0;
  size_t size = 0;
};

/// How a reply depends on its request and connection.
struct ReplyOptions {
  bool head_only = false;
  bool keep_alive = true;
  std::string frame_ancestors = "'none'";
};

/// Writes `response` to `request` with the headers that every response has: those of security (docs/serve.md), and
/// "Cache-Control: no-store" unless the response has its own. A GET with status 200 may become 206 or 416 if the
/// request has a Range, or 304 if it knows the ETag.
[[nodiscard]] Reply MakeReply(const Request& request, Response response, const ReplyOptions& options);

}  // namespace ofindex

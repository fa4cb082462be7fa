#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/http/exchange.h"
#include "tools/http/head.h"
#include "tools/http/target.h"

namespace ofindex {

/// The token that a request must carry, and the host names that it may address.
struct Access {
  std::string token = {};
  uint16_t port = 0;
  std::vector<std::string> hosts = {};   ///< in lower case; an IPv6 address in brackets
  bool any_address = false;              ///< also hosts that are addresses: the server listens beyond this machine
  std::vector<std::string> frames = {};  ///< origins whose pages may show the page in a frame
};

/// A request that may be answered, except that its body is still to come.
struct Admission {
  Request request = {};
  const Handler* handler = nullptr;  ///< of the gate
  bool head_only = false;            ///< HEAD: GET without a body
  bool framed = false;               ///< the page, in a frame of Access::frames
};

/// Decides from the head of a request whether it is answered. Immutable; safe to use from several threads.
///
/// A request must come from a page of this server, or from whoever knows the token:
/// - its Host is one of ours, so that no page of another host reaches us by a name that now points here (rebinding);
/// - it has the token, in a cookie that only we set, in "Authorization: Bearer" or in the parameter "token";
/// - a browser says that it comes from our page, or from the user; only "/" may be linked to from elsewhere;
/// - a POST has our Origin, and JSON. Browsers send JSON to another origin only after asking, which we refuse.
class Gate {
 public:
  Gate(Access access, std::vector<Route> routes);

  /// Returns the admission, or the response that refuses or redirects.
  [[nodiscard]] std::variant<Admission, Response> Examine(const Head& head) const;

  /// Returns the value of frame-ancestors in the policy of a response.
  [[nodiscard]] std::string FrameAncestors(bool framed) const;

 private:
  enum class Proof : uint8_t { kNone, kCookie, kExplicit };

  [[nodiscard]] bool IsOurHost(const Head& head) const;
  [[nodiscard]] Proof ProofOf(const Head& head, const UrlParameters& parameters) const;
  [[nodiscard]] Response Welcome(const Head& head, const UrlParameters& parameters) const;

  const Access access_;
  const std::vector<Route> routes_;
};

/// Returns a response that refuses. `message` and `hint` are literals without characters that JSON escapes.
[[nodiscard]] Response Refusal(int status, std::string_view message, std::string_view hint);

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/http/exchange.h"
#include "tools/http/limits.h"

namespace ofindex {

struct ServerOptions {
  std::string host = "127.0.0.1";        ///< a name or an address of this machine; where to listen
  uint16_t port = 0;                     ///< 0: one that the system chooses
  std::vector<std::string> frames = {};  ///< origins whose pages may show the page in a frame; see Access
  Limits limits = {};
};

/// A server for one person: HTTP/1.1 on one port, with a token that it draws itself. Wraps Boost.Asio and Boost.Beast.
/// gate.h says which requests it answers, Limits what bounds it. One thread serves all sockets; handlers run on a few
/// others. Not thread-safe.
class Server {
 public:
  /// Listens; connections wait until Run(). Errors: kUsage if `host` is not one of this machine's or a frame is not an
  /// origin, kIo if the port is taken or the system refuses, kLimit without a thread.
  [[nodiscard]] static Result<std::unique_ptr<Server>> Listen(const ServerOptions& options, std::vector<Route> routes);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Returns the URL of the page, with the token.
  [[nodiscard]] const std::string& url() const;
  [[nodiscard]] const std::string& host() const;
  [[nodiscard]] uint16_t port() const;

  /// Returns true if only this machine reaches the server.
  [[nodiscard]] bool is_local() const;

  /// Answers requests until `should_stop`, which it calls ten times a second, returns true. Then it closes all
  /// connections and tells the handlers that nobody waits. Call it once; the destructor waits for the handlers.
  void Run(const std::function<bool()>& should_stop);

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace ofindex

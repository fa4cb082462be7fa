#include "tools/http/server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/write.hpp>

#include "base/allocation.h"
#include "base/text.h"
#include "tools/http/connection.h"
#include "tools/http/token.h"

namespace ofindex {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kBetweenQuestions{100};
constexpr std::chrono::milliseconds kUntilRetry{50};

Error NetworkError(const std::string& what, const error_code& cause, Hint hint) {
  return {ErrorCode::kIo, StrCat(what, ": ", cause.message()), std::move(hint), cause.value()};
}

// Returns the address of `host`, of version 4 if it has one: "localhost" has both, and browsers try this one as well.
Result<tcp::endpoint> Resolve(asio::io_context& io, const std::string& host, uint16_t port) {
  error_code failed;
  tcp::resolver resolver(io);
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');  // an address of version 6, as in URLs
  const std::string name = in_brackets ? host.substr(1, host.size() - 2) : host;
  const auto found = resolver.resolve(name, std::to_string(port), tcp::resolver::passive, failed);
  if (failed || found.empty()) {
    return Fail(ErrorCode::kUsage,
                StrCat("--host: '", Printable(host), "' is unknown; expected a name or an address of this machine"),
                "use 127.0.0.1 for this machine alone, 0.0.0.0 for all of its networks");
  }
  const auto four =
      std::find_if(found.begin(), found.end(), [](const auto& each) { return each.endpoint().address().is_v4(); });
  return (four == found.end() ? found.begin() : four)->endpoint();
}

Result<tcp::acceptor> Bind(asio::io_context& io, const std::string& host, uint16_t port) {
  OFINDEX_ASSIGN(const tcp::endpoint endpoint, Resolve(io, host, port));
  tcp::acceptor acceptor(io);
  error_code failed;
  acceptor.open(endpoint.protocol(), failed);
  if (!failed) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);  // a browser that we start must not hold it
  if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
  if (!failed) acceptor.bind(endpoint, failed);
  if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed) {
    return tl::unexpected(NetworkError(StrCat("cannot listen on ", Printable(host), " port ", port), failed,
                                       "use another --port, or 0 for one that is free"));
  }
  return acceptor;
}

std::string NameOfMachine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return Folded(std::string_view(name.data()));
}

// Returns `address` as it is written in a URL.
std::string InUrl(const asio::ip::address& address) {
  return address.is_v6() ? StrCat("[", address.to_string(), "]") : address.to_string();
}

// An origin becomes part of a header, where it must not begin anything else.
Result<void> CheckFrame(const std::string& origin) {
  const bool is_plain = !origin.empty() && std::all_of(origin.begin(), origin.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != ';' && c != ',' && c != '\'' && c != '"';
  });
  if (is_plain) return {};
  return Fail(ErrorCode::kUsage,
              StrCat("--frame: '", Printable(origin),
                     "' is not an origin; expected one such as "
                     "http://localhost:8888, or *"),
              "use the scheme, host and port of the page that holds the frame");
}

}  // namespace

struct Server::Parts {
  explicit Parts(const Limits& limits) : shared(limits), acceptor(shared.io), next_look(shared.io), retry(shared.io) {}

  void Accept();
  void Add(tcp::socket socket);
  [[nodiscard]] bool CloseIdle();
  void LookAt(const std::function<bool()>& should_stop);
  void Stop();

  Shared shared;
  tcp::acceptor acceptor;
  asio::steady_timer next_look;
  asio::steady_timer retry;
  std::string host;
  std::string url;
  uint16_t port = 0;
  bool is_local = true;
};

void Server::Parts::Accept() {
  acceptor.async_accept([this](error_code failed, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!failed) {
      Accept();
      return Add(std::move(socket));
    }
    // Out of descriptors, perhaps, or a client that went at once.
    static_cast<void>(CloseIdle());
    retry.expires_after(kUntilRetry);
    retry.async_wait([this](error_code cancelled) {
      if (!cancelled) Accept();
    });
  });
}

// Idle sockets, of which anyone may open many, make room for a new one, so that they lock nobody out. Requests that are
// being answered stay: they had the token.
void Server::Parts::Add(tcp::socket socket) {
  if (shared.connections.size() >= shared.limits.connections && !CloseIdle()) return;
  const auto connection = std::make_shared<Connection>(std::move(socket), shared);
  shared.connections.insert(connection);
  connection->Start();
}

bool Server::Parts::CloseIdle() {
  std::shared_ptr<Connection> oldest;
  for (const std::shared_ptr<Connection>& each : shared.connections) {
    if (each->IsIdle() && (!oldest || each->idle_since() < oldest->idle_since())) oldest = each;
  }
  if (!oldest) return false;
  oldest->Close();
  return true;
}

void Server::Parts::LookAt(const std::function<bool()>& should_stop) {
  if (should_stop()) return Stop();
  next_look.expires_after(kBetweenQuestions);
  next_look.async_wait([this, &should_stop](error_code) { LookAt(should_stop); });
}

void Server::Parts::Stop() {
  error_code ignored;
  acceptor.close(ignored);
  retry.cancel();
  const std::set<std::shared_ptr<Connection>> open = shared.connections;
  for (const std::shared_ptr<Connection>& each : open) each->Close();
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::Listen(const ServerOptions& options, std::vector<Route> routes) {
  for (const std::string& origin : options.frames) OFINDEX_TRY(CheckFrame(origin));
  auto parts = std::make_unique<Parts>(options.limits);
  OFINDEX_ASSIGN(parts->acceptor, Bind(parts->shared.io, options.host, options.port));
  error_code failed;
  const tcp::endpoint endpoint = parts->acceptor.local_endpoint(failed);
  if (failed) return tl::unexpected(NetworkError("cannot listen", failed, "use another --port"));
  const asio::ip::address address = endpoint.address();
  OFINDEX_ASSIGN(const std::string token, NewToken());
  parts->port = endpoint.port();
  parts->is_local = address.is_loopback();
  parts->host = address.is_unspecified() ? NameOfMachine() : InUrl(address);
  parts->url = StrCat("http://", parts->host, ":", parts->port, "/?token=", token);
  Access access{.token = token,
                .port = parts->port,
                .hosts = {"127.0.0.1", "localhost", "[::1]", parts->host, Folded(options.host)},
                .any_address = !parts->is_local,
                .frames = options.frames};
  parts->shared.gate.emplace(std::move(access), std::move(routes));
  OFINDEX_TRY(parts->shared.workers.Start(options.limits.workers));
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

const std::string& Server::url() const { return parts_->url; }
const std::string& Server::host() const { return parts_->host; }
uint16_t Server::port() const { return parts_->port; }
bool Server::is_local() const { return parts_->is_local; }

void Server::Run(const std::function<bool()>& should_stop) {
  parts_->Accept();
  parts_->LookAt(should_stop);
  // Ends once there is nothing to wait for: Stop() has closed all. An error, which is a lack of memory, costs the
  // connection that it happened to.
  while (!WithMemory("the server", [this]() -> Result<void> {
    parts_->shared.io.run();
    return {};
  })) {
  }
}

}  // namespace ofindex

// Apart from the other checks: the headers of Boost.Asio take long to compile, and define macros.

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/server/server_checks.h"
#include "tools/http/connection.h"

namespace ofindex {
namespace {

const std::string kFuzzToken(64, 'a');
constexpr std::string_view kFuzzSecret = "what only the owner may see";
constexpr size_t kMostSent = 64 << 10;

// Answers with the error that the request names, if it names one.
Response AnswerOf(const Request& request) {
  Response response{.body = std::string(kFuzzSecret) + request.body};
  for (const auto& [name, value] : request.parameters) {
    if (name == "status" && value.size() == 3 && value[0] >= '4') response.status = std::atoi(value.c_str());
  }
  return response;
}

// The server of one port; of any address, or whose page other pages may frame.
Gate FuzzGate(bool any_address, bool has_frames) {
  const Handler page = [](const Request&) {
    return Response{.type = "text/html", .body = "page", .headers = {{"ETag", "\"x\""}}};
  };
  const Handler data = AnswerOf;
  std::vector<std::string> frames;
  if (has_frames) frames = {"https://hub.example", "https://lab.example"};
  return Gate({.token = kFuzzToken,
               .port = 8080,
               .hosts = {"127.0.0.1", "localhost", "[::1]"},
               .any_address = any_address,
               .frames = frames},
              {{.path = "/", .handler = page},
               {.path = "/api/dataset", .handler = data},
               {.path = "/page/main.mjs", .handler = page, .needs_token = false},
               {.method = Method::kPost, .path = "/api/sql", .handler = data}});
}

// Takes what a connection has written.
std::string Received(int fd) {
  std::string all(kMostSent, '\0');
  size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < all.size();) {
    got = ::recv(fd, all.data() + size, all.size() - size, MSG_DONTWAIT);
    if (got > 0) size += static_cast<size_t>(got);
  }
  all.resize(size);
  return all;
}

// Lets the connection do all that it can without a further byte.
void RunAll(Shared& shared) {
  shared.io.restart();
  while (shared.io.poll() != 0) {
  }
}

// Every response begins with a status line, has a head that ends, and as many bytes as it says.
void CheckResponses(std::string_view received, bool knows_token) {
  Expect(knows_token || received.find(kFuzzSecret) == std::string_view::npos, "data without the token: ", received);
  while (!received.empty()) {
    Expect(received.starts_with("HTTP/1."), "what is no response: ", received);
    const size_t head_end = received.find("\r\n\r\n");
    Expect(head_end != std::string_view::npos, "a head without an end: ", received);
    const std::string_view head = received.substr(0, head_end);
    const size_t length_at = head.find("Content-Length: ");
    const size_t length = length_at == std::string_view::npos
                              ? 0
                              : std::strtoull(std::string(head.substr(length_at + 16)).c_str(), nullptr, 10);
    received.remove_prefix(head_end + 4);
    // The response to HEAD, and 304, name the length of a body that is not there.
    const bool has_body = received.size() >= length && !received.starts_with("HTTP/1.");
    if (has_body) received.remove_prefix(length);
    if (!has_body && length != 0 && !received.empty()) Expect(received.starts_with("HTTP/1."), "half a body");
  }
}

}  // namespace

// The first byte says what the server is; then come pieces that are sent, each after its size.
void CheckHttp(ByteView bytes) {
  FuzzInput input(bytes);
  const uint8_t choices = input.Byte();
  int ends[2];
  Expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0, "no sockets");
  Limits limits;
  limits.head_bytes = 2 << 10;
  limits.body_bytes = 1 << 10;
  std::string received;
  const std::string text(AsText(bytes));
  {
    Shared shared(limits);
    shared.gate.emplace(FuzzGate((choices & 1) != 0, (choices & 2) != 0));
    Expect(shared.workers.Start(1).has_value(), "no thread");
    boost::asio::ip::tcp::socket socket(shared.io);
    boost::system::error_code failed;
    socket.assign(boost::asio::ip::tcp::v4(), ends[0], failed);
    Expect(!failed, "a socket is not taken");
    const auto connection = std::make_shared<Connection>(std::move(socket), shared);
    shared.connections.insert(connection);
    connection->Start();
    while (!input.empty()) {
      const ByteView piece = input.Bytes(1 + size_t{8} * input.Byte());
      if (::send(ends[1], piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) break;
      RunAll(shared);
      received += Received(ends[1]);
      // The handler of an admitted request runs on another thread.
      while (!connection->IsIdle()) {
        shared.io.run_one_for(std::chrono::milliseconds(10));
        received += Received(ends[1]);
      }
    }
    ::shutdown(ends[1], SHUT_WR);
    RunAll(shared);
    received += Received(ends[1]);
    connection->Close();
    RunAll(shared);
    Expect(shared.bodies.Take(limits.bytes_in_flight).has_value(), "bytes in flight without a connection");
    Expect(shared.connections.empty(), "a closed connection is kept");
  }
  ::close(ends[1]);
  CheckResponses(received, text.find(kFuzzToken.substr(0, 32)) != std::string::npos);
}

}  // namespace ofindex

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tests/tools/http/raw_client.h"
#include "tools/http/server.h"

namespace ofindex {
namespace {

using test::RawClient;

bool SoonTrue(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// A server on a thread, with these routes:
//   /word    says the parameter "word"
//   /large   says 4 MiB
//   /slow    waits until the test opens it, or nobody waits for the answer
//   /crowd   says 4 MiB once as many as there are threads are asked for
//   /throws  runs out of memory
class TestServer {
 public:
  explicit TestServer(const Limits& limits = {}) {
    std::vector<Route> routes = {
        {.path = "/word",
         .handler = [](const Request& request) { return Response{.body = request.Parameter("word", "none")}; }},
        {.method = Method::kPost,
         .path = "/word",
         .handler = [](const Request& request) { return Response{.body = request.body}; }},
        {.path = "/large", .handler = [](const Request&) { return Response{.body = std::string(kLargeBytes, 'x')}; }},
        {.path = "/crowd", .handler = [this](const Request&) { return Crowd(); }},
        {.path = "/slow", .handler = [this](const Request& request) { return Slow(request); }},
        {.path = "/throws", .handler = [](const Request&) -> Response { throw std::bad_alloc(); }},
    };
    auto listening = Server::Listen({.limits = limits}, std::move(routes));
    REQUIRE(listening.has_value());
    server_ = std::move(*listening);
    token_ = server_->url().substr(server_->url().find("token=") + 6);
    thread_ = std::thread([this] { server_->Run([this] { return stop_.load(); }); });
  }
  ~TestServer() { Stop(); }

  void Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }

  [[nodiscard]] uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::string Get(const std::string& target) const { return Ask("GET", target, ""); }
  [[nodiscard]] std::string Ask(const std::string& method, const std::string& target, const std::string& more) const {
    return StrCat(method, " ", target, " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ", token_, "\r\n", more,
                  "\r\n");
  }

  // Checks that it still answers.
  void CheckAlive() const {
    RawClient client(port());
    client.Send(Get("/word?word=alive"));
    CHECK(client.Receive().ends_with("\r\n\r\nalive"));
  }

  static constexpr size_t kLargeBytes = 4 << 20;
  std::atomic<int> waiting{0};  // handlers of /slow that wait
  std::atomic<int> left{0};     // those that nobody waited for
  std::atomic<bool> open{false};
  std::atomic<unsigned> crowd{0};  // handlers of /crowd that have begun

 private:
  Response Slow(const Request& request) {
    ++waiting;
    const bool opened = SoonTrue([&] { return open || *request.gone; });
    CHECK(opened);
    if (!open) ++left;
    --waiting;
    return {.body = "slow"};
  }

  Response Crowd() {
    ++crowd;
    CHECK(SoonTrue([&] { return crowd >= Limits().workers; }));
    return {.body = std::string(kLargeBytes, 'x')};
  }

  std::unique_ptr<Server> server_;
  std::string token_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

bool IsStatus(const std::string& response, int status) {
  return response.starts_with(StrCat("HTTP/1.1 ", status, " "));
}

TEST_CASE("one connection answers many requests, also those sent at once, in their order") {
  const TestServer server;
  RawClient client(server.port());
  client.Send(server.Get("/word?word=first"));
  CHECK(client.Receive().ends_with("\r\n\r\nfirst"));
  std::string all;
  for (int i = 0; i < 300; ++i) all += server.Get(StrCat("/word?word=", i));
  std::thread sending([&] { client.Send(all); });
  int in_order = 0;
  while (in_order < 300 && client.Receive().ends_with(StrCat("\r\n\r\n", in_order))) ++in_order;
  sending.join();
  CHECK(in_order == 300);
  client.Send(server.Ask("POST", "/word", "Content-Type: application/json\r\nContent-Length: 7\r\n") + "{\"a\":1}");
  CHECK(client.Receive().ends_with("\r\n\r\n{\"a\":1}"));
  client.Send(server.Ask("HEAD", "/word?word=four", "Connection: close\r\n"));
  const std::string head = client.Receive();
  CHECK(IsStatus(head, 200));
  CHECK(head.find("\r\nContent-Length: 4\r\n") != std::string::npos);
  CHECK(head.ends_with("\r\n\r\n"));
}

TEST_CASE("a request may come in any pieces") {
  const TestServer server;
  const std::string request =
      server.Ask("POST", "/word", "Content-Type: application/json\r\nContent-Length: 7\r\n") + "{\"a\":1}";
  for (size_t cut = 1; cut < request.size(); ++cut) {
    RawClient client(server.port());
    client.Send(request.substr(0, cut));
    if (cut % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    client.Send(request.substr(cut));
    REQUIRE(client.Receive().ends_with("\r\n\r\n{\"a\":1}"));
  }
}

TEST_CASE("a handler learns that its client has gone") {
  TestServer server;
  {
    RawClient client(server.port());
    client.Send(server.Get("/slow"));
    REQUIRE(SoonTrue([&] { return server.waiting == 1; }));
  }
  CHECK(SoonTrue([&] { return server.left == 1; }));
  server.CheckAlive();
}

TEST_CASE("a handler that takes too long is told that its client has gone") {
  TestServer server({.answer_time = std::chrono::milliseconds(200)});
  RawClient client(server.port());
  client.Send(server.Get("/slow"));
  CHECK(client.IsClosed());
  CHECK(SoonTrue([&] { return server.left == 1; }));
  server.CheckAlive();
}

TEST_CASE("a handler that runs out of memory costs its own answer alone") {
  const TestServer server;
  RawClient client(server.port());
  client.Send(server.Get("/throws"));
  CHECK(IsStatus(client.Receive(), 503));
  client.Send(server.Get("/word?word=next"));
  CHECK(client.Receive().ends_with("next"));
}

TEST_CASE("requests beyond the queue are refused at once, and those in it are answered") {
  TestServer server({.workers = 1, .waiting = 2});
  std::deque<RawClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back(server.port());
    clients.back().Send(server.Get("/slow"));
    if (i == 0) REQUIRE(SoonTrue([&] { return server.waiting == 1; }));
  }
  RawClient refused(server.port());
  refused.Send(server.Get("/word"));
  const std::string response = refused.Receive();
  CHECK(IsStatus(response, 503));
  CHECK(response.find("\r\nRetry-After: 1\r\n") != std::string::npos);
  server.open = true;
  int answered = 0;
  for (RawClient& client : clients) answered += IsStatus(client.Receive(), 200) ? 1 : 0;
  CHECK(answered == 3);
  server.CheckAlive();
}

TEST_CASE("a client that does not read holds its response until the deadline, and no more than the limit is held") {
  const TestServer server({.bytes_in_flight = TestServer::kLargeBytes, .write_time = std::chrono::milliseconds(500)});
  std::deque<RawClient> lazy;
  for (int i = 0; i < 3; ++i) {
    lazy.emplace_back(server.port(), /*receive_bytes=*/4096);
    lazy.back().Send(server.Get("/large"));
  }
  // Two are held, and the third one is told, in whatever order.
  CHECK(SoonTrue([&] {
    RawClient client(server.port());
    client.Send(server.Get("/word"));
    return IsStatus(client.Receive(), 503);
  }));
  // 4 MiB have 16 seconds more than the others: only closing them frees the memory now.
  lazy.clear();
  CHECK(SoonTrue([&] {
    RawClient client(server.port());
    client.Send(server.Get("/word"));
    return IsStatus(client.Receive(), 200);
  }));
}

TEST_CASE("large responses that are made at once are held no further than the limit, and the others are told") {
  const TestServer server({.bytes_in_flight = 2 * TestServer::kLargeBytes + TestServer::kLargeBytes / 2});
  std::deque<RawClient> clients;
  for (unsigned i = 0; i < Limits().workers; ++i) {
    clients.emplace_back(server.port(), /*receive_bytes=*/4096);
    clients.back().Send(server.Get("/crowd"));
  }
  REQUIRE(SoonTrue([&] { return server.crowd == Limits().workers; }));
  // A response that is read early makes room for another one.
  for (RawClient& client : clients) client.AwaitAnswer();
  server.CheckAlive();
  int whole = 0;
  int refused = 0;
  for (RawClient& client : clients) {
    const std::string response = client.Receive();
    whole += IsStatus(response, 200) ? 1 : 0;
    refused += IsStatus(response, 503) ? 1 : 0;
  }
  CHECK(whole == 2);
  CHECK(refused == 6);
  server.CheckAlive();
}

TEST_CASE("idle connections and unfinished requests end at their deadlines") {
  const TestServer server(
      {.request_time = std::chrono::milliseconds(300), .idle_time = std::chrono::milliseconds(200)});
  RawClient silent(server.port());
  RawClient half(server.port());
  half.Send("GET / HTTP/1.1\r\nHost: lo");
  RawClient body(server.port());
  body.Send(server.Ask("POST", "/word", "Content-Type: application/json\r\nContent-Length: 7\r\n") + "{");
  RawClient idle(server.port());
  idle.Send(server.Get("/word"));
  CHECK(IsStatus(idle.Receive(), 200));
  for (RawClient* const client : {&silent, &half, &body, &idle}) CHECK(client->IsClosed());
  server.CheckAlive();
}

TEST_CASE("beyond the limit, the connection that was idle the longest makes room") {
  TestServer server({.connections = 8});
  RawClient busy(server.port());
  busy.Send(server.Get("/slow"));
  REQUIRE(SoonTrue([&] { return server.waiting == 1; }));
  std::deque<RawClient> idle;
  for (int i = 0; i < 40; ++i) idle.emplace_back(server.port());
  for (int i = 0; i < 33; ++i) CHECK(idle[static_cast<size_t>(i)].IsClosed());
  idle.back().Send(server.Get("/word?word=kept"));
  CHECK(idle.back().Receive().ends_with("kept"));
  server.open = true;
  CHECK(busy.Receive().ends_with("slow"));
}

TEST_CASE("a refused client gets its answer although it has sent more") {
  const TestServer server;
  RawClient client(server.port());
  client.Send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\n\r\n" + std::string(500'000, 'x'));
  CHECK(IsStatus(client.Receive(), 413));
  CHECK(client.IsClosed());
}

TEST_CASE("a stop closes all connections and ends the handlers") {
  TestServer server;
  RawClient idle(server.port());
  RawClient busy(server.port());
  busy.Send(server.Get("/slow"));
  REQUIRE(SoonTrue([&] { return server.waiting == 1; }));
  server.Stop();
  CHECK(server.left == 1);
  CHECK(idle.IsClosed());
  CHECK(busy.IsClosed());
}

TEST_CASE("a server is refused without an address, and with a frame that is no origin") {
  const auto unknown = Server::Listen({.host = "no such host"}, {});
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code == ErrorCode::kUsage);
  for (const char* const frame : {"", "a b", "http://a;script-src *", "'self'", "a,b", "a\r\nb"}) {
    CAPTURE(frame);
    const auto framed = Server::Listen({.frames = {frame}}, {});
    REQUIRE_FALSE(framed.has_value());
    CHECK(framed.error().code == ErrorCode::kUsage);
  }
  const TestServer first;
  const auto taken = Server::Listen({.port = first.port()}, {});
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().code == ErrorCode::kIo);
  CHECK(taken.error().message.find("Address already in use") != std::string::npos);
}

}  // namespace
}  // namespace ofindex

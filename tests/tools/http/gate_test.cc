#include "tools/http/gate.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"

namespace ofindex {
namespace {

using HeadFields = std::vector<std::pair<std::string, std::string>>;

const std::string kSecret(64, 'a');

Gate TestGate(std::vector<std::string> frames = {}, bool any_address = false) {
  const Handler handler = [](const Request&) { return Response{}; };
  return Gate({.token = kSecret,
               .port = 8080,
               .hosts = {"127.0.0.1", "localhost", "[::1]", "workstation"},
               .any_address = any_address,
               .frames = std::move(frames)},
              {{.path = "/", .handler = handler},
               {.path = "/api/dataset", .handler = handler},
               {.path = "/page/main.mjs", .handler = handler, .needs_token = false},
               {.method = Method::kPost, .path = "/api/sql", .handler = handler}});
}

// A head of the page's own: with Host and cookie, unless `fields` has them.
Head PageHead(std::string method, std::string target, HeadFields fields = {}) {
  Head head{.method = std::move(method), .target = std::move(target), .fields = std::move(fields)};
  if (head.Count("host") == 0) head.fields.emplace_back("host", "127.0.0.1:8080");
  if (head.Count("cookie") == 0) head.fields.emplace_back("cookie", "theme=dark; ofindex_8080=" + kSecret);
  if (head.method == "POST" && head.Count("content-type") == 0)
    head.fields.emplace_back("content-type", "application/json");
  if (head.method == "POST" && head.Count("content-length") == 0) head.fields.emplace_back("content-length", "2");
  if (head.method == "POST" && head.Count("origin") == 0) head.fields.emplace_back("origin", "http://127.0.0.1:8080");
  return head;
}

// Returns the status of a refusal, and 200 for an admission.
int StatusOf(const Gate& gate, const Head& head) {
  const auto examined = gate.Examine(head);
  const Response* const refusal = std::get_if<Response>(&examined);
  return refusal == nullptr ? 200 : refusal->status;
}

std::string HeaderOf(const Response& response, const std::string& name) {
  for (const auto& [each, value] : response.headers) {
    if (each == name) return value;
  }
  return "";
}

Response WelcomeOf(const Gate& gate, const Head& head) {
  const auto examined = gate.Examine(head);
  REQUIRE(std::holds_alternative<Response>(examined));
  return std::get<Response>(examined);
}

TEST_CASE("requests of the page, and of nobody else, are admitted") {
  struct Case {
    int status;
    std::string method;
    std::string target;
    HeadFields fields;
  };
  const std::string cookie = "ofindex_8080=" + kSecret;
  const Gate gate = TestGate();
  for (const Case& each : std::vector<Case>{
           {200, "GET", "/api/dataset", {}},
           {200, "HEAD", "/api/dataset", {}},
           {200, "POST", "/api/sql", {}},
           {200, "GET", "/", {}},
           // hosts
           {200, "GET", "/", {{"host", "localhost:8080"}}},
           {200, "GET", "/", {{"host", "LocalHost:9000"}}},  // forwarded from another port
           {200, "GET", "/", {{"host", "[::1]:8080"}}},
           {200, "GET", "/", {{"host", "workstation:8080"}}},
           {421, "GET", "/", {{"host", "evil.example:8080"}}},
           {421, "GET", "/", {{"host", "127.0.0.1.evil.example:8080"}}},
           {421, "GET", "/", {{"host", "localhost.evil.example"}}},
           {421, "GET", "/", {{"host", "10.0.0.1:8080"}}},
           {421, "GET", "/", {{"host", ""}}},
           {421, "GET", "/", {{"host", "127.0.0.1:8080:1"}}},
           {421, "GET", "/", {{"host", "127.0.0.1:http"}}},
           {421, "GET", "/", {{"host", "user@127.0.0.1:8080"}}},
           {421, "GET", "/", {{"host", "127.0.0.1:8080"}, {"host", "127.0.0.1:8080"}}},
           // tokens
           {401, "GET", "/api/dataset", {{"cookie", ""}}},
           {401, "HEAD", "/api/dataset", {{"cookie", ""}}},
           {401, "GET", "/", {{"cookie", ""}}},
           {401, "GET", "/no/such/path", {{"cookie", ""}}},
           {401, "GET", "/api/dataset", {{"cookie", cookie.substr(0, cookie.size() - 1)}}},
           {401, "GET", "/api/dataset", {{"cookie", cookie + "a"}}},
           {401, "GET", "/api/dataset", {{"cookie", "xofindex_8080=" + kSecret}}},
           {401, "GET", "/api/dataset", {{"cookie", "ofindex_8081=" + kSecret}}},
           {200, "GET", "/api/dataset", {{"cookie", "ofindex_8080=wrong; " + cookie}}},
           {200, "GET", "/api/dataset", {{"cookie", ""}, {"authorization", "Bearer " + kSecret}}},
           {401, "GET", "/api/dataset", {{"cookie", ""}, {"authorization", "Basic " + kSecret}}},
           {401, "GET", "/api/dataset", {{"cookie", ""}, {"authorization", "Bearer " + std::string(64, 'b')}}},
           {200, "GET", "/api/dataset?token=" + kSecret, {{"cookie", ""}}},
           {401, "GET", "/api/dataset?token=a", {{"cookie", ""}}},
           {200, "GET", "/page/main.mjs", {{"cookie", ""}}},
           {421, "GET", "/page/main.mjs", {{"cookie", ""}, {"host", "evil.example"}}},
           // other sites, and other ports of this machine, which are the same site
           {200, "GET", "/api/dataset", {{"sec-fetch-site", "same-origin"}}},
           {200, "GET", "/api/dataset", {{"sec-fetch-site", "none"}}},
           {403, "GET", "/api/dataset", {{"sec-fetch-site", "none"}, {"sec-fetch-site", "cross-site"}}},
           {403, "GET", "/api/dataset", {{"sec-fetch-site", ""}, {"sec-fetch-site", "cross-site"}}},
           {403, "GET", "/api/dataset", {{"sec-fetch-site", "same-site"}}},
           {403, "GET", "/api/dataset", {{"sec-fetch-site", "cross-site"}}},
           {403, "GET", "/api/dataset", {{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}}},
           {403, "GET", "/page/main.mjs", {{"sec-fetch-site", "cross-site"}}},
           {200, "GET", "/", {{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}}},
           {403, "GET", "/", {{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "no-cors"}}},
           {403, "POST", "/api/sql", {{"sec-fetch-site", "same-site"}}},
           {403, "POST", "/api/sql", {{"origin", "http://evil.example"}}},
           {403, "POST", "/api/sql", {{"origin", "null"}}},
           {403, "POST", "/api/sql", {{"origin", "http://127.0.0.1:8081"}}},
           {403, "POST", "/api/sql", {{"origin", "https://127.0.0.1:8080"}}},
           {403, "POST", "/api/sql", {{"origin", "http://evil.example"}, {"authorization", "Bearer " + kSecret}}},
           // types and framing of bodies
           {200, "POST", "/api/sql", {{"content-type", "Application/JSON; charset=utf-8"}}},
           {415, "POST", "/api/sql", {{"content-type", "text/plain"}}},
           {415, "POST", "/api/sql", {{"content-type", "application/x-www-form-urlencoded"}}},
           {415, "POST", "/api/sql", {{"content-type", "text/plain; application/json"}}},
           {400, "POST", "/api/sql", {{"content-length", "2"}, {"content-length", "2"}}},
           {411, "POST", "/api/sql", {{"transfer-encoding", "chunked"}}},
           {411, "GET", "/api/dataset", {{"transfer-encoding", "identity"}}},
           {400, "GET", "/api/dataset", {{"content-length", "5"}}},
           {200, "GET", "/api/dataset", {{"content-length", "0"}}},
           {417, "POST", "/api/sql", {{"expect", "100-continue"}}},
           // methods and paths
           {405, "PUT", "/api/dataset", {}},
           {405, "OPTIONS", "/api/sql", {}},
           {405, "TRACE", "/", {}},
           {405, "CONNECT", "127.0.0.1:8080", {}},
           {405, "get", "/", {}},
           {404, "GET", "/api/sql", {}},
           {404, "POST", "/api/dataset", {}},
           {404, "GET", "/api/dataset/", {}},
           {404, "GET", "/../etc/passwd", {}},
           {404, "GET", "/%2e%2e/etc/passwd", {}},
           {404, "GET", "/page/../api/dataset", {}},
           {200, "GET", "/api/%64ataset", {}},
           {400, "GET", "//evil.example/", {}},
           {400, "GET", "http://127.0.0.1:8080/", {}},
           {400, "GET", "/api%00", {}},
           {400, "GET", "*", {}},
       }) {
    CAPTURE(each.method);
    CAPTURE(each.target);
    std::string fields;
    for (const auto& [name, value] : each.fields) fields += StrCat(name, ": ", value, "\n");
    CAPTURE(fields);
    CHECK(StatusOf(gate, PageHead(each.method, each.target, each.fields)) == each.status);
  }
}

TEST_CASE("a POST without Origin is a program's, which sends the token itself") {
  const Gate gate = TestGate();
  Head head{.method = "POST",
            .target = "/api/sql",
            .fields = {{"host", "localhost"}, {"content-type", "application/json"}, {"content-length", "2"}}};
  head.fields.emplace_back("cookie", "ofindex_8080=" + kSecret);
  CHECK(StatusOf(gate, head) == 403);
  head.fields.emplace_back("authorization", "bearer " + kSecret);
  CHECK(StatusOf(gate, head) == 200);
}

TEST_CASE("a server for the network answers to its addresses, and still not to other names") {
  const Gate gate = TestGate({}, /*any_address=*/true);
  CHECK(StatusOf(gate, PageHead("GET", "/", {{"host", "10.0.0.1:8080"}})) == 200);
  CHECK(StatusOf(gate, PageHead("GET", "/", {{"host", "[fe80::1]:8080"}})) == 200);
  CHECK(StatusOf(gate, PageHead("GET", "/", {{"host", "10.0.0.evil:8080"}})) == 421);
  CHECK(StatusOf(gate, PageHead("GET", "/", {{"host", "[fe80::1.evil:8080"}})) == 421);
  CHECK(StatusOf(gate, PageHead("GET", "/", {{"host", "fe80.example"}})) == 421);
}

TEST_CASE("the token moves from the URL into a cookie, and the other parameters stay") {
  const Gate gate = TestGate();
  const Response response =
      WelcomeOf(gate, PageHead("GET", "/?a=1%262&token=" + kSecret + "&b=%3Cx%3E+y", {{"cookie", ""}}));
  CHECK(response.status == 303);
  CHECK(HeaderOf(response, "Location") == "/?a=1%262&b=%3Cx%3E%20y");
  CHECK(HeaderOf(response, "Set-Cookie") == "ofindex_8080=" + kSecret + "; HttpOnly; SameSite=Strict; Path=/");
  CHECK(StatusOf(gate, PageHead("GET", "/?token=" + std::string(64, 'b'), {{"cookie", ""}})) == 401);
}

TEST_CASE("a browser that follows a link of another site is led on by a page, since a redirect loses the cookie") {
  const Response response = WelcomeOf(
      TestGate(), PageHead("GET", "/?token=" + kSecret + "&a=1&b=2",
                           {{"cookie", ""}, {"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}}));
  CHECK(response.status == 200);
  CHECK(HeaderOf(response, "Set-Cookie").starts_with("ofindex_8080="));
  CHECK(response.body.find("content=\"0; url=/?a=1&amp;b=2\"") != std::string::npos);
  CHECK(response.body.find(kSecret) == std::string::npos);
}

TEST_CASE("the page is framed if an origin may frame it, and the token is in its URL") {
  const HeadFields in_frame = {
      {"cookie", ""}, {"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}, {"sec-fetch-dest", "iframe"}};
  const Head head = PageHead("GET", "/?token=" + kSecret, in_frame);
  const Gate gate = TestGate({"http://localhost:8888", "https://hub.example"});
  const auto examined = gate.Examine(head);
  REQUIRE(std::holds_alternative<Admission>(examined));
  const Admission& admission = std::get<Admission>(examined);
  CHECK(admission.framed);
  CHECK(admission.request.parameters.empty());
  CHECK(gate.FrameAncestors(admission.framed) == "http://localhost:8888 https://hub.example");
  CHECK(gate.FrameAncestors(false) == "'none'");
  // Without --frame, the answer has no data and "frame-ancestors 'none'".
  CHECK(StatusOf(TestGate(), head) == 200);
  CHECK(std::holds_alternative<Response>(TestGate().Examine(head)));
  // By cookie, from another port of this machine: admitted, but not for a frame.
  const auto by_cookie = gate.Examine(PageHead(
      "GET", "/", {{"sec-fetch-site", "same-site"}, {"sec-fetch-mode", "navigate"}, {"sec-fetch-dest", "iframe"}}));
  REQUIRE(std::holds_alternative<Admission>(by_cookie));
  CHECK_FALSE(std::get<Admission>(by_cookie).framed);
}

}  // namespace
}  // namespace ofindex

#include "tools/http/gate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "tools/http/target.h"
#include "tools/http/token.h"

namespace ofindex {
namespace {

using std::string_view;

constexpr string_view kTokenHint = "open the URL that ofindex serve has printed";

// Refuses heads that another program on the way might read otherwise: two lengths, a coded body, a body without need.
std::optional<Response> BadFraming(const Head& head) {
  if (head.Count("transfer-encoding") > 0) {
    return Refusal(411, "the body has a transfer coding", "send it with a Content-Length");
  }
  const bool is_post = head.method == "POST";
  const size_t lengths = head.Count("content-length");
  if (lengths > 1) return Refusal(400, "the request has two lengths", "send one Content-Length");
  if (is_post && lengths == 0) return Refusal(411, "the body has no length", "send it with a Content-Length");
  if (!is_post && lengths == 1 && head.Field("content-length") != "0") {
    return Refusal(400, "the request has a body", "send it with POST");
  }
  if (head.Count("expect") > 0) return Refusal(417, "the request expects something", "send its body at once");
  return std::nullopt;
}

// Returns true if the browser says nothing, or that a page of ours or the user asks. "none" is the user: an address
// typed, a bookmark.
bool IsFromOurPage(const Head& head) {
  if (head.Count("sec-fetch-site") > 1) return false;
  const string_view site = head.Field("sec-fetch-site");
  return site.empty() || site == "same-origin" || site == "none";
}

bool IsNavigation(const Head& head) { return head.Field("sec-fetch-mode") == "navigate"; }

bool IsJson(string_view type) {
  const std::string media = Folded(type.substr(0, type.find_first_of("; \t")));
  return media == "application/json";
}

std::optional<Response> BadPost(const Head& head, bool explicitly) {
  const string_view origin = head.Field("origin");
  const bool is_ours = origin == StrCat("http://", head.Field("host"));
  // A program that sends the token itself has no origin. A browser always has one.
  if (!is_ours && !(explicitly && head.Count("origin") == 0)) {
    return Refusal(403, "the request comes from another origin", kTokenHint);
  }
  if (!IsJson(head.Field("content-type"))) {
    return Refusal(415, "the body is not application/json", "send JSON, with its Content-Type");
  }
  return std::nullopt;
}

string_view BearerOf(string_view authorization) {
  constexpr string_view kScheme = "bearer ";
  if (Folded(authorization.substr(0, kScheme.size())) != kScheme) return {};
  return authorization.substr(kScheme.size());
}

UrlParameters WithoutToken(UrlParameters parameters) {
  std::erase_if(parameters, [](const auto& parameter) { return parameter.first == "token"; });
  return parameters;
}

std::string InHtml(string_view query) {
  std::string out;
  for (const char c : query) out += c == '&' ? std::string("&amp;") : std::string(1, c);
  return out;
}

}  // namespace

Gate::Gate(Access access, std::vector<Route> routes) : access_(std::move(access)), routes_(std::move(routes)) {}

std::variant<Admission, Response> Gate::Examine(const Head& head) const {
  const bool is_post = head.method == "POST";
  const bool head_only = head.method == "HEAD";
  if (!is_post && !head_only && head.method != "GET") {
    Response refusal = Refusal(405, "the method is not allowed", "use GET, HEAD or POST");
    refusal.headers.emplace_back("Allow", "GET, HEAD, POST");
    return refusal;
  }
  if (std::optional<Response> bad = BadFraming(head)) return std::move(*bad);
  if (!IsOurHost(head)) {
    return Refusal(421, "the request is for another host", "use the host of the URL that ofindex serve has printed");
  }
  std::optional<Target> target = ParseTarget(head.target);
  if (!target) return Refusal(400, "the target of the request is malformed", "ask for a path such as /api/dataset");

  const Method method = is_post ? Method::kPost : Method::kGet;
  const auto route = std::find_if(routes_.begin(), routes_.end(), [&](const Route& each) {
    return each.method == method && each.path == target->path;
  });
  const bool is_page = target->path == "/" && !is_post;
  if (!IsFromOurPage(head) && !(is_page && IsNavigation(head))) {
    return Refusal(403, "the request comes from a page of another site", kTokenHint);
  }
  const Proof proof = ProofOf(head, target->parameters);
  const bool is_public = route != routes_.end() && !route->needs_token;
  if (proof == Proof::kNone && !is_public) {
    if (!is_page) return Refusal(401, "the token is missing or wrong", kTokenHint);
    return Response{.status = 401,
                    .type = "text/plain; charset=utf-8",
                    .body = StrCat("The token is missing or wrong: ", kTokenHint, ".\n")};
  }
  const bool has_parameter = std::any_of(target->parameters.begin(), target->parameters.end(),
                                         [](const auto& parameter) { return parameter.first == "token"; });
  UrlParameters parameters = WithoutToken(std::move(target->parameters));
  const bool framed =
      is_page && proof == Proof::kExplicit && !access_.frames.empty() && head.Field("sec-fetch-dest") == "iframe";
  if (is_page && has_parameter && proof == Proof::kExplicit && !framed) return Welcome(head, parameters);
  if (is_post) {
    if (std::optional<Response> bad = BadPost(head, proof == Proof::kExplicit)) return std::move(*bad);
  }
  if (route == routes_.end()) return Refusal(404, "there is nothing at this path", "open / for the page");
  return Admission{.request = {.method = method,
                               .path = std::move(target->path),
                               .parameters = std::move(parameters),
                               .headers = head.fields},
                   .handler = &route->handler,
                   .head_only = head_only,
                   .framed = framed};
}

std::string Gate::FrameAncestors(bool framed) const {
  if (!framed) return "'none'";
  std::string out;
  for (const std::string& origin : access_.frames) out += (out.empty() ? "" : " ") + origin;
  return out;
}

bool Gate::IsOurHost(const Head& head) const {
  if (head.Count("host") != 1) return false;
  const std::string name = HostName(head.Field("host"));
  if (std::find(access_.hosts.begin(), access_.hosts.end(), name) != access_.hosts.end()) return true;
  return access_.any_address && IsAddress(name);
}

Gate::Proof Gate::ProofOf(const Head& head, const UrlParameters& parameters) const {
  const auto is_token = [&](string_view given) { return IsSameToken(given, access_.token); };
  if (is_token(BearerOf(head.Field("authorization")))) return Proof::kExplicit;
  for (const auto& [name, value] : parameters) {
    if (name == "token" && is_token(value)) return Proof::kExplicit;
  }
  const std::string cookie = StrCat("ofindex_", access_.port);
  return AnyCookie(head.Field("cookie"), cookie, is_token) ? Proof::kCookie : Proof::kNone;
}

// Moves the token from the URL to a cookie. A browser that comes from another site would not send a strict cookie along
// a redirect, so it gets a page of ours that leads on.
Response Gate::Welcome(const Head& head, const UrlParameters& parameters) const {
  const std::string query = QueryOf(parameters);
  const std::string location = StrCat("/", query.empty() ? "" : "?", query);
  const std::string cookie =
      StrCat("ofindex_", access_.port, "=", access_.token, "; HttpOnly; SameSite=Strict; Path=/");
  Response response{.status = 303, .type = "text/plain; charset=utf-8", .headers = {{"Set-Cookie", cookie}}};
  if (IsFromOurPage(head)) {
    response.headers.emplace_back("Location", location);
    return response;
  }
  response.status = 200;
  response.type = "text/html; charset=utf-8";
  response.body =
      StrCat("<!DOCTYPE html><title>ofindex</title><meta http-equiv=\"refresh\" content=\"0; url=", InHtml(location),
             "\"><a href=\"", InHtml(location), "\">Open</a>\n");
  return response;
}

Response Refusal(int status, string_view message, string_view hint) {
  return {.status = status,
          .body = StrCat("{\"error\": {\"message\": \"", message, "\", \"hint\": \"", hint, "\"}}\n")};
}

}  // namespace ofindex

#include "tools/http/reply.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "tools/http/body_range.h"

namespace ofindex {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200: return "OK";
    case 206: return "Partial Content";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

std::string_view FieldOf(const Fields& fields, std::string_view name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return Folded(field.first) == name; });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

// Values of fields may hold names from a dataset: a line end would begin another field.
void AppendField(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  for (const char c : value) head += static_cast<unsigned char>(c) < 0x20 || c == '\x7f' ? ' ' : c;
  head += "\r\n";
}

// Applies If-None-Match, Range and If-Range to a whole body.
void ApplyConditions(const Request& request, Response& response, Reply& reply) {
  const std::string tag(FieldOf(response.headers, "etag"));
  if (request.HasBody(tag) || (!tag.empty() && FieldOf(request.headers, "if-none-match") == "*")) {
    response.status = 304;
    reply.size = 0;
    return;
  }
  response.headers.emplace_back("Accept-Ranges", "bytes");
  const std::string_view unless_changed = FieldOf(request.headers, "if-range");
  if (!unless_changed.empty() && unless_changed != tag) return;
  const uint64_t whole = response.body.size();
  const BodyRange range = ParseRange(FieldOf(request.headers, "range"), whole);
  if (range.kind == BodyRange::Kind::kWhole) return;
  reply.begin = range.begin;
  reply.size = range.size;
  if (range.kind == BodyRange::Kind::kOutside) {
    response.status = 416;
    response.headers.emplace_back("Content-Range", StrCat("bytes */", whole));
    return;
  }
  response.status = 206;
  response.headers.emplace_back("Content-Range",
                                StrCat("bytes ", range.begin, "-", range.begin + range.size - 1, "/", whole));
}

std::string PolicyOf(const std::string& frame_ancestors) {
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
         "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors " +
         frame_ancestors;
}

}  // namespace

Reply MakeReply(const Request& request, Response response, const ReplyOptions& options) {
  Reply reply{.size = response.body.size()};
  if (request.method == Method::kGet && response.status == 200) ApplyConditions(request, response, reply);
  std::string& head = reply.head;
  head = StrCat("HTTP/1.1 ", response.status, " ", ReasonOf(response.status), "\r\n");
  AppendField(head, "Content-Type", response.type);
  if (response.status != 304) AppendField(head, "Content-Length", std::to_string(reply.size));
  AppendField(head, "Connection", options.keep_alive ? "keep-alive" : "close");
  AppendField(head, "Content-Security-Policy", PolicyOf(options.frame_ancestors));
  AppendField(head, "X-Content-Type-Options", "nosniff");
  AppendField(head, "Referrer-Policy", "no-referrer");
  AppendField(head, "Cross-Origin-Resource-Policy", "same-origin");
  AppendField(head, "Cross-Origin-Opener-Policy", "same-origin");
  if (FieldOf(response.headers, "cache-control").empty()) AppendField(head, "Cache-Control", "no-store");
  for (const auto& [name, value] : response.headers) AppendField(head, name, value);
  head += "\r\n";
  if (options.head_only) reply.size = 0;
  reply.body = std::move(response.body);
  return reply;
}

}  // namespace ofindex

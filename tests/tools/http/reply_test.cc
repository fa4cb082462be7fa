#include "tools/http/reply.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/http/body_range.h"

namespace ofindex {
namespace {

bool HasLine(const Reply& reply, const std::string& line) {
  return reply.head.find("\r\n" + line + "\r\n") != std::string::npos;
}

std::string StatusLine(const Reply& reply) { return reply.head.substr(0, reply.head.find("\r\n")); }

Request AskingFor(std::vector<std::pair<std::string, std::string>> headers) { return {.headers = std::move(headers)}; }

TEST_CASE("ranges of a body") {
  struct Case {
    std::string_view value;
    uint64_t size;
    BodyRange::Kind kind;
    uint64_t begin;
    uint64_t bytes;
  };
  using Kind = BodyRange::Kind;
  for (const Case& each : {
           Case{"", 10, Kind::kWhole, 0, 10},
           Case{"bytes=0-3", 10, Kind::kPart, 0, 4},
           Case{"bytes=9-9", 10, Kind::kPart, 9, 1},
           Case{"bytes=3-", 10, Kind::kPart, 3, 7},
           Case{"bytes=3-99", 10, Kind::kPart, 3, 7},
           Case{"bytes=-3", 10, Kind::kPart, 7, 3},
           Case{"bytes=-99", 10, Kind::kPart, 0, 10},
           Case{"bytes=0-18446744073709551615", 10, Kind::kPart, 0, 10},
           Case{"bytes=5-99999999999999999999999", 10, Kind::kPart, 5, 5},
           Case{"bytes=10-", 10, Kind::kOutside, 0, 0},
           Case{"bytes=99999999999999999999999-", 10, Kind::kOutside, 0, 0},
           Case{"bytes=-0", 10, Kind::kOutside, 0, 0},
           Case{"bytes=0-", 0, Kind::kOutside, 0, 0},
           // May be ignored: another unit, several ranges, bad syntax.
           Case{"items=0-3", 10, Kind::kWhole, 0, 10},
           Case{"bytes=0-1,3-4", 10, Kind::kWhole, 0, 10},
           Case{"bytes=4-3", 10, Kind::kWhole, 0, 10},
           Case{"bytes=-", 10, Kind::kWhole, 0, 10},
           Case{"bytes=a-b", 10, Kind::kWhole, 0, 10},
           Case{"bytes= 0-3", 10, Kind::kWhole, 0, 10},
           Case{"bytes=0x1-3", 10, Kind::kWhole, 0, 10},
           Case{"bytes=3", 10, Kind::kWhole, 0, 10},
           Case{"bytes=--3", 10, Kind::kWhole, 0, 10},
       }) {
    CAPTURE(each.value);
    const BodyRange range = ParseRange(each.value, each.size);
    CHECK(range.kind == each.kind);
    CHECK(range.begin == each.begin);
    CHECK(range.size == each.bytes);
  }
}

TEST_CASE("every response has the headers of security") {
  for (const int status : {200, 404, 503}) {
    const Reply reply = MakeReply({}, {.status = status, .body = "{}"}, {});
    CHECK(reply.head.find("\r\nContent-Security-Policy: default-src 'none'; ") != std::string::npos);
    CHECK(reply.head.find("frame-ancestors 'none'\r\n") != std::string::npos);
    CHECK(HasLine(reply, "X-Content-Type-Options: nosniff"));
    CHECK(HasLine(reply, "Referrer-Policy: no-referrer"));
    CHECK(HasLine(reply, "Cross-Origin-Resource-Policy: same-origin"));
    CHECK(HasLine(reply, "Cross-Origin-Opener-Policy: same-origin"));
    CHECK(HasLine(reply, "Cache-Control: no-store"));
    CHECK(HasLine(reply, "Content-Length: 2"));
    CHECK(reply.head.ends_with("\r\n\r\n"));
  }
  const Reply cached = MakeReply({}, {.headers = {{"Cache-Control", "private"}}}, {});
  CHECK(HasLine(cached, "Cache-Control: private"));
  CHECK(cached.head.find("no-store") == std::string::npos);
}

TEST_CASE("a value cannot begin another header") {
  const Reply reply = MakeReply({}, {.type = "text/plain\r\nA: b", .headers = {{"X-Name", "a\r\n\r\nb\0c"}}}, {});
  CHECK(reply.head.find("\nA: b") == std::string::npos);
  CHECK(reply.head.find("\r\n\r\n") == reply.head.size() - 4);
}

TEST_CASE("a part of a body, or none of it") {
  const Response response{.body = "0123456789", .headers = {{"ETag", "\"v1\""}}};
  const Reply part = MakeReply(AskingFor({{"range", "bytes=2-4"}}), response, {});
  CHECK(StatusLine(part) == "HTTP/1.1 206 Partial Content");
  CHECK(HasLine(part, "Content-Range: bytes 2-4/10"));
  CHECK(HasLine(part, "Content-Length: 3"));
  CHECK(part.body.substr(part.begin, part.size) == "234");

  const Reply outside = MakeReply(AskingFor({{"range", "bytes=10-"}}), response, {});
  CHECK(StatusLine(outside) == "HTTP/1.1 416 Range Not Satisfiable");
  CHECK(HasLine(outside, "Content-Range: bytes */10"));
  CHECK(outside.size == 0);

  const Reply changed = MakeReply(AskingFor({{"range", "bytes=2-4"}, {"if-range", "\"v0\""}}), response, {});
  CHECK(StatusLine(changed) == "HTTP/1.1 200 OK");
  CHECK(changed.size == 10);

  const Reply known = MakeReply(AskingFor({{"if-none-match", "\"v0\", \"v1\""}}), response, {});
  CHECK(StatusLine(known) == "HTTP/1.1 304 Not Modified");
  CHECK(known.size == 0);

  const Reply head = MakeReply({}, response, {.head_only = true});
  CHECK(HasLine(head, "Content-Length: 10"));
  CHECK(head.size == 0);

  const Reply posted = MakeReply({.method = Method::kPost, .headers = {{"range", "bytes=2-4"}}}, response, {});
  CHECK(StatusLine(posted) == "HTTP/1.1 200 OK");
}

}  // namespace
}  // namespace ofindex

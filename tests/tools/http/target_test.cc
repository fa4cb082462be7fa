#include "tools/http/target.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace ofindex {
namespace {

TEST_CASE("a target is a path and decoded parameters") {
  struct Case {
    std::string_view target;
    std::string_view path;
    UrlParameters parameters;
  };
  for (const Case& each : std::vector<Case>{
           {"/", "/", {}},
           {"/?", "/", {}},
           {"/api/record?ordinal=5", "/api/record", {{"ordinal", "5"}}},
           {"/a%20b?c%3D=%26+%2B", "/a b", {{"c=", "& +"}}},
           {"/+?a=b=c&d&&=e", "/+", {{"a", "b=c"}, {"d", ""}, {"", "e"}}},
           {"/?a=1&a=2", "/", {{"a", "1"}, {"a", "2"}}},
           {"/?v=%00%ff", "/", {{"v", std::string("\0\xff", 2)}}},
           {"/a/../b/./c", "/a/../b/./c", {}},
       }) {
    CAPTURE(each.target);
    const auto parsed = ParseTarget(each.target);
    REQUIRE(parsed.has_value());
    CHECK(parsed->path == each.path);
    CHECK(parsed->parameters == each.parameters);
  }
}

TEST_CASE("malformed targets are refused") {
  for (const std::string_view target :
       {"",        "*",    "a",    "?a",   "http://a/", "//a",   "/%2fa",     "/%",    "/%2",     "/%zz", "/%00",
        "/%0d%0a", "/%7f", "/a b", "/a#b", "/\\a",      "/%5ca", "/\xc3\xa4", "/?a=%", "/?a=%g0", "/?a b"}) {
    CAPTURE(target);
    // An escaped slash in front is a second one.
    CHECK_FALSE(ParseTarget(target).has_value());
  }
}

TEST_CASE("parameters survive a URL") {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const UrlParameters parameters = {{"a&b", "<script>\""}, {"", all}};
  const std::string query = QueryOf(parameters);
  CHECK(query.find_first_of(" <>\"'+#") == std::string::npos);
  const auto parsed = ParseTarget("/?" + query);
  REQUIRE(parsed.has_value());
  CHECK(parsed->parameters == parameters);
}

}  // namespace
}  // namespace ofindex

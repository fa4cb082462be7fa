#include "tools/packing/json_row.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/tools/packing/rows.h"

namespace ofindex {
namespace {

using Lines = std::vector<std::string>;

Lines Json(std::string_view row) {
  const auto parser = MakeJsonRowParser();
  const auto shown = Show(*parser, row);
  return shown ? *shown : Lines{"error"};
}

TEST_CASE("nested members get dotted names, and elements of lists get a depth") {
  CHECK(Json(R"({"a":1,"b":{"c":0.5,"d":{"e":null}},"f":[1,[2]]})") ==
        Lines{"a/0 integer 1", "b.c/0 number 0.500000", "b.d.e/0 null", "f/0 list", "f/1 integer 1", "f/1 list",
              "f/2 integer 2"});
  CHECK(Json(R"({"a":[{"x":1},{"x":2,"y":[3]}],"z":true})") ==
        Lines{"a.x/1 integer 1", "a.x/1 integer 2", "a.y/1 list", "a.y/2 integer 3", "z/0 boolean 1"});
  CHECK(Json(R"({"":{"":{"":1}}})") == Lines{"../0 integer 1"});
  CHECK(Json("{}").empty());
  CHECK(Json(R"({"a":{}})").empty());
}

TEST_CASE("an object is bytes if base64 is its only member, otherwise a record") {
  CHECK(Json(R"({"a":{"base64":"AEE="}})") == Lines{"a/0 bytes \\x00A"});
  CHECK(Json(R"({"a":[{"base64":"QQ=="}]})") == Lines{"a/0 list", "a/1 bytes A"});
  CHECK(Json(R"({"a":{"base64":1}})") == Lines{"a.base64/0 integer 1"});
  CHECK(Json(R"({"a":{"base63":"QQ=="}})") == Lines{"a.base63/0 text QQ=="});
  CHECK(Json(R"({"a":{"base64":"QQ==","b":1}})") == Lines{"a.base64/0 text QQ==", "a.b/0 integer 1"});
  CHECK(Json(R"({"base64":"QQ=="})") == Lines{"base64/0 text QQ=="});
  CHECK(Json(R"({"a":{"base64":"Q"}})") == Lines{"error"});
}

TEST_CASE("anything but a whole JSON object is an error, and so is deep nesting") {
  for (const char* row :
       {"", "[]", "1", "null", "\"a\"", "{", "}", "{}}", "{} {}", "{\"a\"}", "{'a':1}", "{\"a\":01}", "{\"a\":1e999}",
        "{\"a\":NaN}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\xff\"}", "{\"a\":18446744073709551616}"}) {
    CAPTURE(row);
    CHECK(Json(row) == Lines{"error"});
  }
  const std::string whole = R"({"a":[1,{"b":"c\u0041"},[true,null]],"d":-1.5e3})";
  for (size_t size = 0; size < whole.size(); ++size) CHECK(Json(whole.substr(0, size)) == Lines{"error"});
  CHECK(Json(whole) != Lines{"error"});
  for (const size_t depth : {size_t{1000}, size_t{100'000}}) {
    std::string deep = "{\"a\":";
    for (size_t i = 0; i < depth; ++i) deep += '[';
    for (size_t i = 0; i < depth; ++i) deep += ']';
    const Lines shown = Json(deep + "}");
    CHECK((shown == Lines{"error"}) == (depth > 1000));
  }
}

TEST_CASE("after a refused JSON row, the parser continues with the next row") {
  const auto parser = MakeJsonRowParser();
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(Show(*parser, R"({"a":{"b":{"base64":"*"}}})"));
    CHECK(Show(*parser, R"({"c":{"d":1}})") == Lines{"c.d/0 integer 1"});
  }
}

}  // namespace
}  // namespace ofindex

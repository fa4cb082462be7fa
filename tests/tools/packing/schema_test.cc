#include <doctest/doctest.h>

#include <string>

#include "tools/packing/pack_schema.h"

namespace ofindex {
namespace {

TEST_CASE("a schema is a JSON object of types, and a schema cut at any length is an error") {
  const std::string whole = R"({"a":"int","b":{"c":"array<array<long>>"},"m":"map<array<string>>","v":"array<byte>"})";
  const auto schema = PackSchema::Parse(whole);
  REQUIRE(schema);
  REQUIRE(schema->features.size() == 3);
  CHECK(schema->features[0].type == SourceType::kInt);
  CHECK(schema->features[1].name == "b.c");
  CHECK(schema->features[1].steps);
  CHECK(schema->features[2].type == SourceType::kByteArray);
  REQUIRE(schema->maps.size() == 1);
  CHECK(schema->maps[0].type == SourceType::kString);
  for (size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(PackSchema::Parse(whole.substr(0, size)));
}

TEST_CASE("the error of an unknown type lists the existing types") {
  for (const char* type : {"", "Int", "array", "array<", "array<>", "array<int", "map<map<int>>", "array<map<int>>",
                           "int ", "list<int>", "array<int>>"}) {
    CAPTURE(type);
    const auto schema = PackSchema::Parse("{\"a\":\"" + std::string(type) + "\"}");
    REQUIRE_FALSE(schema);
    CHECK(schema.error().hint.text().find("timestamp") != std::string::npos);
  }
}

TEST_CASE("a schema with a name that no feature may have is refused") {
  for (const char* json :
       {R"({"":"int"})", R"({"a\u007f":"choice"})", R"({"a":{"\n":"int"}})", R"({"m\u0001":"map<long>"})"}) {
    CAPTURE(json);
    const auto schema = PackSchema::Parse(json);
    REQUIRE_FALSE(schema);
    CHECK(schema.error().code == ErrorCode::kFormat);
    CHECK(schema.error().message.find("of the schema") != std::string::npos);
  }
}

TEST_CASE("a schema deeper than memory allows is refused") {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  deep += "\"int\"" + std::string(100'000, '}');
  CHECK_FALSE(PackSchema::Parse(deep));
}

}  // namespace
}  // namespace ofindex

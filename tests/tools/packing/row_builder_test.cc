#include "tools/packing/row_builder.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/tools/packing/rows.h"
#include "tools/packing/csv_row.h"
#include "tools/packing/json_row.h"
#include "tools/packing/schema_inference.h"

namespace ofindex {
namespace {

// Returns the payload of `row`, built by `schema`, or the text of the error.
std::string Built(const std::string& schema, const std::string& row, PayloadKind kind = PayloadKind::kExample) {
  auto parsed = PackSchema::Parse(schema);
  REQUIRE(parsed);
  RowBuilder builder(std::move(*parsed), kind, TimeUnit::kMicroseconds);
  const auto parser = MakeJsonRowParser();
  const std::string behind = row + std::string(64, ' ');
  const auto shown = parser->Parse(std::string_view(behind).substr(0, row.size()), builder);
  if (!shown) return "error: " + shown.error().message;
  const auto payload = builder.Finish();
  if (!payload) return "error: " + payload.error().message;
  return ToHex(*payload);
}

TEST_CASE("the order of names in a row and in the schema does not change the bytes") {
  const std::string one = Built(R"({"a":"long","b":"string","c":"float"})", R"({"a":1,"b":"x","c":0.5})");
  CHECK(one == Built(R"({"c":"float","a":"long","b":"string"})", R"({"b":"x","c":0.5,"a":1})"));
  CHECK(one == Built(R"({"c":"float","a":"long","b":"string","d":"long"})", R"({"d":null,"b":"x","c":0.5,"a":1})"));
}

TEST_CASE("a name that occurs twice is refused in a row, and gives a list in a list of records") {
  CHECK(Built(R"({"a":"long"})", R"({"a":1,"a":2})").find("twice") != std::string::npos);
  CHECK(Built(R"({"a":"long"})", R"({"a":[1],"a":[2]})").find("twice") != std::string::npos);
  CHECK(Built(R"({"a":{"b":"long"}})", R"({"a":{"b":1},"a.b":2})").find("twice") != std::string::npos);
  CHECK(Built(R"({"a":{"b":"long"}})", R"({"a":[{"b":1},{"b":2}]})") == Built(R"({"a.b":"long"})", R"({"a.b":[1,2]})"));
}

TEST_CASE("an array of signed or unsigned bytes is one byte string") {
  const std::string bytes = Built(R"({"a":"bytes"})", R"({"a":"AB"})");
  CHECK(Built(R"({"a":"array<byte>"})", R"({"a":[65,66]})") == bytes);
  CHECK(Built(R"({"a":"array<byte>"})", R"({"a":"AB"})") == bytes);
  CHECK(Built(R"({"a":"array<byte>"})", R"({"a":[-1]})") == Built(R"({"a":"array<byte>"})", R"({"a":[255]})"));
  CHECK(Built(R"({"a":"array<array<byte>>"})", R"({"a":[[65],[66]]})") ==
        Built(R"({"a":"array<string>"})", R"({"a":["A","B"]})"));
  CHECK(Built(R"({"a":"array<byte>"})", R"({"a":[256]})").find("256 is not a valid byte") != std::string::npos);
  CHECK(Built(R"({"a":"array<byte>"})", R"({"a":[0.5]})") != bytes);
}

TEST_CASE("null and an empty list of records give no feature, and names outside the schema are refused") {
  const std::string schema = R"({"a":{"b":{"c":"long"}},"m":"map<long>","z":"long"})";
  const std::string expected = Built(schema, R"({"z":1})");
  for (const char* row : {R"({"z":1,"a":null})", R"({"z":1,"a":[]})", R"({"z":1,"a":{"b":null}})", R"({"z":1,"a":{}})",
                          R"({"z":1,"m":null})", R"({"z":1,"m":{}})"}) {
    CAPTURE(row);
    CHECK(Built(schema, row) == expected);
  }
  for (const char* row :
       {R"({"y":1})", R"({"a":1})", R"({"a":[1]})", R"({"a":{"c":1}})", R"({"m":1})", R"({"y":null})"}) {
    CAPTURE(row);
    CHECK(Built(schema, row).find("not in the schema") != std::string::npos);
  }
}

TEST_CASE("the error of a value that does not fit shows the value") {
  CHECK(Built(R"({"a":"int"})", R"({"a":1.5})").find("1.5 is not a valid int") != std::string::npos);
  CHECK(Built(R"({"a":"float"})", R"({"a":1e39})").find("1e+39 is beyond") != std::string::npos);
  CHECK(Built(R"({"a":"byte"})", R"({"a":true})").find("error") == std::string::npos);
}

TEST_CASE("ten thousand random rows can be built with the schema inferred from them") {
  std::mt19937_64 random(7);
  const auto pick = [&random](uint64_t n) { return random() % n; };
  const std::vector<std::string> values = {"1", "-2", "null", "[]", "[1,2]", "[3]"};
  const std::vector<std::string> texts = {"\"x\"", "\"\"", "null", "[\"y\",\"z\"]", "{\"base64\":\"AA==\"}"};
  for (const PayloadKind kind : {PayloadKind::kExample, PayloadKind::kOfRecord, PayloadKind::kSequenceExample}) {
    std::vector<std::string> rows;
    for (int i = 0; i < 10'000; ++i) {
      std::string row = "{";
      for (const char* name : {"a", "b.c", "d"}) {
        if (pick(3) == 0) continue;
        if (row.size() > 1) row += ',';
        row += StrCat("\"", name, "\":", name[0] == 'd' ? texts[pick(texts.size())] : values[pick(values.size())]);
      }
      rows.push_back(row + "}" + std::string(64, ' '));
    }
    const auto parser = MakeJsonRowParser();
    SchemaInference inference(SchemaInference::Text::kIsText);
    for (const std::string& row : rows) REQUIRE(parser->Parse(row, inference));
    RowBuilder builder(inference.Schema(), kind, TimeUnit::kSeconds);
    for (const std::string& row : rows) {
      REQUIRE(parser->Parse(row, builder));
      REQUIRE(builder.Finish());
      builder.Clear();
    }
  }
}

// Returns `row` with some bytes changed, removed or doubled.
std::string Hurt(std::string row, std::mt19937_64& random) {
  constexpr std::string_view kLikely = "\"{}[],:\\\n\r\t\0e-+.0123456789ntu\xff\xed\xa0";
  for (uint64_t i = random() % 4 + 1; i > 0 && !row.empty(); --i) {
    const size_t at = random() % row.size();
    switch (random() % 4) {
      case 0: row[at] = static_cast<char>(random()); break;
      case 1: row[at] = kLikely[random() % kLikely.size()]; break;
      case 2: row.erase(at, random() % 8 + 1); break;
      default: row.insert(at, row.substr(random() % row.size(), random() % 8)); break;
    }
  }
  return row;
}

TEST_CASE("a corrupted row that inference accepts is built, or refused with a feature error") {
  std::mt19937_64 random(20261122);
  const std::string json =
      R"({"a":1,"b":{"c":0.5,"d":[1,2]},"e":[[1],[2,3]],"f":"t\u00e9xt","g":{"base64":"AAEC"},"h":[{"x":1},{"x":2}]})";
  const std::string csv = R"(1,0.5,"a ""quoted"" text",true,,"")";
  const auto json_parser = MakeJsonRowParser();
  const auto csv_parser = MakeCsvRowParser({"a", "b", "c", "d", "e", "f"}, ',');
  uint64_t built = 0;
  for (uint64_t i = 0; i < 40'000; ++i) {
    const bool is_json = i % 2 == 0;
    const std::string row = Hurt(is_json ? json : csv, random);
    const std::string behind = row + std::string(64, '"');
    const std::string_view view = std::string_view(behind).substr(0, row.size());
    RowParser& parser = is_json ? *json_parser : *csv_parser;
    SchemaInference inference(is_json ? SchemaInference::Text::kIsText : SchemaInference::Text::kMayBeNumber);
    if (!parser.Parse(view, inference)) continue;
    RowBuilder builder(inference.Schema(), i % 3 == 0 ? PayloadKind::kOfRecord : PayloadKind::kSequenceExample,
                       TimeUnit::kSeconds);
    const auto shown = parser.Parse(view, builder);
    if (shown) {
      if (builder.Finish()) ++built;
    } else {
      CAPTURE(row);
      CAPTURE(shown.error().message);
      REQUIRE(shown.error().code == ErrorCode::kFeature);
    }
  }
  CHECK(built > 1000);
}

}  // namespace
}  // namespace ofindex

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <ofindex/features.h>

#include "tests/library/example_data.h"

namespace ofindex {
namespace {

TEST_CASE("decoding returns features of every kind as they were built") {
  const std::array<int64_t, 3> integers = {-1, 0, 2147483647};
  const std::array<float, 2> floats = {0.5F, -2};
  const std::array<double, 1> doubles = {1e300};
  const std::array<ByteView, 2> texts = {AsBytes("a"), AsBytes("")};
  PayloadBuilder builder(PayloadKind::kOfRecord);
  builder.Add("int32", FeatureValues::Int32s(integers))
      .Add("int64", FeatureValues::Int64s(integers))
      .Add("float", FeatureValues::Floats(floats))
      .Add("double", FeatureValues::Doubles(doubles))
      .Add("bytes", FeatureValues::Bytes(texts))
      .Add("none", FeatureValues())
      .AddInt32("one", -5)
      .AddDouble("real", 0.25);
  const Features features = Must(Features::Decode(Must(builder.Finish()), PayloadKind::kOfRecord));

  std::vector<std::string> names;
  for (const Feature& feature : features.all()) names.emplace_back(feature.name);
  CHECK(names == std::vector<std::string>{"bytes", "double", "float", "int32", "int64", "none", "one", "real"});
  CHECK(features.Find("one")->kind() == FeatureKind::kInt32);
  CHECK(features.Find("one")->integers()[0] == -5);
  CHECK(features.Find("real")->doubles()[0] == 0.25);
  CHECK(features.Find("int32")->kind() == FeatureKind::kInt32);
  CHECK(std::ranges::equal(features.Find("int32")->integers(), integers));
  CHECK(std::ranges::equal(features.Find("int64")->integers(), integers));
  CHECK(std::ranges::equal(features.Find("float")->floats(), floats));
  CHECK(std::ranges::equal(features.Find("double")->doubles(), doubles));
  CHECK(AsText(features.Find("bytes")->bytes()[0]) == "a");
  CHECK(features.Find("bytes")->size() == 2);
  CHECK(features.Find("none")->kind() == FeatureKind::kNone);
  CHECK(features.Find("no such") == nullptr);
}

TEST_CASE("values read as another kind are empty") {
  const std::array<float, 2> floats = {0.5F, -2};
  const FeatureValues values = FeatureValues::Floats(floats);
  CHECK(values.integers().empty());
  CHECK(values.doubles().empty());
  CHECK(values.bytes().empty());
  CHECK(FeatureValues().floats().empty());
  CHECK(FeatureValues().empty());
}

TEST_CASE("a SequenceExample has feature lists with their steps") {
  const std::array<int64_t, 2> first = {1, 2};
  const std::array<int64_t, 1> second = {3};
  const std::array<FeatureValues, 2> steps = {FeatureValues::Int64s(first), FeatureValues::Int64s(second)};
  PayloadBuilder builder(PayloadKind::kSequenceExample);
  builder.AddBytes("title", "dawn").AddList("frames", steps);
  const Features features = Must(Features::Decode(Must(builder.Finish()), PayloadKind::kSequenceExample));
  REQUIRE(features.lists().size() == 1);
  CHECK(features.lists()[0].name == "frames");
  REQUIRE(features.lists()[0].steps.size() == 2);
  CHECK(std::ranges::equal(features.lists()[0].steps[0].integers(), first));
  CHECK(features.lists()[0].steps[1].integers()[0] == 3);
  CHECK(AsText(features.Find("title")->bytes()[0]) == "dawn");
}

TEST_CASE("names and values live as long as a copy of the features") {
  std::optional<Features> kept;
  std::string_view name;
  {
    std::string payload = ExamplePayload(5);
    const Features features = Must(Features::Decode(AsBytes(payload), PayloadKind::kExample));
    kept = features;
    name = features.all()[2].name;
    payload.assign(payload.size(), 'x');
  }
  CHECK(name == "word");
  CHECK(AsText(kept->Find("word")->bytes()[0]) == "odd");
}

TEST_CASE("malformed messages and opaque payloads are errors") {
  struct Row {
    std::string payload;
    PayloadKind kind;
    ErrorCode code;
  };
  for (const Row& row : {
           Row{"\x0a\xff", PayloadKind::kExample, ErrorCode::kDamage},               // a length past the end
           Row{ExamplePayload(1), PayloadKind::kOpaque, ErrorCode::kUsage},          // nothing says how to read it
           Row{std::string(3, '\xff'), PayloadKind::kOfRecord, ErrorCode::kDamage},  // a tag without an end
       }) {
    const auto features = Features::Decode(AsBytes(row.payload), row.kind);
    REQUIRE_FALSE(features);
    CHECK(features.error().code == row.code);
  }
}

}  // namespace
}  // namespace ofindex

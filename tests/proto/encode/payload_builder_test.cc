#include "proto/encode/payload_builder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "proto/encode/transcoder.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/files.h"
#include "tests/support/fixtures.h"

namespace ofindex {
namespace {

std::string Finished(PayloadBuilder& builder) {
  const Result<ByteView> payload = builder.Finish();
  REQUIRE_MESSAGE(payload.has_value(), payload.error().message);
  return std::string(AsText(*payload));
}

const std::vector<int64_t> kThree = {3};
const std::vector<double> kHalf = {0.5};

TEST_CASE("features are written in the order of their names, or in the order added") {
  const std::string a = Entry("a", Field(3, PackedVarints({3})));
  const std::string b = Entry("b", "");
  for (const EntryOrder order : {EntryOrder::kSorted, EntryOrder::kAsAdded}) {
    PayloadBuilder builder(PayloadKind::kExample, order);
    for (int turn = 0; turn < 2; ++turn) {  // the second turn reuses the builder
      builder.Clear();
      REQUIRE(builder.Add(AsBytes("b"), {}).has_value());
      REQUIRE(builder.Add(AsBytes("a"), FeatureData::Int64s(kThree)).has_value());
      CHECK(Finished(builder) == Field(1, order == EntryOrder::kSorted ? a + b : b + a));
    }
  }
}

TEST_CASE("a name used twice is refused, whatever the order of the features") {
  for (const EntryOrder order : {EntryOrder::kSorted, EntryOrder::kAsAdded}) {
    for (const char* names : {"xax", "axx", "xxa", "xx"}) {
      PayloadBuilder builder(PayloadKind::kOfRecord, order);
      for (const char name : std::string(names)) REQUIRE(builder.Add(AsBytes(std::string(1, name)), {}).has_value());
      const Result<ByteView> payload = builder.Finish();
      REQUIRE(!payload.has_value());
      CHECK(payload.error().code == ErrorCode::kFeature);
      CHECK(payload.error().message == "two features are called 'x'");
    }
  }
}

TEST_CASE("a value that the message cannot hold is refused by name, and the payload is unchanged") {
  struct Case {
    PayloadKind payload;
    std::string name;
    FeatureData values;
    std::string message;
  };
  const std::vector<int64_t> wide = {1, int64_t{1} << 31};
  const Case cases[] = {
      {PayloadKind::kExample, "w", FeatureData::Doubles(kHalf), "feature 'w': tensorflow.Example has no double"},
      {PayloadKind::kSequenceExample, "w", FeatureData::Int32s(kThree),
       "feature 'w': tensorflow.SequenceExample has no int32"},
      {PayloadKind::kOfRecord, "w", FeatureData::Int32s(wide), "feature 'w': 2147483648 does not fit an int32"},
      {PayloadKind::kExample,
       "\xff",
       {},
       "the name '\\xff' is not UTF-8; readers of tensorflow.Example would refuse the record"},
  };
  for (const Case& one : cases) {
    PayloadBuilder builder(one.payload);
    const Result<void> added = builder.Add(AsBytes(one.name), one.values);
    REQUIRE(!added.has_value());
    CHECK(added.error().code == ErrorCode::kFeature);
    CHECK(added.error().message == one.message);
    CHECK(Finished(builder) == (one.payload == PayloadKind::kOfRecord ? "" : Field(1, "")));
  }
}

TEST_CASE("a feature without a kind differs from an empty list of a kind") {
  PayloadBuilder builder(PayloadKind::kOfRecord);
  REQUIRE(builder.Add(AsBytes("a"), {}).has_value());
  REQUIRE(builder.Add(AsBytes("b"), FeatureData::Floats({})).has_value());
  CHECK(Finished(builder) == Entry("a", "") + Entry("b", Field(2, "")));
}

TEST_CASE("only SequenceExamples have feature lists") {
  PayloadBuilder builder(PayloadKind::kExample);
  const Result<void> added = builder.AddList(AsBytes("x"), {});
  REQUIRE(!added.has_value());
  CHECK(added.error().message == "feature 'x': tensorflow.Example has no feature lists");
}

TEST_CASE("the Example of the MNIST hexdump is reproduced bit for bit") {
  const std::optional<std::string> fixtures = FixturesOrMessage();
  if (!fixtures) return;
  const std::string fixture = ReadFile(*fixtures + "/mnist_example.pb");
  DecodedRecord record;
  REQUIRE(record.Decode(AsBytes(fixture), PayloadKind::kExample).has_value());
  PayloadBuilder builder(PayloadKind::kExample, EntryOrder::kAsAdded);
  for (const char* name : {"image_raw", "label", "height", "width"}) {
    const Feature* feature = record.Find(AsBytes(name));
    REQUIRE(feature != nullptr);
    REQUIRE(builder.Add(feature->name, FeatureData::Of(record, feature->value)).has_value());
  }
  CHECK(Finished(builder) == fixture);
}

TEST_CASE("values of an OFRecord that no Example can hold are refused, or converted if allowed") {
  const std::string record =
      Entry("d", Field(3, PackedFixed<double>({0.1, 1e300}))) + Entry("i", Field(4, PackedVarints({-7})));
  auto strict = Transcoder::Create(PayloadKind::kOfRecord, PayloadKind::kExample, Lossy::kRefuse);
  REQUIRE(strict.has_value());
  const Result<ByteView> refused = strict->Convert(AsBytes(record));
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == ErrorCode::kFeature);
  CHECK(refused.error().message == "feature 'd' is of kind double, which an Example does not have");

  auto lossy = Transcoder::Create(PayloadKind::kOfRecord, PayloadKind::kExample, Lossy::kAllow);
  REQUIRE(lossy.has_value());
  const Result<ByteView> converted = lossy->Convert(AsBytes(record));
  REQUIRE(converted.has_value());
  CHECK(AsText(*converted) ==
        Field(1, Entry("d", Field(2, PackedFixed<float>({0.1F, std::numeric_limits<float>::infinity()}))) +
                     Entry("i", Field(3, PackedVarints({-7})))));
}

TEST_CASE("feature lists and opaque bytes cannot be converted to OFRecords") {
  for (const PayloadKind from : {PayloadKind::kSequenceExample, PayloadKind::kOpaque}) {
    const auto transcoder = Transcoder::Create(from, PayloadKind::kOfRecord, Lossy::kAllow);
    REQUIRE(!transcoder.has_value());
    CHECK(transcoder.error().code == ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace ofindex

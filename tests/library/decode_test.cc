#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <ofindex/decode.h>

#include "tests/library/example_data.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

const std::vector<uint64_t> kSome = {9, 0, 9, 4};

template <typename T>
std::vector<T> Values(const FeatureColumn& column) {
  const std::span<const T> values = column.As<T>();
  return {values.begin(), values.end()};
}

TEST_CASE("features of records become columns, in the order of specs and records") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
  const FeatureDecoder decoder = Must(FeatureDecoder::Create({{.name = "half", .type = DataType::kFloat32},
                                                              {.name = "id", .type = DataType::kUint8},
                                                              {.name = "word", .type = DataType::kBytes}}));
  for (const unsigned threads : {1U, 4U}) {
    const FeatureBatch batch = Must(decoder.Decode(dataset, kSome, threads));
    CHECK(batch.records() == 4);
    REQUIRE(batch.columns().size() == 3);
    CHECK(Values<float>(batch.columns()[0]) == std::vector<float>{4.5F, 0, 4.5F, 2});
    CHECK(Values<uint8_t>(batch.columns()[1]) == std::vector<uint8_t>{9, 0, 9, 4});
    CHECK(batch.columns()[1].As<int64_t>().empty());
    const FeatureColumn& words = batch.columns()[2];
    CHECK(words.count == 4);
    CHECK(AsText(words.Bytes(0)) == "odd");
    CHECK(AsText(words.Bytes(3)) == "even");
    CHECK(AsText(words.data) == "oddevenoddeven");
    CHECK(words.As<uint8_t>().empty());
  }
}

TEST_CASE("lists of any length become values and row offsets") {
  const TempDir dir;
  RecordWriter writer = Must(RecordWriter::Create(dir / "data.tfrecord"));
  PayloadBuilder builder(PayloadKind::kExample);
  for (size_t size = 0; size < 4; ++size) {
    const std::vector<int64_t> values(size, static_cast<int64_t>(size));
    Must(writer.Write(Must(builder.Clear().Add("v", FeatureValues::Int64s(values)).Finish())));
  }
  Must(writer.Close());
  Must(BuildIndex({.data = {dir / "data.tfrecord"}}));
  const Dataset dataset = Must(Dataset::Open(dir / "data.tfrecord"));
  const FeatureDecoder decoder =
      Must(FeatureDecoder::Create({{.name = "v", .type = DataType::kInt32, .form = FeatureSpec::Form::kRagged}}));
  const FeatureBatch batch = Must(decoder.Decode(dataset, std::vector<uint64_t>{2, 0, 3}));
  const FeatureColumn& column = batch.columns()[0];
  CHECK(Values<int32_t>(column) == std::vector<int32_t>{2, 2, 3, 3, 3});
  CHECK(std::vector<int64_t>(column.rows.begin(), column.rows.end()) == std::vector<int64_t>{0, 2, 2, 5});
}

TEST_CASE("the bytes of a feature can be decoded as numbers") {
  const TempDir dir;
  RecordWriter writer = Must(RecordWriter::Create(dir / "data.tfrecord"));
  PayloadBuilder builder(PayloadKind::kExample);
  Must(writer.Write(Must(builder.AddBytes("pixels", std::string("\x01\x02\x03\x04", 4)).Finish())));
  Must(writer.Close());
  Must(BuildIndex({.data = {dir / "data.tfrecord"}}));
  const Dataset dataset = Must(Dataset::Open(dir / "data.tfrecord"));
  struct Row {
    uint64_t values;
    bool truncate, pad;
    std::vector<uint16_t> expected;  // empty: an error
  };
  for (const Row& row : {
           Row{2, false, false, {0x0201, 0x0403}},
           Row{1, false, false, {}},
           Row{1, true, false, {0x0201}},
           Row{3, false, false, {}},
           Row{3, false, true, {0x0201, 0x0403, 0}},
       }) {
    const FeatureDecoder decoder = Must(FeatureDecoder::Create({{.name = "pixels",
                                                                 .type = DataType::kUint16,
                                                                 .form = FeatureSpec::Form::kRaw,
                                                                 .values = row.values,
                                                                 .truncate = row.truncate,
                                                                 .pad = row.pad}}));
    const auto batch = decoder.Decode(dataset, std::vector<uint64_t>{0});
    REQUIRE(batch.has_value() == !row.expected.empty());
    if (batch) CHECK(Values<uint16_t>(batch->columns()[0]) == row.expected);
    if (!batch) CHECK(batch.error().code == ErrorCode::kFeature);
  }
}

TEST_CASE("a record without the feature gets the fill value, which must fit the type") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 3);
  const auto decode = [&](FeatureSpec spec) -> Result<FeatureBatch> {
    spec.name = "absent";
    const auto decoder = FeatureDecoder::Create({spec});
    if (!decoder) return tl::unexpected(decoder.error());
    return decoder->Decode(dataset, std::vector<uint64_t>{0, 1});
  };
  const FeatureBatch bytes = Must(decode({.name = "", .type = DataType::kInt8, .fill = int64_t{-1}}));
  CHECK(Values<int8_t>(bytes.columns()[0]) == std::vector<int8_t>{-1, -1});
  const FeatureBatch pairs = Must(decode({.name = "", .type = DataType::kFloat32, .values = 2, .fill = 0.5}));
  CHECK(Values<float>(pairs.columns()[0]) == std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F});
  const FeatureBatch whole = Must(decode({.name = "", .type = DataType::kFloat64, .fill = int64_t{3}}));
  CHECK(Values<double>(whole.columns()[0]) == std::vector<double>{3, 3});
  const FeatureBatch halves = Must(decode({.name = "", .type = DataType::kFloat16, .fill = -1.5}));
  CHECK(Values<uint16_t>(halves.columns()[0]) == std::vector<uint16_t>{0xbe00, 0xbe00});
  const FeatureBatch flags = Must(decode({.name = "", .type = DataType::kBool, .fill = int64_t{1}}));
  CHECK(Values<bool>(flags.columns()[0]) == std::vector<bool>{true, true});
  const FeatureBatch texts = Must(decode({.name = "", .type = DataType::kBytes, .fill = "none"}));
  CHECK(AsText(texts.columns()[0].data) == "nonenone");

  for (const FeatureSpec& wrong : {
           FeatureSpec{.name = "", .type = DataType::kInt8, .fill = int64_t{128}},
           FeatureSpec{.name = "", .type = DataType::kUint64, .fill = int64_t{-1}},
           FeatureSpec{.name = "", .type = DataType::kInt64, .fill = 1.5},
           FeatureSpec{.name = "", .type = DataType::kFloat32, .fill = 1e300},
           FeatureSpec{.name = "", .type = DataType::kBfloat16, .fill = 1e39},
           FeatureSpec{.name = "", .type = DataType::kBool, .fill = int64_t{2}},
           FeatureSpec{.name = "", .type = DataType::kInt64, .fill = "1"},
           FeatureSpec{.name = "", .type = DataType::kBytes, .fill = int64_t{1}},
           FeatureSpec{.name = "", .form = FeatureSpec::Form::kRagged, .fill = int64_t{1}},
       }) {
    const auto batch = decode(wrong);
    REQUIRE_FALSE(batch);
    CHECK(batch.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("arrays outlive their decoder and dataset") {
  std::optional<FeatureBatch> batch;
  {
    const TempDir dir;
    const Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
    batch = Must(Must(FeatureDecoder::Create({{.name = "id"}})).Decode(dataset, kSome));
  }
  CHECK(Values<int64_t>(batch->columns()[0]) == std::vector<int64_t>{9, 0, 9, 4});
  CHECK(FeatureBatch().records() == 0);
  CHECK(FeatureBatch().columns().empty());
}

TEST_CASE("a feature that cannot be decoded is an error that names the record") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 300);
  const auto code = [&](const std::vector<FeatureSpec>& specs, const std::vector<uint64_t>& ordinals) {
    const auto decoder = FeatureDecoder::Create(specs);
    if (!decoder) return decoder.error().code;
    const auto batch = decoder->Decode(dataset, ordinals);
    return batch ? ErrorCode() : batch.error().code;
  };
  CHECK(code({{.name = "id"}, {.name = "id"}}, {}) == ErrorCode::kUsage);
  CHECK(code({{.name = "word", .type = DataType::kBytes, .form = FeatureSpec::Form::kRaw}}, {}) == ErrorCode::kUsage);
  CHECK(code({{.name = "no such"}}, {0}) == ErrorCode::kFeature);
  CHECK(code({{.name = "half"}}, {0}) == ErrorCode::kFeature);
  CHECK(code({{.name = "id", .type = DataType::kUint8}}, {0, 256}) == ErrorCode::kFeature);
  CHECK(code({{.name = "id"}}, {300}) == ErrorCode::kOutOfRange);
  const auto batch = Must(FeatureDecoder::Create({{.name = "id", .values = 2}})).Decode(dataset, kSome);
  REQUIRE_FALSE(batch);
  CHECK(batch.error().message.find("record 9") != std::string::npos);
}

}  // namespace
}  // namespace ofindex

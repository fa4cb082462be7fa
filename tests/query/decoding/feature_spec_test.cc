#include "query/decoding/feature_spec.h"

#include <doctest/doctest.h>

#include <string>

#include "query/decoding/batch_decoder.h"

namespace ofindex {
namespace {

using SpecForm = FeatureSpec::Form;

TEST_CASE("every type is found by its name") {
  for (int i = 0; i <= static_cast<int>(DataType::kBytes); ++i) {
    const auto type = static_cast<DataType>(i);
    CHECK(ParseDataType(Name(type)) == type);
  }
  CHECK(Name(DataType::kFloat32) == "float32");
  CHECK(ItemBytes(DataType::kUint16) == 2);
  CHECK(ItemBytes(DataType::kBytes) == 0);
  for (const char* name : {"", "float", "int64 ", "INT64", "half"}) CHECK(!ParseDataType(name));
}

TEST_CASE("invalid specs are refused") {
  struct Row {
    const char* message;
    std::vector<FeatureSpec> specs;
  };
  const std::vector<uint8_t> three(3);
  const std::vector<Row> rows = {
      {"feature 'a': named twice; expected each name once", {{.name = "a"}, {.name = "b"}, {.name = "a"}}},
      {"feature 'r\\x0a': raw of bytes makes no sense; expected a number type",
       {{.name = "r\n", .form = SpecForm::kRaw, .type = DataType::kBytes}}},
      {"feature 'a': a default of 3 bytes; expected 2 or 8",
       {{.name = "a", .type = DataType::kInt16, .values = 4, .fill = three}}},
      {"feature 'a': a default of 3 strings; expected 1 or 2",
       {{.name = "a", .type = DataType::kBytes, .values = 2, .fill_bytes = std::vector<std::string>(3)}}},
      {"feature 'a': the default is not a bool; expected bytes 0 or 1",
       {{.name = "a", .type = DataType::kBool, .fill = std::vector<uint8_t>{2}}}},
      {"feature 'a': the default has another type; expected bytes",
       {{.name = "a", .type = DataType::kBytes, .fill = three}}},
      {"feature 'a': the default has another type; expected int8",
       {{.name = "a", .type = DataType::kInt8, .fill_bytes = std::vector<std::string>(1)}}},
      {"feature 'a': a default applies to fixed only",
       {{.name = "a", .form = SpecForm::kRagged, .type = DataType::kInt8, .fill = std::vector<uint8_t>(1)}}},
      {"feature 'a': a default applies to fixed only",
       {{.name = "a", .form = SpecForm::kRaw, .type = DataType::kInt8, .fill = std::vector<uint8_t>(1)}}},
      {"feature 'a': truncate and pad apply to raw only", {{.name = "a", .pad = true}}},
      {"feature 'a': 18446744073709551615 values in a record; expected at most 1099511627776",
       {{.name = "a", .values = ~uint64_t{0}}}},
  };
  for (const Row& row : rows) {
    const auto decoder = BatchDecoder::Of(row.specs);
    REQUIRE(!decoder.has_value());
    CHECK(decoder.error().code == ErrorCode::kUsage);
    CHECK(decoder.error().message == row.message);
  }
}

TEST_CASE("a default of one value is repeated for all") {
  const auto decoder =
      BatchDecoder::Of({{.name = "a", .type = DataType::kInt16, .values = 3, .fill = std::vector<uint8_t>{1, 2}},
                        {.name = "b", .type = DataType::kBytes, .values = 2, .fill_bytes = {{"x"}}},
                        {.name = "none", .values = 0, .fill = std::vector<uint8_t>{}}});
  REQUIRE_MESSAGE(decoder.has_value(), decoder.error().message);
  CHECK(*decoder->specs()[0].fill == std::vector<uint8_t>{1, 2, 1, 2, 1, 2});
  CHECK(*decoder->specs()[1].fill_bytes == std::vector<std::string>{"x", "x"});
  CHECK(decoder->specs()[2].fill->empty());
}

}  // namespace
}  // namespace ofindex

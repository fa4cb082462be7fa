#include "query/decoding/batch_decoder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "tests/query/decoding/decoding.h"

namespace ofindex {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct DecodedRow {
  FeatureSpec spec;
  std::string features;  ///< of one record
  std::string outcome;   ///< its array; or the error without the record's and the feature's name
};

/// Decodes each row, as an OFRecord.
void CheckRows(const std::vector<DecodedRow>& rows) {
  for (const DecodedRow& row : rows) {
    const auto batch = Decoded(row.spec, PayloadKind::kOfRecord, {row.features});
    const std::string place = "record 0: feature '" + row.spec.name + "': ";
    CHECK(Spell(batch) == (row.outcome.starts_with("[") ? row.outcome : "error " + place + row.outcome));
    if (batch) continue;
    CHECK(batch.error().code == ErrorCode::kFeature);
    CHECK(!batch.error().hint.empty());
  }
}

FeatureSpec Exactly(DataType type, uint64_t values = 1) { return {.name = "x", .type = type, .values = values}; }
FeatureSpec Ragged(DataType type) { return {.name = "x", .form = Form::kRagged, .type = type}; }
FeatureSpec Raw(DataType type, uint64_t values, bool truncate = false, bool pad = false) {
  return {.name = "x", .form = Form::kRaw, .type = type, .values = values, .truncate = truncate, .pad = pad};
}

// int64 values of an OFRecord.
std::string Longs(std::initializer_list<int64_t> values) { return Entry("x", Field(5, PackedVarints(values))); }

TEST_CASE("values are decoded only as a matching data type") {
  CheckRows({
      {Exactly(DataType::kInt64), Longs({-5}), "[-5]"},
      {Exactly(DataType::kInt64), Int32s("x", {-5}), "[-5]"},
      {Exactly(DataType::kInt8, 2), Int32s("x", {-128, 127}), "[-128 127]"},
      {Exactly(DataType::kUint64), Longs({std::numeric_limits<int64_t>::max()}), "[9223372036854775807]"},
      {Exactly(DataType::kBool, 2), Longs({0, 1}), "[0 1]"},
      {Exactly(DataType::kFloat32), Floats("x", {0.5f}), "[0.5]"},
      {Exactly(DataType::kFloat64), Floats("x", {0.5f}), "[0.5]"},
      {Exactly(DataType::kFloat64), Doubles("x", {1e10}), "[10000000000.0]"},
      {Exactly(DataType::kFloat32, 2), Doubles("x", {0.1, kInfinity}), "[0.1 inf]"},
      {Exactly(DataType::kFloat16, 4), Floats("x", {0.1F, -2, 65504, 6e-8F}), "[0.099976 -2.0 65504.0 0.0]"},
      {Exactly(DataType::kBfloat16, 2), Doubles("x", {0.1, -kInfinity}), "[0.100098 -inf]"},
      {Exactly(DataType::kBfloat16, 2), Longs({-256, 1LL << 40}), "[-256.0 1099511627776.0]"},
      {Exactly(DataType::kBytes), Strings("x", {"abc"}), "[\"abc\"]"},
      {Exactly(DataType::kBytes, 2), Strings("x", {"", "abc"}), "[\"\" \"abc\"]"},
      {Exactly(DataType::kInt64), Floats("x", {1}),
       "data types don't match: float values, asked for as int64; expected int32 or int64"},
      {Exactly(DataType::kBool), Doubles("x", {1}),
       "data types don't match: double values, asked for as bool; expected int32 or int64"},
      {Exactly(DataType::kFloat32), Int32s("x", {1}), "[1.0]"},
      {Exactly(DataType::kFloat32, 2), Longs({-16777216, 1LL << 40}), "[-16777216.0 1099511627776.0]"},
      {Ragged(DataType::kFloat64), Longs({(1LL << 53) - 1, std::numeric_limits<int64_t>::min()}),
       "[9007199254740991.0 -9223372036854775808.0]"},
      {Ragged(DataType::kBytes), Longs({1}),
       "data types don't match: int64 values, asked for as bytes; expected bytes"},
      {Ragged(DataType::kFloat64), Strings("x", {"1"}),
       "data types don't match: bytes values, asked for as float64; expected float or double or int32 or int64"},
      // An empty list has a kind.
      {Ragged(DataType::kFloat64), Strings("x", {}),
       "data types don't match: bytes values, asked for as float64; expected float or double or int32 or int64"},
  });
}

TEST_CASE("a value that does not fit is an error, and never wraps") {
  CheckRows({
      {Exactly(DataType::kFloat32), Longs({16777217}), "16777217 does not fit float32"},
      {Exactly(DataType::kFloat16), Longs({2049}), "2049 does not fit float16"},
      {Exactly(DataType::kFloat16), Longs({65536}), "65536 does not fit float16"},
      {Exactly(DataType::kBfloat16), Longs({257}), "257 does not fit bfloat16"},
      {Exactly(DataType::kFloat16), Floats("x", {65520}), "65520 does not fit float16"},
      {Exactly(DataType::kFloat64), Longs({-(1LL << 53) - 1}), "-9007199254740993 does not fit float64"},
      {Ragged(DataType::kFloat64), Longs({1, std::numeric_limits<int64_t>::max()}),
       "9223372036854775807 does not fit float64"},
      {Exactly(DataType::kInt8), Longs({300}), "300 does not fit int8"},
      {Exactly(DataType::kInt8), Longs({-129}), "-129 does not fit int8"},
      {Exactly(DataType::kUint8, 2), Longs({255, -1}), "-1 does not fit uint8"},
      {Exactly(DataType::kInt16), Longs({32768}), "32768 does not fit int16"},
      {Exactly(DataType::kUint16), Int32s("x", {65536}), "65536 does not fit uint16"},
      {Exactly(DataType::kInt32), Longs({int64_t{1} << 31}), "2147483648 does not fit int32"},
      {Exactly(DataType::kUint32), Longs({int64_t{1} << 32}), "4294967296 does not fit uint32"},
      {Exactly(DataType::kUint64), Longs({-1}), "-1 does not fit uint64"},
      {Exactly(DataType::kBool), Longs({2}), "2 does not fit bool"},
      {Ragged(DataType::kInt8), Longs({1, 2, 3, 128}), "128 does not fit int8"},
      {Exactly(DataType::kFloat32), Doubles("x", {1e39}), "1e+39 does not fit float32"},
      {Ragged(DataType::kFloat32), Doubles("x", {0, -1e39}), "-1e+39 does not fit float32"},
  });
}

TEST_CASE("a fixed feature must have as many values as its shape") {
  CheckRows({
      {Exactly(DataType::kInt64), Longs({1, 2}), "2 values; expected 1"},
      {Exactly(DataType::kInt64), Longs({}), "0 values; expected 1"},
      {Exactly(DataType::kInt64), Entry("x", Field(5, "")), "0 values; expected 1"},
      {Exactly(DataType::kInt64, 3), Longs({1}), "1 value; expected 3"},
      {Exactly(DataType::kBytes, 2), Strings("x", {"a"}), "1 value; expected 2"},
      {Exactly(DataType::kInt64, 0), Longs({}), "[]"},
      {Exactly(DataType::kBytes, 0), Strings("x", {}), "[]"},
      {Exactly(DataType::kInt64, 0), Longs({1}), "1 value; expected 0"},
      {Exactly(DataType::kInt64), Int32s("y", {1}), "is not in the record, and has no default"},
      {Exactly(DataType::kInt64), "", "is not in the record, and has no default"},
      {Exactly(DataType::kInt64), Entry("x", ""), "has no kind set in the record, and no default"},
      {Exactly(DataType::kInt64), Entry("x", Field(9, "")), "has no kind set in the record, and no default"},
  });
}

TEST_CASE("a default replaces only an absent feature or a feature without a kind") {
  FeatureSpec number = Exactly(DataType::kInt16, 2);
  number.fill = {{7, 0, 255, 255}};
  FeatureSpec text = Exactly(DataType::kBytes);
  text.fill_bytes = {{"none"}};
  CheckRows({
      {number, "", "[7 -1]"},
      {number, Entry("x", ""), "[7 -1]"},
      {number, Field(1, Field(1, "x")), "[7 -1]"},
      {number, Longs({}), "0 values; expected 2"},
      {number, Longs({1, 2}), "[1 2]"},
      {text, Int32s("y", {1}), "[\"none\"]"},
      {text, Entry("x", ""), "[\"none\"]"},
      {text, Strings("x", {"some"}), "[\"some\"]"},
  });
}

TEST_CASE("a ragged feature may have any number of values") {
  const Payloads records(PayloadKind::kExample,
                         {Example(Ints("x", {1, 2}) + Strings("s", {"a", "b"})), Example(Entry("x", "")), "",
                          Example(Ints("x", {}) + Strings("s", {})), Example(Strings("s", {""}) + Ints("x", {-1}))});
  const BatchDecoder decoder =
      DecoderOf({Ragged(DataType::kInt32), {.name = "s", .form = Form::kRagged, .type = DataType::kBytes}});
  const auto batch = decoder.Decode(records.source(), records.all());
  CHECK(Spell(batch) == "[1 2][][][][-1] [\"a\" \"b\"][][][][\"\"]");
  CHECK(batch->arrays[0].count == 3);
  CHECK(batch->arrays[1].rows == std::vector<int64_t>{0, 2, 2, 2, 2, 3});
}

TEST_CASE("a raw feature is decoded from the bytes of a single byte string") {
  CheckRows({
      {Raw(DataType::kUint16, 2), Strings("x", {{"\x01\x00\x02\x01", 4}}), "[1 258]"},
      {Raw(DataType::kInt8, 2), Strings("x", {"\xff\x7f"}), "[-1 127]"},
      {Raw(DataType::kFloat32, 1), Strings("x", {Fixed(0.5f)}), "[0.5]"},
      {Raw(DataType::kBool, 2), Strings("x", {{"\1\0", 2}}), "[1 0]"},
      {Raw(DataType::kBool, 2), Strings("x", {{"\1\2", 2}}), "2 does not fit bool"},
      {Raw(DataType::kUint8, 0), Strings("x", {""}), "[]"},
      {Raw(DataType::kUint8, 1), Strings("x", {}), "0 byte strings; expected 1"},
      {Raw(DataType::kUint8, 1), Strings("x", {"a", "b"}), "2 byte strings; expected 1"},
      {Raw(DataType::kInt32, 1), Strings("x", {"abc"}), "3 bytes; expected a multiple of 4, as int32 has"},
      {Raw(DataType::kUint8, 2), Strings("x", {"abc"}), "3 items; expected 2"},
      {Raw(DataType::kUint8, 2, true), Strings("x", {"abc"}), "[97 98]"},
      {Raw(DataType::kBool, 1, true), Strings("x", {"\1c"}), "[1]"},
      {Raw(DataType::kUint8, 4, true), Strings("x", {"abc"}), "3 items; expected 4"},
      {Raw(DataType::kUint8, 4, false, true), Strings("x", {"abc"}), "[97 98 99 0]"},
      {Raw(DataType::kUint16, 2, true, true), Strings("x", {""}), "[0 0]"},
  });
}

TEST_CASE("a raw feature with numbers casts them to its type") {
  CheckRows({
      {Raw(DataType::kFloat32, 2), Longs({3, -4}), "[3.0 -4.0]"},
      // Neither is halfway, but the nearest double is.
      {Raw(DataType::kBfloat16, 2), Longs({(1LL << 62) + (1LL << 54) + 1, -(1LL << 62) - (1LL << 54) - 1}),
       "[4647714815446351872.0 -4647714815446351872.0]"},
      {Raw(DataType::kInt32, 3), Floats("x", {1.9f, -1.9f, 0}), "[1 -1 0]"},
      {Raw(DataType::kUint8, 2), Doubles("x", {255.9, -0.9}), "[255 0]"},
      {Raw(DataType::kUint8, 1), Doubles("x", {256}), "256 does not fit uint8"},
      {Raw(DataType::kUint8, 1), Doubles("x", {-1}), "-1 does not fit uint8"},
      {Raw(DataType::kInt64, 1), Doubles("x", {-9223372036854775808.0}), "[-9223372036854775808]"},
      {Raw(DataType::kInt64, 1), Doubles("x", {9223372036854775808.0}), "9223372036854775808 does not fit int64"},
      {Raw(DataType::kUint64, 1), Doubles("x", {9223372036854775808.0}), "[9223372036854775808]"},
      {Raw(DataType::kUint64, 1), Doubles("x", {18446744073709551616.0}), "18446744073709551616 does not fit uint64"},
      {Raw(DataType::kInt8, 1), Floats("x", {kNan}), "nan does not fit int8"},
      {Raw(DataType::kInt8, 1), Doubles("x", {-kInfinity}), "-inf does not fit int8"},
      {Raw(DataType::kInt8, 1), Longs({300}), "300 does not fit int8"},
      {Raw(DataType::kBool, 2), Floats("x", {1, 0}), "[1 0]"},
      {Raw(DataType::kBool, 1), Floats("x", {0.5f}), "0.5 does not fit bool"},
      {Raw(DataType::kInt8, 2), Longs({1, 2, 300}), "3 items; expected 2"},
      {Raw(DataType::kInt8, 2, true), Longs({1, 2, 300}), "[1 2]"},
      {Raw(DataType::kInt8, 3, false, true), Longs({1}), "[1 0 0]"},
      {Raw(DataType::kInt8, 3, true), Longs({1}), "1 item; expected 3"},
      {Raw(DataType::kInt8, 3, true, true), "", "is not in the record, and has no default"},
  });
}

TEST_CASE("padding is zeros, though its memory was used before") {
  LeaveUsedMemory(2 * kPooledBytes);
  for (const std::string& features : {Longs({9}), Strings("x", {std::string(1, 9)})}) {
    const auto batch =
        Decoded(Raw(DataType::kUint8, 2 * kPooledBytes, false, true), PayloadKind::kOfRecord, {features});
    REQUIRE(batch);
    const Buffer& values = batch->arrays[0].values;
    REQUIRE(values.size() == 2 * kPooledBytes);
    CHECK(values.data()[0] == 9);
    CHECK(std::all_of(values.data() + 1, values.data() + values.size(), [](uint8_t byte) { return byte == 0; }));
  }
}

TEST_CASE("messages are decoded as by libprotobuf") {
  const std::string one = Field(5, PackedVarints({1}));
  CheckRows({
      // The last entry of a name wins, even an empty one.
      {Exactly(DataType::kInt64), Longs({1}) + Longs({2}), "[2]"},
      {Ragged(DataType::kInt64), Longs({1}) + Entry("x", ""), "[]"},
      {Ragged(DataType::kInt64), Longs({1, 2}) + Int32s("y", {1}) + Longs({3, 4}), "[3 4]"},
      // Inside an entry, values of the same kind are joined, and another kind replaces them.
      {Ragged(DataType::kInt64), Field(1, Field(1, "x") + Field(2, one) + Field(2, one)), "[1 1]"},
      {Exactly(DataType::kInt64), Entry("x", Field(1, Field(1, "a")) + one), "[1]"},
      // If an entry has several names, the last one counts.
      {Exactly(DataType::kInt64), Field(1, Field(1, "y") + Field(2, one) + Field(1, "x")), "[1]"},
      {Exactly(DataType::kInt64), Field(1, Field(2, one) + Field(1, "x")), "[1]"},
      {Ragged(DataType::kInt64), Field(1, Field(1, "x") + Field(2, one) + Field(1, "y")), "[]"},
      // Numbers that are unpacked, or packed in several pieces, among unknown fields.
      {Ragged(DataType::kInt64), Entry("x", Field(5, VarintField(1, 7) + PackedVarints({8}) + VarintField(2, 0))),
       "[7 8]"},
      {Ragged(DataType::kFloat32), Entry("x", Field(2, FixedField(1, 0.5f) + Group(7, ""))), "[0.5]"},
      {Exactly(DataType::kInt64), Group(3, "") + Longs({1}) + VarintField(1, 5), "[1]"},
      // 32-bit integers are cut to size.
      {Ragged(DataType::kInt64), Int32s("x", {int64_t{1} << 32 | 5, -1}), "[5 -1]"},
      {{.name = "", .type = DataType::kInt64}, Entry("", Field(5, PackedVarints({1}))), "[1]"},
      {{.name = "", .type = DataType::kInt64}, Field(1, Field(2, Field(5, PackedVarints({1})))), "[1]"},
  });
}

TEST_CASE("a feature list returns the values of all its steps") {
  const auto list = [](const std::string& name, const std::string& steps) {
    return Field(2, Field(1, Field(1, name) + Field(2, steps)));
  };
  const auto step = [](const std::string& feature) { return Field(1, feature); };
  const std::string two = Field(3, PackedVarints({1, 2}));
  const std::string three = Field(3, PackedVarints({3}));
  const std::string text = Field(1, BytesList({"a"}));
  const FeatureSpec ragged{.name = "l[]", .form = Form::kRagged, .type = DataType::kInt64};
  const FeatureSpec strings{.name = "l[]", .form = Form::kRagged, .type = DataType::kBytes};
  const struct {
    FeatureSpec spec;
    std::string payload;
    std::string outcome;
  } rows[] = {
      {ragged, list("l", step(two) + step(three)), "[1 2 3]"},
      {strings, list("l", step(text) + step("") + step(text)), "[\"a\" \"a\"]"},
      {ragged, list("l", step(two) + step("") + step(Field(1, "")) + step(three)), "[1 2 3]"},
      {ragged, list("l", step(two) + step(text)),
       "error record 0: feature 'l[]': its steps differ in kind; expected one"},
      {ragged, list("l", ""), "[]"},
      {strings, list("l", step(Field(3, ""))), "[]"},
      {ragged, list("m", step(two)), "[]"},
      {ragged, Field(1, Ints("l[]", {9})) + list("l", step(two)), "[9]"},
      {{.name = "l[]", .values = 3}, list("l", step(two) + step(three)), "[1 2 3]"},
      {{.name = "l[]", .values = 3}, list("l", ""), "error record 0: feature 'l[]': 0 values; expected 3"},
      {{.name = "l[]"}, "", "error record 0: feature 'l[]': is not in the record, and has no default"},
      {{.name = "c"}, Field(1, Ints("c", {5})) + list("l", step(two)), "[5]"},
      {{.name = "l", .form = Form::kRagged}, list("l", step(two)), "[]"},
      {{.name = "c"}, list("l", step(two)) + Field(1, Ints("c", {5})), "[5]"},
  };
  for (const auto& row : rows) {
    CHECK(Spell(Decoded(row.spec, PayloadKind::kSequenceExample, {row.payload})) == row.outcome);
  }
  CHECK(Spell(Decoded({.name = "l[]"}, PayloadKind::kExample, {Example(Ints("l[]", {4}))})) == "[4]");
}

TEST_CASE("the error is that of the first wrong record in the requested order") {
  std::vector<std::string> payloads(400, Example(Ints("x", {1})));
  payloads[90] = Example(Ints("x", {1, 2}));
  payloads[91] = "\xff";
  payloads[399] = Example("");
  const Payloads records(PayloadKind::kExample, payloads);
  const BatchDecoder decoder = DecoderOf({{.name = "x"}});
  CHECK(Spell(decoder.Decode(records.source(), records.all())) == "error record 90: feature 'x': 2 values; expected 1");
  CHECK(Spell(decoder.Decode(records.source(), std::vector<uint64_t>{1, 399, 90})) ==
        "error record 399: feature 'x': is not in the record, and has no default");
  const auto damaged = decoder.Decode(records.source(), std::vector<uint64_t>{3, 91, 90});
  CHECK(damaged.error().code == ErrorCode::kDamage);
  CHECK(damaged.error().message == "record 91: payload@0: malformed message: torn varint");
  // A record that cannot be fetched comes after one that cannot be decoded.
  CHECK(Spell(decoder.Decode(records.source(), std::vector<uint64_t>{1, 90, 1000})) ==
        "error record 90: feature 'x': 2 values; expected 1");
  const auto missing = decoder.Decode(records.source(), std::vector<uint64_t>{1, 1000, 90});
  CHECK(missing.error().code == ErrorCode::kOutOfRange);
}

TEST_CASE("an opaque payload has no features") {
  const auto batch = Decoded({.name = "x", .form = Form::kRagged}, PayloadKind::kOpaque, {"text"});
  CHECK(batch.error().code == ErrorCode::kFeature);
  CHECK(batch.error().message == "record 0: the payload is opaque: it has no features");
}

TEST_CASE("names in errors are printable") {
  CHECK(Spell(Decoded({.name = "\x1b[2J"}, PayloadKind::kExample, {""})) ==
        "error record 0: feature '\\x1b[2J': is not in the record, and has no default");
}

TEST_CASE("a request without features is a valid batch") {
  const Payloads records(PayloadKind::kExample, {"", ""});
  const auto none = DecoderOf({}).Decode(records.source(), records.all());
  REQUIRE(none);
  CHECK(none->records == 2);
  CHECK(none->arrays.empty());
}

TEST_CASE("a request without records returns empty arrays") {
  const Payloads records(PayloadKind::kExample, {});
  const auto batch = DecoderOf({{.name = "x"},
                                {.name = "s", .type = DataType::kBytes},
                                {.name = "r", .form = Form::kRagged, .type = DataType::kBytes}})
                         .Decode(records.source(), {}, 4);
  REQUIRE(batch);
  CHECK(batch->records == 0);
  CHECK(batch->arrays[0].count == 0);
  CHECK(batch->arrays[1].offsets == std::vector<int64_t>{0});
  CHECK(batch->arrays[2].rows == std::vector<int64_t>{0});
}

TEST_CASE("decoding can be cancelled") {
  const Payloads records(PayloadKind::kExample, {Example(Ints("x", {1}))});
  const std::atomic<bool> cancel{true};
  const auto batch = DecoderOf({{.name = "x"}}).Decode(records.source(), records.all(), 1, &cancel);
  CHECK(batch.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("a large array reuses the memory of the previous array after that array is freed") {
  const Payloads records(PayloadKind::kExample,
                         std::vector<std::string>(600, Example(Strings("s", {std::string(5000, 's')}))));
  const BatchDecoder decoder = DecoderOf({{.name = "s", .type = DataType::kBytes}});
  static_cast<void>(decoder.Decode(records.source(), records.all()));
  const uint8_t* before = nullptr;
  for (int round = 0; round < 3; ++round) {
    const auto batch = decoder.Decode(records.source(), records.all());
    REQUIRE(batch);
    const uint8_t* const data = batch->arrays[0].values.data();
    CHECK((before == nullptr || before == data));
    before = data;
  }
}

TEST_CASE("a request larger than memory is a kLimit error") {
  const Payloads records(PayloadKind::kExample, {"", ""});
  const std::vector<uint64_t> many(100'000);
  const BatchDecoder decoder = DecoderOf({{.name = "x", .form = Form::kRaw, .values = uint64_t{1} << 40}});
  CHECK(decoder.Decode(records.source(), many).error().code == ErrorCode::kLimit);
}

}  // namespace
}  // namespace ofindex

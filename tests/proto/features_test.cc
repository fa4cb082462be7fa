#include "proto/features.h"

#include <doctest/doctest.h>

#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "tests/proto/fixture_payloads.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/files.h"
#include "tests/support/fixtures.h"

namespace ofindex {
namespace {

template <typename T>
std::string JoinedValues(std::span<const T> values) {
  std::string text;
  for (const T& value : values) {
    if (!text.empty()) text += ",";
    if constexpr (std::is_same_v<T, ByteView>) {
      text += AsText(value);
    } else {
      text += std::to_string(value);
    }
  }
  return text;
}

/// Returns a value as a test row spells it: `int64[1,2]`, `bytes[]`, `none`.
std::string Spell(const DecodedRecord& record, FeatureValue value) {
  std::string values;
  switch (value.kind) {
    case FeatureKind::kNone: return "none";
    case FeatureKind::kBytes: values = JoinedValues(record.bytes(value)); break;
    case FeatureKind::kFloat: values = JoinedValues(record.floats(value)); break;
    case FeatureKind::kDouble: values = JoinedValues(record.doubles(value)); break;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: values = JoinedValues(record.integers(value)); break;
  }
  return std::string(Name(value.kind)) + "[" + values + "]";
}

/// Returns a record in one line: `a=int64[1] b=none`, feature lists after the features as `s[]={bytes[x] none}`.
std::string Spell(const DecodedRecord& record) {
  std::string text;
  for (const Feature& feature : record.features()) {
    text += (text.empty() ? "" : " ") + std::string(AsText(feature.name)) + "=" + Spell(record, feature.value);
  }
  for (const FeatureList& list : record.feature_lists()) {
    std::string steps;
    for (const FeatureValue& step : record.steps(list)) steps += (steps.empty() ? "" : " ") + Spell(record, step);
    text += (text.empty() ? "" : " ") + std::string(AsText(list.name)) + "[]={" + steps + "}";
  }
  return text;
}

std::string Decoded(const std::string& payload, PayloadKind kind) {
  DecodedRecord record;
  const Result<void> result = record.Decode(AsBytes(payload), kind);
  return result ? Spell(record) : "error " + result.error().message;
}

std::string DecodedExample(const std::string& features) { return Decoded(Field(1, features), PayloadKind::kExample); }

struct MessageRow {
  std::string message;
  std::string decoded;
};

TEST_CASE("every kind of an Example is decoded, and features are sorted by the bytes of their names") {
  const std::string features = Entry("w", Int64s({28, -1})) + Entry("B", ByteStrings({"x", "", "yz"})) +
                               Entry("f", Field(2, PackedFixed({0.5f, -2.0f}))) + Entry("\xc3\xa9", "") +
                               Entry("a", "");
  CHECK(DecodedExample(features) == "B=bytes[x,,yz] a=none f=float[0.500000,-2.000000] w=int64[28,-1] \xc3\xa9=none");
}

TEST_CASE("every kind of an OFRecord is decoded, where kind 3 is double and no message encloses the map") {
  const std::string record = Entry("a", ByteStrings({"x"})) + Entry("b", Field(2, PackedFixed({0.5f}))) +
                             Entry("c", Field(3, PackedFixed({0.25, 1.0}))) +
                             Entry("d", Field(4, PackedVarints({-7}))) +
                             Entry("e", Field(5, PackedVarints({int64_t{1} << 40})));
  CHECK(Decoded(record, PayloadKind::kOfRecord) ==
        "a=bytes[x] b=float[0.500000] c=double[0.250000,1.000000] d=int32[-7] e=int64[1099511627776]");
}

TEST_CASE("messages are merged as by libprotobuf") {
  const std::vector<MessageRow> rows = {
      // the last entry of a name replaces earlier ones: values are not joined
      {Entry("a", Int64s({1, 2})) + Entry("b", Int64s({9})) + Entry("a", Int64s({3})), "a=int64[3] b=int64[9]"},
      // even if the last entry is empty; TensorFlow's own parser then shows the earlier one
      {Entry("a", Int64s({1})) + Entry("a", ""), "a=none"},
      // even if the last entry has no value at all
      {Entry("a", Int64s({1})) + Field(1, Field(1, "a")), "a=none"},
      // a value repeated inside one entry merges: the same kind is concatenated
      {Field(1, Field(1, "a") + Field(2, Int64s({1})) + Field(2, Int64s({2}))), "a=int64[1,2]"},
      // another kind replaces the values
      {Field(1, Field(1, "a") + Field(2, Int64s({1})) + Field(2, ByteStrings({"x"}))), "a=bytes[x]"},
      // an empty value changes nothing
      {Field(1, Field(1, "a") + Field(2, Int64s({1})) + Field(2, "")), "a=int64[1]"},
      // the last key of an entry counts, and applies to the values before it
      {Field(1, Field(1, "a") + Field(2, Int64s({1})) + Field(1, "b")), "b=int64[1]"},
      // a value may precede its key
      {Field(1, Field(2, Int64s({1})) + Field(1, "a")), "a=int64[1]"},
      // an entry without a key has the empty name
      {Field(1, Field(2, Int64s({1}))), "=int64[1]"},
      // an empty entry has the empty name and no kind
      {Field(1, ""), "=none"},
      // as above, twice, after a named one
      {Entry("a", "") + Field(1, "") + Field(1, ""), "=none a=none"},
  };
  for (const MessageRow& row : rows) CHECK(DecodedExample(row.message) == row.decoded);
}

TEST_CASE("the concatenation of two messages is one message with both maps merged") {
  const std::string first = Field(1, Entry("a", Int64s({1})) + Entry("b", Int64s({2})));
  const std::string second = Field(1, Entry("b", ByteStrings({"x"})) + Entry("c", Int64s({3})));
  CHECK(Decoded(first + second, PayloadKind::kExample) == "a=int64[1] b=bytes[x] c=int64[3]");
}

TEST_CASE("in a Feature, values of one kind are joined, another kind replaces them, and an unknown kind is ignored") {
  const std::vector<MessageRow> rows = {
      {Int64s({1}) + Int64s({2, 3}), "int64[1,2,3]"},                // the same kind twice
      {Int64s({1}) + Field(3, ""), "int64[1]"},                      // the second one empty
      {Int64s({1}) + ByteStrings({"x"}), "bytes[x]"},                // replaced by another kind
      {Int64s({1}) + ByteStrings({"x"}) + Int64s({2}), "int64[2]"},  // the first value stays lost
      {Int64s({1}) + Field(1, ""), "bytes[]"},                       // even by an empty list of another kind
      {"", "none"},                                                  // no kind
      {Field(3, ""), "int64[]"},                                     // an empty list of int64
      {Field(2, ""), "float[]"},                                     // an empty list of float
      {Field(1, ""), "bytes[]"},                                     // an empty list of bytes
      {Field(3, PackedVarints({})), "int64[]"},                      // a packed chunk of nothing
      {Field(4, PackedVarints({1})), "none"},                        // OFRecord's int32 is unknown to an Example
      {Int64s({1}) + Field(5, PackedVarints({2})), "int64[1]"},      // and is ignored
      {VarintField(3, 1), "none"},                                   // a kind in a wrong wire type is unknown
      {Group(3, PackedVarints({1})), "none"},                        // or as a group
  };
  for (const MessageRow& row : rows) CHECK(DecodedExample(Entry("a", row.message)) == "a=" + row.decoded);
}

TEST_CASE("no values, one empty value, no kind and no feature are distinguished") {
  const std::string payload =
      Field(1, Entry("empty", Field(1, "")) + Entry("one", ByteStrings({""})) + Entry("kindless", ""));
  DecodedRecord record;
  REQUIRE(record.Decode(AsBytes(payload), PayloadKind::kExample));
  CHECK(record.Find(AsBytes("empty"))->value.kind == FeatureKind::kBytes);
  CHECK(record.Find(AsBytes("empty"))->value.count == 0);
  CHECK(record.Find(AsBytes("one"))->value.count == 1);
  CHECK(record.Find(AsBytes("kindless"))->value.kind == FeatureKind::kNone);
  CHECK(record.Find(AsBytes("absent")) == nullptr);
}

TEST_CASE("numbers are read packed, unpacked and mixed, in wire order") {
  const std::vector<MessageRow> rows = {
      {Field(3, VarintField(1, 1) + VarintField(1, 2)), "int64[1,2]"},                          // unpacked
      {Field(3, PackedVarints({1, 2}) + PackedVarints({3})), "int64[1,2,3]"},                   // two chunks
      {Field(3, PackedVarints({1}) + VarintField(1, 2) + PackedVarints({3})), "int64[1,2,3]"},  // mixed
      {Field(2, FixedField(1, 0.5f) + PackedFixed({1.0f})), "float[0.500000,1.000000]"},        // mixed floats
      {Field(3, VarintField(2, 7) + PackedVarints({1}) + Field(9, "x")), "int64[1]"},  // unknown fields between
      {Field(3, FixedField(1, 0.5f) + PackedVarints({1})), "int64[1]"},                // a wrong wire type
      {Field(1, VarintField(1, 7) + Field(1, "x")), "bytes[x]"},                       // as above, for bytes
      {Field(3, Field(1, Varint(1, 10))), "int64[1]"},                                 // ten bytes for a 1
  };
  for (const MessageRow& row : rows) CHECK(DecodedExample(Entry("a", row.message)) == "a=" + row.decoded);
}

TEST_CASE("an int32 is the low 32 bits of its varint, with sign") {
  const std::vector<MessageRow> rows = {
      {PackedVarints({-1}), "int32[-1]"},                     // ten bytes, as written by protobuf
      {PackedVarints({0xffffffff}), "int32[-1]"},             // five bytes
      {PackedVarints({(int64_t{1} << 32) + 5}), "int32[5]"},  // a bit above the 32nd
      {VarintField(1, 0x80000000), "int32[-2147483648]"},     // the least, unpacked
  };
  for (const MessageRow& row : rows) {
    CHECK(Decoded(Entry("a", Field(4, row.message)), PayloadKind::kOfRecord) == "a=" + row.decoded);
  }
}

TEST_CASE("floats and doubles keep their bits: NaN payloads, signed zero, denormals") {
  const std::vector<uint32_t> float_bits = {0x7f800001, 0xffc12345, 0x80000000, 0x00000001, 0x7f800000};
  const std::vector<uint64_t> double_bits = {0x7ff0000000000001, 0xfff8123456789abc, uint64_t{1} << 63, 1};
  std::string floats, doubles;
  for (uint32_t bits : float_bits) floats += FixedField(1, bits) + PackedFixed({bits});
  for (uint64_t bits : double_bits) doubles += FixedField(1, bits) + PackedFixed({bits});
  const std::string payload = Entry("d", Field(3, doubles)) + Entry("f", Field(2, floats));

  DecodedRecord record;
  REQUIRE(record.Decode(AsBytes(payload), PayloadKind::kOfRecord));
  const std::span<const double> d = record.doubles(record.features()[0].value);
  const std::span<const float> f = record.floats(record.features()[1].value);
  REQUIRE(d.size() == 2 * double_bits.size());
  REQUIRE(f.size() == 2 * float_bits.size());
  for (size_t i = 0; i < d.size(); ++i) CHECK(std::bit_cast<uint64_t>(d[i]) == double_bits[i / 2]);
  for (size_t i = 0; i < f.size(); ++i) CHECK(std::bit_cast<uint32_t>(f[i]) == float_bits[i / 2]);
}

TEST_CASE("a name may be any bytes") {
  const std::vector<std::string> names = {
      "",                        // empty
      std::string("a\0b", 3),    // a NUL inside
      "image/\n\"key\"",         // characters that must be escaped when printed
      "\xff\xfe",                // not UTF-8
      std::string(100000, 'k'),  // long
  };
  for (const std::string& name : names) {
    const std::string payload = Field(1, Entry(name, Int64s({1})));
    DecodedRecord record;
    REQUIRE(record.Decode(AsBytes(payload), PayloadKind::kExample));
    REQUIRE(record.features().size() == 1);
    CHECK(AsText(record.features()[0].name) == name);
    CHECK(record.Find(AsBytes(name)) == &record.features()[0]);
  }
}

TEST_CASE("unknown fields and groups are skipped at every level") {
  const std::string noise = VarintField(100, 5) + FixedField(101, 1.0) + Field(102, "\xff\xff") +
                            Group(103, Field(1, "x") + Group(1, "")) + FixedField(104, 1.0f) + VarintField(1, 1);
  const std::string list = noise + BytesList({"x"}) + noise;
  const std::string feature = noise + Field(1, list) + noise;
  const std::string entry = noise + Field(1, "a") + noise + Field(2, feature) + noise;
  const std::string features = noise + Field(1, entry) + noise;
  CHECK(Decoded(noise + Field(1, features) + noise, PayloadKind::kExample) == "a=bytes[x]");
  CHECK(Decoded(features, PayloadKind::kOfRecord) == "a=bytes[x]");
}

TEST_CASE("groups may nest a hundred levels deep, including the messages around them") {
  for (const int extra : {0, 1}) {
    const std::vector<std::string> payloads = {
        NestedGroups(100 + extra),                                                      // in the Example
        Field(1, NestedGroups(99 + extra)),                                             // in its Features
        Field(1, Field(1, NestedGroups(98 + extra))),                                   // in an entry
        Field(1, Entry("a", NestedGroups(97 + extra))),                                 // in a Feature
        Field(1, Entry("a", Field(3, PackedVarints({1}) + NestedGroups(96 + extra)))),  // in a list
    };
    for (const std::string& payload : payloads) {
      const bool refused = Decoded(payload, PayloadKind::kExample).starts_with("error");
      CHECK(refused == (extra == 1));
    }
  }
}

TEST_CASE("a SequenceExample has context features and feature lists of ragged steps") {
  const std::string context = Field(1, Entry("id", ByteStrings({"r1"})) + Entry("none", ""));
  const std::string words =
      Field(1, ByteStrings({"a", "b"})) + Field(1, "") + Field(1, Field(1, "")) + Field(1, Int64s({5}));
  const std::string lists = Field(2, Entry("words", words) + Entry("empty", "") + Entry("id", Field(1, Int64s({1}))));
  CHECK(Decoded(context + lists, PayloadKind::kSequenceExample) ==
        "id=bytes[r1] none=none empty[]={} id[]={int64[1]} words[]={bytes[a,b] none bytes[] int64[5]}");
}

TEST_CASE("in feature lists, the last entry of a name replaces earlier ones, and the steps of one entry are joined") {
  const std::string one = Field(1, Int64s({1}));
  const std::string two = Field(1, Int64s({2}));
  const std::vector<MessageRow> rows = {
      {Field(2, Entry("s", one) + Entry("s", two)), "s[]={int64[2]}"},                                 // in one message
      {Field(2, Entry("s", one)) + Field(2, Entry("s", two)), "s[]={int64[2]}"},                       // in two
      {Field(2, Field(1, Field(1, "s") + Field(2, one) + Field(2, two))), "s[]={int64[1] int64[2]}"},  // in one entry
      {Field(2, Entry("s", one) + Field(1, Field(1, "s"))), "s[]={}"},                                 // no value
      {Field(2, Entry("b", one) + Entry("a", two)), "a[]={int64[2]} b[]={int64[1]}"},                  // sorted
  };
  for (const MessageRow& row : rows) CHECK(Decoded(row.message, PayloadKind::kSequenceExample) == row.decoded);
}

TEST_CASE("an Example has no feature lists") {
  CHECK(Decoded(Field(2, Entry("s", Field(1, Int64s({1})))), PayloadKind::kExample) == "");
}

TEST_CASE("an empty payload is a record without features") {
  for (PayloadKind kind : {PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    DecodedRecord record;
    REQUIRE(record.Decode(ByteView(), kind));
    CHECK(record.features().empty());
    CHECK(record.feature_lists().empty());
  }
}

TEST_CASE("a malformed message is an error with byte and reason, and the record has no features") {
  const std::string good = Field(1, Entry("a", Int64s({1})));  // 14 bytes
  REQUIRE(good.size() == 14);
  const std::vector<MessageRow> rows = {
      {good + Field(1, Entry("a", Field(2, Field(1, "12345")))),
       "payload@27: malformed message: packed length not a multiple of the value size"},
      {good + Field(1, Entry("a", Field(3, Field(1, "\x80")))), "payload@27: malformed message: torn varint"},
      {good + Field(1, Entry("a", Field(3, "\x0a\x7f"))),
       "payload@26: malformed message: length past the end of the message"},
      {good + Field(1, Entry("a", Group(3, "") + "\x0b")), "payload@25: malformed message: unbalanced group"},
      {good + std::string(1, '\0'), "payload@14: malformed message: field number 0"},
      {good + "\x0f", "payload@14: malformed message: wire type 6 or 7"},
  };
  for (const MessageRow& row : rows) {
    DecodedRecord record;
    const Result<void> result = record.Decode(AsBytes(row.message), PayloadKind::kExample);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kDamage);
    CHECK(result.error().message == row.decoded);
    CHECK(record.features().empty());
  }
}

TEST_CASE("packed floats and doubles are whole ones") {
  for (const uint32_t width : {4U, 8U}) {
    for (size_t size = 0; size <= 24; ++size) {
      const std::string list = Field(1, std::string(size, 'x'));
      const std::string payload = Entry("a", Field(width == 4 ? 2 : 3, list));
      CAPTURE(size);
      DecodedRecord record;
      CHECK(record.Decode(AsBytes(payload), PayloadKind::kOfRecord).has_value() == (size % width == 0));
      CHECK(record.DecodeOutline(AsBytes(payload), PayloadKind::kOfRecord).has_value() == (size % width == 0));
    }
  }
}

TEST_CASE("opaque payloads and payloads beyond 2 GiB are refused without being read") {
  DecodedRecord record;
  CHECK(record.Decode(ByteView(), PayloadKind::kOpaque).error().code == ErrorCode::kUsage);
  const uint8_t byte = 0;
  const ByteView huge(&byte, kMaxMessageBytes + 1);
  CHECK(record.Decode(huge, PayloadKind::kExample).error().code == ErrorCode::kLimit);
}

TEST_CASE("one DecodedRecord decodes record after record, and keeps nothing of the previous record") {
  const std::string first = Field(1, Entry("a", Int64s({1, 2, 3})) + Entry("b", ByteStrings({"x"})));
  const std::string second = Field(1, Entry("b", Int64s({4})));
  DecodedRecord record;
  REQUIRE(record.Decode(AsBytes(first), PayloadKind::kExample));
  REQUIRE(record.Decode(AsBytes(second), PayloadKind::kExample));
  CHECK(Spell(record) == "b=int64[4]");
  REQUIRE_FALSE(record.Decode(AsBytes("\x0f"), PayloadKind::kExample));
  CHECK(Spell(record) == "");
}

TEST_CASE("the MNIST Example of the fixtures decodes to the values in its README") {
  const std::optional<std::string> folder = FixturesOrMessage();
  if (!folder) return;
  const std::string payload = ReadFile(*folder + "/mnist_example.pb");
  REQUIRE(payload.size() == 859);
  DecodedRecord record;
  REQUIRE(record.Decode(AsBytes(payload), PayloadKind::kExample));
  REQUIRE(record.features().size() == 4);
  CHECK(AsText(record.features()[1].name) == "image_raw");
  CHECK(Spell(record, record.Find(AsBytes("height"))->value) == "int64[28]");
  CHECK(Spell(record, record.Find(AsBytes("label"))->value) == "int64[5]");
  CHECK(Spell(record, record.Find(AsBytes("width"))->value) == "int64[28]");
  const ByteView image = record.bytes(record.Find(AsBytes("image_raw"))->value)[0];
  CHECK(image.size() == 784);
  CHECK(std::accumulate(image.begin(), image.end(), 0) == 27525);
}

TEST_CASE("real SequenceExamples and OFRecords of the fixtures decode to the values in their manifests") {
  const std::optional<std::string> folder = FixturesOrMessage();
  if (!folder) return;
  DecodedRecord record;
  const auto sequences = PayloadsOf(*folder + "/real/sequence_example.tfrecord", Framing::kTfRecord);
  REQUIRE(sequences.size() == 4);
  REQUIRE(record.Decode(AsBytes(sequences[0]), PayloadKind::kSequenceExample));
  REQUIRE(record.features().size() == 3);
  CHECK(record.Find(AsBytes("x_byte"))->value.count == 1);
  CHECK(record.Find(AsBytes("x_float"))->value.count == 10);
  CHECK(record.Find(AsBytes("x_int"))->value.count == 10);
  REQUIRE(record.feature_lists().size() == 3);
  CHECK(AsText(record.feature_lists()[0].name) == "x_byte_seq");
  for (const FeatureList& list : record.feature_lists()) CHECK(record.steps(list).size() == 3);

  const auto penguins = PayloadsOf(*folder + "/derived/ofrecord-penguin/part-0", Framing::kOfRecord);
  REQUIRE(penguins.size() == 19);
  REQUIRE(record.Decode(AsBytes(penguins[0]), PayloadKind::kOfRecord));
  REQUIRE(record.features().size() == 5);
  CHECK(record.Find(AsBytes("body_mass_g"))->value.kind == FeatureKind::kDouble);
  CHECK(record.Find(AsBytes("species"))->value.kind == FeatureKind::kInt32);
}

}  // namespace
}  // namespace ofindex

#include "proto/wire/wire.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/proto/message_bytes.h"

namespace ofindex {
namespace {

/// The result of reading every field of a message.
struct Reading {
  std::vector<WireField> fields;
  Malformed malformed;
};

Reading ReadAll(const std::string& message) {
  Reading reading;
  WireReader reader(AsBytes(message), &reading.malformed);
  for (WireField field; reader.Next(&field);) reading.fields.push_back(field);
  return reading;
}

std::string Repeat(std::string_view bytes, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += bytes;
  return repeated;
}

TEST_CASE("an empty message has no fields and is well-formed") {
  const Reading reading = ReadAll("");
  CHECK(reading.fields.empty());
  CHECK(reading.malformed.fault == WireFault::kNone);
}

TEST_CASE("fields of every wire type are returned with number, type and content") {
  const std::string message = VarintField(1, 300) + FixedField(2, uint64_t{0x0102030405060708}) + Field(3, "abc") +
                              Group(4, VarintField(7, 1)) + FixedField(5, uint32_t{0xfffefdfc}) +
                              VarintField((1u << 29) - 1, 9);
  const Reading reading = ReadAll(message);
  REQUIRE(reading.fields.size() == 6);
  CHECK(reading.malformed.fault == WireFault::kNone);
  CHECK(reading.fields[0].number == 1);
  CHECK(reading.fields[0].type == WireType::kVarint);
  CHECK(reading.fields[0].value == 300);
  CHECK(reading.fields[1].type == WireType::kFixed64);
  CHECK(reading.fields[1].value == 0x0102030405060708);
  CHECK(reading.fields[2].type == WireType::kBytes);
  CHECK(AsText(reading.fields[2].bytes) == "abc");
  CHECK(reading.fields[3].type == WireType::kGroup);
  CHECK(AsText(reading.fields[3].bytes) == VarintField(7, 1));
  CHECK(reading.fields[4].type == WireType::kFixed32);
  CHECK(reading.fields[4].value == 0xfffefdfc);
  CHECK(reading.fields[5].number == (1u << 29) - 1);
}

TEST_CASE("varints of every length are read, and bits above the 64th are dropped") {
  struct Row {
    std::string varint;
    uint64_t value;
  };
  const std::vector<Row> rows = {
      {Varint(0), 0},                                   // one byte
      {Varint(127), 127},                               // the largest of one byte
      {Varint(128), 128},                               // the smallest of two
      {Varint(5, 10), 5},                               // padded to ten bytes with zero bits
      {Varint(~uint64_t{0}), ~uint64_t{0}},             // all bits
      {Repeat("\xff", 9) + "\x7f", ~uint64_t{0}},       // ten bytes of ones: six bits too many
      {Repeat("\x80", 9) + "\x02", 0},                  // a single bit, above the 64th
      {Repeat("\x80", 9) + "\x01", uint64_t{1} << 63},  // the 64th bit
  };
  for (const Row& row : rows) {
    const Reading reading = ReadAll(Tag(1, WireType::kVarint) + row.varint);
    REQUIRE(reading.fields.size() == 1);
    CHECK(reading.fields[0].value == row.value);
  }
}

TEST_CASE("a malformed message is refused with byte and reason") {
  struct Row {
    std::string message;
    WireFault fault;
    uint64_t offset;
  };
  const std::string sound = VarintField(1, 1);  // two bytes
  const std::vector<Row> rows = {
      {sound + "\x08", WireFault::kTornVarint, 3},                                 // a tag without a value
      {sound + "\x08\x80", WireFault::kTornVarint, 3},                             // a value that does not end
      {sound + "\x88", WireFault::kTornVarint, 2},                                 // a tag that does not end
      {sound + "\x08" + Repeat("\x80", 10) + "\1", WireFault::kLongVarint, 3},     // a value of 11 bytes
      {sound + Varint(8, 6) + "\1", WireFault::kLongTag, 2},                       // a tag of 6 bytes
      {sound + "\x0a" + Varint(0, 6), WireFault::kLongLength, 3},                  // a length of 6 bytes
      {sound + std::string(2, '\0'), WireFault::kFieldNumber, 2},                  // field 0, a run of zero bytes
      {sound + "\x02\x01x", WireFault::kFieldNumber, 2},                           // field 0 with content
      {sound + Varint(uint64_t{1} << 32, 5) + "\1", WireFault::kFieldNumber, 2},   // field 0 and a bit above the 32nd
      {sound + "\x0e", WireFault::kWireType, 2},                                   // wire type 6
      {sound + "\x0f", WireFault::kWireType, 2},                                   // wire type 7
      {sound + "\x0a\x01", WireFault::kPastEnd, 3},                                // one byte promised, none there
      {sound + "\x0a" + Varint(0x7fffffff) + "x", WireFault::kPastEnd, 3},         // 2 GiB promised
      {sound + "\x0a" + Varint(0xffffffff) + "x", WireFault::kPastEnd, 3},         // 4 GiB promised
      {sound + "\x09" + Repeat("x", 7), WireFault::kTornFixed, 3},                 // 7 bytes of 8
      {sound + "\x0d" + Repeat("x", 3), WireFault::kTornFixed, 3},                 // 3 bytes of 4
      {sound + Tag(1, WireType::kEndGroup), WireFault::kUnbalancedGroup, 2},       // closed, never opened
      {sound + Tag(1, WireType::kGroup), WireFault::kUnbalancedGroup, 2},          // opened, never closed
      {sound + Tag(1, WireType::kGroup) + sound, WireFault::kUnbalancedGroup, 2},  // the same, with content
      {sound + "\x0b\x14", WireFault::kUnbalancedGroup, 3},                        // opened as 1, closed as 2
      {sound + "\x0b\x13\x0c\x14", WireFault::kUnbalancedGroup, 4},                // closed in the wrong order
      {sound + "\x0b\x0a\x05\x0c", WireFault::kPastEnd, 4},                        // malformed inside a group
  };
  for (const Row& row : rows) {
    const Reading reading = ReadAll(row.message);
    CAPTURE(Name(row.fault));
    CAPTURE(row.message.size());
    CHECK(reading.fields.size() == 1);
    CHECK(Name(reading.malformed.fault) == Name(row.fault));
    CHECK(reading.malformed.offset == row.offset);
  }
}

TEST_CASE("bits of a tag above the 32nd are dropped, as by libprotobuf") {
  const Reading reading = ReadAll(Varint(uint64_t{8} | uint64_t{1} << 33, 5) + "\x07");
  REQUIRE(reading.fields.size() == 1);
  CHECK(reading.fields[0].number == 1);
  CHECK(reading.fields[0].value == 7);
}

TEST_CASE("a hundred groups may nest and no more, wherever they begin") {
  CHECK(ReadAll(NestedGroups(100)).malformed.fault == WireFault::kNone);
  CHECK(ReadAll(NestedGroups(101)).malformed.fault == WireFault::kTooDeep);
  CHECK(ReadAll(NestedGroups(101)).malformed.offset == 100);

  for (const int levels : {99, 100}) {
    const std::string message = Field(1, NestedGroups(levels));
    Malformed malformed;
    WireReader outer(AsBytes(message), &malformed);
    WireField field;
    REQUIRE(outer.Next(&field));
    WireReader nested = outer.Nested(field.bytes);
    CHECK(nested.Next(&field) == (levels == 99));
    CHECK(outer.ok() == (levels == 99));
  }
}

TEST_CASE("a hundred messages may nest and no more") {
  std::string message;
  for (int i = 0; i < 101; ++i) message = Field(1, message);
  Malformed malformed;
  WireReader reader(AsBytes(message), &malformed);
  int depth = 0;
  for (WireField field; reader.Next(&field); ++depth) reader = reader.Nested(field.bytes);
  CHECK(depth == 101);
  CHECK(malformed.fault == WireFault::kTooDeep);
  CHECK(malformed.offset == message.size());
}

TEST_CASE("a fault in a nested message is reported by the outer reader, with its offset in the payload") {
  const std::string message = VarintField(3, 1) + Field(1, Field(2, "\x08")) + VarintField(3, 1);
  Malformed malformed;
  WireReader outer(AsBytes(message), &malformed);
  WireField field;
  REQUIRE(outer.Next(&field));
  REQUIRE(outer.Next(&field));
  WireReader middle = outer.Nested(field.bytes);
  REQUIRE(middle.Next(&field));
  WireReader inner = middle.Nested(field.bytes);
  CHECK_FALSE(inner.Next(&field));
  CHECK_FALSE(inner.Next(&field));
  CHECK_FALSE(outer.ok());
  CHECK(malformed.fault == WireFault::kTornVarint);
  CHECK(malformed.offset == 7);
}

TEST_CASE("a nested message ends where its length says, even if the next bytes would complete a varint") {
  const std::string message = Field(1, "\x08\x80") + VarintField(1, 1);
  Malformed malformed;
  WireReader outer(AsBytes(message), &malformed);
  WireField field;
  REQUIRE(outer.Next(&field));
  WireReader nested = outer.Nested(field.bytes);
  CHECK_FALSE(nested.Next(&field));
  CHECK(malformed.fault == WireFault::kTornVarint);
}

TEST_CASE("a message truncated at any byte gives a prefix of its fields, never another field") {
  const std::string message = VarintField(1, 300) + Field(2, "abcdef") + FixedField(3, 1.5) + Group(4, Field(5, "xy")) +
                              FixedField(6, 2.5f) + Field(200, std::string(200, 'z'));
  const Reading whole = ReadAll(message);
  REQUIRE(whole.fields.size() == 6);
  for (size_t size = 0; size < message.size(); ++size) {
    const std::string cut = message.substr(0, size);
    const Reading reading = ReadAll(cut);
    CHECK(reading.fields.size() < whole.fields.size());
    for (size_t i = 0; i < reading.fields.size(); ++i) {
      CHECK(reading.fields[i].number == whole.fields[i].number);
      CHECK(reading.fields[i].value == whole.fields[i].value);
      CHECK(AsText(reading.fields[i].bytes) == AsText(whole.fields[i].bytes));
    }
    CHECK(reading.malformed.offset <= size);
  }
}

TEST_CASE("packed varints are returned one by one") {
  const std::string packed = Varint(1) + Varint(300) + Varint(~uint64_t{0});
  Malformed malformed;
  WireReader reader(AsBytes(packed), &malformed);
  std::vector<uint64_t> values;
  for (uint64_t value = 0; reader.NextVarint(&value);) values.push_back(value);
  CHECK(values == std::vector<uint64_t>{1, 300, ~uint64_t{0}});
  CHECK(reader.ok());
}

}  // namespace
}  // namespace ofindex

#include "tools/show/wire_text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "proto/features.h"
#include "tests/proto/message_bytes.h"
#include "tests/proto/random_bytes.h"
#include "tests/query/decoding/random_records.h"
#include "tests/tools/show/dump_bytes.h"

namespace ofindex {
namespace {

constexpr PayloadKind kKinds[] = {PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord,
                                  PayloadKind::kOpaque};

struct Dump {
  std::vector<std::string> lines;
  WireOutcome outcome;
};

Dump Explain(const std::string& payload, PayloadKind kind, const std::optional<std::string>& feature = std::nullopt) {
  Dump dump;
  const auto keep = [&dump](std::string_view line) {
    dump.lines.emplace_back(line);
    return Result<void>();
  };
  dump.outcome = *ExplainWire(AsBytes(payload), kind, feature, keep);
  return dump;
}

/// Returns the words on each line of the dump, from column 41. Every tag and value has its own line.
std::vector<std::string> Words(const std::string& payload, PayloadKind kind = PayloadKind::kOpaque) {
  std::vector<std::string> words;
  for (const std::string& line : Explain(payload, kind).lines)
    words.push_back(line.size() > 41 ? line.substr(41) : line);
  return words;
}

using Lines = std::vector<std::string>;

/// Returns the fault that the decoder finds in the same bytes; "" if the message is sound.
std::string Complaint(const std::string& payload, PayloadKind kind) {
  DecodedRecord record;
  const auto decoded = record.Decode(AsBytes(payload), kind);
  return decoded ? "" : decoded.error().message;
}

/// True if the dump has every byte once and in order, and finds the fault that the decoder finds.
bool IsRight(const std::string& payload, PayloadKind kind) {
  const Dump dump = Explain(payload, kind);
  const Malformed& malformed = dump.outcome.malformed;
  const std::string fault = malformed.fault == WireFault::kNone ? "" : Describe(malformed);
  if (fault != (kind == PayloadKind::kOpaque ? "" : Complaint(payload, kind))) return false;
  return BytesOfDump(dump.lines) == payload;
}

TEST_CASE("the bytes of a long varint or tag are explained") {
  CHECK(Words(VarintField(1, 300)) == Lines{"field 1, VARINT (1 << 3 | 0)", "  0x2c | 0x02 << 7 = 300"});
  CHECK(Words(Field(1000, "ab")) == Lines{"field 1000, LEN (0x42 | 0x3e << 7 = 1000 << 3 | 2), 2 bytes", "  \"ab\""});
  CHECK(Words(Tag(1, WireType::kVarint) + Varint(5, 3))[1] == "  0x05 | 0x00 << 7 | 0x00 << 14 = 5");
  CHECK(
      Words(Varint(uint64_t{8} | uint64_t{1} << 33, 5) + "\x07")[0] ==
      "field 1, VARINT (0x08 | 0x00 << 7 | 0x00 << 14 | 0x00 << 21 | 0x20 << 28 = 1 << 3 | 0, bits above 32 dropped)");
}

TEST_CASE("integers have the sign and the width of their kind") {
  const auto last = [](PayloadKind kind, uint32_t number, uint64_t value) {
    const std::string entry = Entry("a", Field(number, VarintField(1, value)));
    return Words(kind == PayloadKind::kOfRecord ? entry : Field(1, entry), kind).back();
  };
  const std::string ones =
      "0x7f | 0x7f << 7 | 0x7f << 14 | 0x7f << 21 | 0x7f << 28 | 0x7f << 35 | 0x7f << 42 | "
      "0x7f << 49 | 0x7f << 56 | 0x01 << 63";
  CHECK(last(PayloadKind::kExample, 3, ~uint64_t{0}).ends_with("  " + ones + " = 0xffffffffffffffff = -1"));
  CHECK(last(PayloadKind::kOfRecord, 4, ~uint64_t{0}).ends_with("  " + ones + " = 0xffffffffffffffff = -1"));
  CHECK(last(PayloadKind::kOfRecord, 4, 0x1'ffff'fffe)
            .ends_with(" = 0x00000001fffffffe, of which int32 has 0xfffffffe = -2"));
  CHECK(Words(Tag(1, WireType::kVarint) + std::string(9, '\x80') + "\x7f")[1].ends_with(
      "0x7f << 63 = 9223372036854775808 (bits above 64 dropped)"));
}

TEST_CASE("a number of fixed size is shown in its kind, or as bits if its kind is unknown") {
  CHECK(Words(Field(1, Entry("a", Field(2, FixedField(1, 1.5F)))), PayloadKind::kExample).back().ends_with("  1.5"));
  CHECK(Words(Entry("a", Field(3, FixedField(1, -2.5))), PayloadKind::kOfRecord).back().ends_with("  -2.5"));
  CHECK(Words(FixedField(7, 1.5F)) == Lines{"field 7, I32 (7 << 3 | 5)", "  0x3fc00000"});
  CHECK(Words(FixedField(7, 1.5)) == Lines{"field 7, I64 (7 << 3 | 1)", "  0x3ff8000000000000"});
}

TEST_CASE("fields outside the schema are shown as unknown") {
  const auto first = [](const std::string& payload) { return Words(payload, PayloadKind::kExample).front(); };
  CHECK(first(VarintField(9, 1)) == "field 9, VARINT (9 << 3 | 0): unknown");
  CHECK(first(VarintField(1, 1)) == "field 1, VARINT (1 << 3 | 0): unknown, features would be LEN");
  CHECK(Words(Group(9, VarintField(1, 1)), PayloadKind::kExample) == Lines{"field 9, SGROUP (9 << 3 | 3): unknown",
                                                                           "  field 1, VARINT (1 << 3 | 0)", "    1",
                                                                           "field 9, EGROUP (9 << 3 | 4)"});
}

TEST_CASE("a nested field of an opaque payload is shown as bytes, not as a message") {
  CHECK(Words(Field(1, VarintField(1, 8))) == Lines{"field 1, LEN (1 << 3 | 2), 2 bytes", "  |..|"});
}

TEST_CASE("an opaque payload that is not a message is shown as a hexdump") {
  CHECK(Explain("\x0f\xff", PayloadKind::kOpaque).lines ==
        Lines{"00000000" + std::string(33, ' ') + "not a protobuf message: wire type 6 or 7 at byte 0",
              "00000000  0f ff" + std::string(26, ' ') + "|..|"});
}

TEST_CASE("equal lines are folded, and the offset of their end is shown") {
  const Dump dump = Explain(Field(1, std::string(48, '\0')), PayloadKind::kOpaque);
  REQUIRE(dump.lines.size() == 4);
  CHECK(dump.lines[1].starts_with("00000002  00 00"));
  CHECK(dump.lines[2] == "*");
  CHECK(dump.lines[3] == "00000032");
}

TEST_CASE("the dump of one feature has all its entries, with the lines of the whole dump") {
  const std::string a = Entry("a", Field(3, PackedVarints({1})));
  const std::string late_key = Field(1, Field(2, Field(3, PackedVarints({2}))) + Field(1, "a"));
  const std::string payload = Field(1, a + Entry("b", "") + late_key + Entry("c", ""));
  const Lines whole = Explain(payload, PayloadKind::kExample).lines;
  const Dump one = Explain(payload, PayloadKind::kExample, "a");
  CHECK(one.outcome.entries == 2);
  CHECK(one.lines.size() == 14);
  CHECK(std::includes(whole.begin(), whole.end(), one.lines.begin(), one.lines.end()));
  CHECK(Explain(payload, PayloadKind::kExample, "b").lines.size() == 4);
  CHECK(Explain(payload, PayloadKind::kExample, "d").lines.empty());
  CHECK(Explain(payload, PayloadKind::kExample, "d").outcome.entries == 0);
}

TEST_CASE("a feature list is requested by its name with brackets") {
  const std::string payload = Field(1, Entry("l", "")) + Field(2, Entry("l", Field(1, "")));
  CHECK(Explain(payload, PayloadKind::kSequenceExample, "l").lines.size() == 4);
  CHECK(Explain(payload, PayloadKind::kSequenceExample, "l[]").lines.size() == 5);
}

TEST_CASE("everything before a fault is explained, including open groups") {
  CHECK(Words(Field(1, "\x0a\x09"), PayloadKind::kExample) ==
        Lines{"features: field 1, LEN (1 << 3 | 2), 2 bytes", "  feature: field 1, LEN (1 << 3 | 2)",
              "  malformed: length past the end of the message, 9 bytes", "  |.|"});
  CHECK(Words("\x0b\x10\x01\x1b\x80", PayloadKind::kExample) ==
        Lines{"field 1, SGROUP (1 << 3 | 3)", "  field 2, VARINT (2 << 3 | 0)", "    1",
              "  field 3, SGROUP (3 << 3 | 3)", "    malformed: torn varint", "    |.|"});
}

TEST_CASE("an error of the line consumer ends the dump") {
  int lines = 0;
  const auto full = [&lines](std::string_view) -> Result<void> {
    ++lines;
    return Fail(ErrorCode::kIo, "no space");
  };
  CHECK_FALSE(ExplainWire(AsBytes(VarintField(1, 1)), PayloadKind::kOpaque, std::nullopt, full));
  CHECK(lines == 1);
}

TEST_CASE("every byte of a random payload is shown once, and the dump and the decoder find the same fault") {
  Dice dice(17);
  int malformed = 0;
  int wrong = 0;
  std::string first_wrong;
  std::string other = "other";
  for (int i = 0; i < 20000; ++i) {
    const PayloadKind written = kKinds[dice.Below(3)];
    std::string payload = RandomRecord(written, dice);
    for (uint64_t n = dice.Below(4); n > 0; --n) payload = Mutated(payload, other, dice);
    const PayloadKind kind = dice.OneIn(3) ? kKinds[dice.Below(4)] : written;
    malformed += kind != PayloadKind::kOpaque && !Complaint(payload, kind).empty();
    if (!IsRight(payload, kind) && wrong++ == 0) first_wrong = ToHex(AsBytes(payload));
    other = payload;
  }
  CHECK_MESSAGE(wrong == 0, first_wrong);
  CHECK(malformed > 2000);
  CHECK(malformed < 18000);
}

TEST_CASE("a payload truncated at any byte is explained up to its end") {
  const std::string entry = Entry("a", Field(3, PackedVarints({300, 5, -1}))) +
                            Entry("b", Field(2, PackedFixed({1.F}))) +
                            Entry("c", Field(1, BytesList({"x", std::string(40, 'y')}))) + Group(9, NestedGroups(3));
  for (const std::string& message : {entry, Field(1, entry), Field(200, entry) + NestedGroups(101)}) {
    for (size_t size = 0; size <= message.size(); ++size) {
      for (const PayloadKind kind : kKinds) CHECK(IsRight(message.substr(0, size), kind));
    }
  }
}

}  // namespace
}  // namespace ofindex

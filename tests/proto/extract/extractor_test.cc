#include "proto/extract/extractor.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/proto/extracting.h"
#include "tests/proto/fixture_payloads.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/fixtures.h"

namespace ofindex {
namespace {

using Names = std::vector<std::string>;

/// Returns the outcome of new extractors for `payload`, in memory and in pages of several sizes, as one text. If the
/// outcomes differ, returns a text that shows both.
std::string ExtractedPayload(const std::string& payload, PayloadKind kind, const Names& whole = {}) {
  Extractor extractor(FieldPlan::Of(kind), whole);
  const std::string text = SpellOutcome(extractor, extractor.Extract(AsBytes(payload)), whole);
  for (const uint64_t spare : std::initializer_list<uint64_t>{0, 1, 7, 100}) {
    Extractor paged(FieldPlan::Of(kind), whole);
    SmallPages pages(payload, spare);
    const std::string paged_text = SpellOutcome(paged, paged.Extract(pages, payload.size()), whole);
    if (paged_text != text) return "in memory " + text + "by pages " + paged_text;
  }
  return text;
}

std::string ExtractedExample(const std::string& features, const Names& whole = {}) {
  return ExtractedPayload(Field(1, features), PayloadKind::kExample, whole);
}

/// Returns the outcome of extracting `payload` a second time, when the extractor knows its names. Exercises the plain
/// path, and names at their previous positions.
std::string ExtractedTwice(const std::string& payload, PayloadKind kind) {
  Extractor extractor(FieldPlan::Of(kind), {});
  (void)extractor.Extract(AsBytes(payload));
  return SpellOutcome(extractor, extractor.Extract(AsBytes(payload)), {});
}

TEST_CASE("one value of each kind is returned with its bits or its bytes") {
  const std::string features = Entry("i", Int64s({-1})) + Entry("f", Field(2, PackedFixed({0.5f}))) +
                               Entry("b", ByteStrings({"xyz"})) + Entry("n", "") + Entry("e", Field(3, ""));
  CHECK(ExtractedExample(features) ==
        "1:b=bytes of bytes x1 (3:xyz) max 3\n"
        "1:e=int64 of none x0\n"
        "1:f=float of float x1 (1056964608)\n"
        "1:i=int64 of int64 x1 (18446744073709551615)\n"
        "1:n=none of none x0\n");
}

TEST_CASE("lists are counted, and kept only if requested") {
  const std::string features = Entry("i", Int64s({1, 300, -1})) + Entry("b", ByteStrings({"x", "", "yz"})) +
                               Entry("f", Field(2, PackedFixed({0.5f, 1.0f})));
  CHECK(ExtractedExample(features) ==
        "1:b=bytes of bytes x3 max 2\n"
        "1:f=float of float x2\n"
        "1:i=int64 of int64 x3\n");
  CHECK(ExtractedExample(features, {"i", "b", "f"}) ==
        "1:b=bytes of bytes x3 max 2 [1:x] [0:] [2:yz]\n"
        "1:f=float of float x2 [1056964608] [1065353216]\n"
        "1:i=int64 of int64 x3 [1] [300] [18446744073709551615]\n");
}

TEST_CASE("the parts of a message are merged as DecodedRecord merges them") {
  const std::string one = Field(1, Int64s({1}));
  const std::string two = Field(1, ByteStrings({"x", "y"}));
  const std::string noise = VarintField(100, 5) + Field(102, "\xff") + Group(103, Field(1, "x") + Group(1, ""));
  struct Row {
    PayloadKind kind;
    std::string payload;
  };
  constexpr PayloadKind kExample = PayloadKind::kExample;
  constexpr PayloadKind kSequence = PayloadKind::kSequenceExample;
  constexpr PayloadKind kOf = PayloadKind::kOfRecord;
  const std::vector<Row> rows = {
      // the last entry of a name replaces earlier ones
      {kExample, Field(1, Entry("a", Int64s({1, 2})) + Entry("b", Int64s({9})) + Entry("a", Int64s({3})))},
      {kExample, Field(1, Entry("a", Int64s({1}))) + Field(1, Entry("a", ""))},
      {kExample, Field(1, Entry("a", Int64s({1})) + Field(1, Field(1, "a")))},
      // inside one entry: joined, reset, unchanged
      {kExample, Field(1, Field(1, Field(1, "a") + Field(2, Int64s({1})) + Field(2, Int64s({2}))))},
      {kExample, Field(1, Field(1, Field(1, "a") + Field(2, Int64s({1, 5})) + Field(2, ByteStrings({"x"}))))},
      {kExample, Field(1, Field(1, Field(1, "a") + Field(2, Int64s({1})) + Field(2, "")))},
      {kExample, Field(1, Entry("a", Int64s({1}) + ByteStrings({"x", "y"}) + Int64s({2, 3})))},
      // the last key of an entry, a key after its value, no key, an empty entry
      {kExample, Field(1, Field(1, Field(1, "b") + Field(2, Int64s({1, 2})) + Field(1, "a")))},
      {kExample, Field(1, Field(1, Field(2, Int64s({1, 2})) + Field(1, "a")))},
      {kExample, Field(1, Field(1, Field(2, Int64s({1}))) + Field(1, ""))},
      // packed, unpacked, mixed, in several chunks
      {kExample, Field(1, Entry("a", Field(3, PackedVarints({1, 2}) + VarintField(1, 7) + PackedVarints({300}))))},
      {kExample, Field(1, Entry("a", Field(2, FixedField(1, 0.5f) + PackedFixed({1.0f, 2.0f}))))},
      {kExample, Field(1, Entry("a", Field(3, Field(1, Varint(1, 10)))))},
      // unknown fields at every level, a field number of the other schema
      {kExample, noise + Field(1, noise + Field(1, noise + Field(1, "a") + noise + Field(2, noise + Int64s({1, 2}))))},
      {kExample, Field(1, Entry("a", Field(4, PackedVarints({1})) + Int64s({4})))},
      // OFRecord: doubles, and int32 values, whose high half is ignored
      {kOf, Entry("a", Field(3, PackedFixed({0.25, 1.0}))) + Entry("b", Field(4, PackedVarints({0xffffffff})))},
      {kOf, Entry("a", Field(4, VarintField(1, 0x80000000) + PackedVarints({(int64_t{1} << 32) + 5})))},
      {kOf, Entry("a", Field(3, FixedField(1, 0.25))) + Entry("b", Field(5, PackedVarints({-1})))},
      // feature lists: steps of one kind, of several, empty ones, entries that merge, and the last one
      {kSequence, Field(1, Entry("a", Int64s({1, 2}))) + Field(2, Entry("a", one + one))},
      {kSequence, Field(2, Entry("a", one + two))},
      {kSequence, Field(2, Entry("a", Field(1, "") + one + Field(1, Field(1, ""))))},
      {kSequence, Field(2, Field(1, Field(1, "a") + Field(2, two) + Field(2, two)))},
      {kSequence, Field(2, Entry("a", one)) + Field(2, Entry("a", two))},
      {kSequence, Field(2, Entry("a", one) + Field(1, Field(1, "a")))},
      {kSequence, Field(2, Entry("a", Field(1, Int64s({1, 2}) + ByteStrings({"x"}))))},
      // a context feature with the name of a list, before and after it
      {kSequence, Field(1, Entry("a[]", Int64s({1, 2}))) + Field(2, Entry("a", two))},
      {kSequence, Field(2, Entry("a", two)) + Field(1, Entry("a[]", Int64s({1, 2})))},
      // nothing
      {kExample, ""},
  };
  for (const Row& row : rows) {
    for (const Names& whole : {Names{}, Names{"a", "a[]", "b"}}) {
      CHECK(ExtractedPayload(row.payload, row.kind, whole) == SpellDecoded(row.payload, row.kind, whole));
    }
    CHECK(ExtractedTwice(row.payload, row.kind) == SpellDecoded(row.payload, row.kind, {}));
  }
}

TEST_CASE("an entry that differs from the plain form in one byte is decoded correctly") {
  // Changes every byte of a plain record in every way: the answer must be that of the decoder, including refusals.
  const std::vector<std::string> records = {
      Field(1,
            Entry("ab", Int64s({300})) + Entry("c", ByteStrings({"xyz"})) + Entry("d", Field(2, PackedFixed({0.5f})))),
      Field(1, Entry("", Int64s({1})) + Entry("c", ByteStrings({""}))),
      Field(1, Entry("ab", Int64s({1})) + Entry("image", ByteStrings({std::string(130, 'x')}))),
  };
  for (const std::string& record : records) {
    Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
    int different = 0;
    for (size_t at = 0; at < record.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = record;
        changed[at] = static_cast<char>(byte);
        (void)extractor.Extract(AsBytes(record));
        const std::string got = SpellOutcome(extractor, extractor.Extract(AsBytes(changed)), {});
        different += got != SpellDecoded(changed, PayloadKind::kExample, {});
      }
    }
    CHECK(different == 0);
  }
}

TEST_CASE("a malformed record has the byte and reason that the decoder gives, and no values") {
  const std::string good = Field(1, Entry("a", Int64s({1})));
  const std::vector<std::string> payloads = {
      good + Field(1, Entry("a", Field(2, Field(1, "12345")))),                  // packed floats
      good + Field(1, Entry("a", Field(3, Field(1, "\x80")))),                   // torn packed varint
      good + Field(1, Entry("a", Field(3, Field(1, "\1\2\x80")))),               // the same after other values
      good + Field(1, Entry("a", Field(3, Field(1, std::string(10, '\xff'))))),  // a long one
      good + Field(1, Entry("a", Field(3, Field(1, std::string(11, '\x80'))))),  // a longer one
      good + Field(1, Entry("a", Field(3, "\x0a\x7f"))),                         // a length past the end
      good + Field(1, Entry("a", Group(3, "") + "\x0b")),                        // a group that is not closed
      good + Field(1, Entry("a", Group(3, Group(4, "") + "\x2c"))),              // closed by a different number
      good + std::string(1, '\0'),                                               // field number 0
      good + "\x0f",                                                             // wire type 7
      good + "\x0c",                                                             // the end of a group that is not open
      good + Varint(8, 6) + "\1",                                                // a tag of 6 bytes
      good + "\x0a" + Varint(0, 6),                                              // a length of 6 bytes
      good + "\x08" + std::string(11, '\x80'),                                   // a varint of 11 bytes
      good + "\x09" + "1234567",                                                 // 7 bytes of 8
      good + "\x0d" + "123",                                                     // 3 bytes of 4
      good + NestedGroups(101),                                                  // too deep
      good + Field(1, Entry("a", Field(3, PackedVarints({1}) + NestedGroups(97))))  // including the messages around it
  };
  for (const std::string& payload : payloads) {
    const std::string text = ExtractedPayload(payload, PayloadKind::kExample);
    CHECK(text.starts_with("malformed at "));
    CHECK(text == SpellDecoded(payload, PayloadKind::kExample, {}));
  }
}

TEST_CASE("a record truncated at any byte is read as the decoder reads it") {
  const std::string payload = Field(1, Entry("a", Int64s({1, 2, 3})) + Entry("b", ByteStrings({"x", "yz"}))) +
                              Field(2, Entry("c", Field(1, Int64s({1})) + Field(1, ByteStrings({"x"})))) +
                              Group(9, Field(1, "x"));
  for (size_t size = 0; size <= payload.size(); ++size) {
    const std::string cut = payload.substr(0, size);
    const std::string text = ExtractedPayload(cut, PayloadKind::kSequenceExample, {"a"});
    const std::string expected = SpellDecoded(cut, PayloadKind::kSequenceExample, Names{"a"});
    CHECK(text == expected);
  }
}

TEST_CASE("lengths that grow with a value have one byte up to 127, and no more") {
  // The entry of the record before, with n more bytes in its value, and n more in each byte that is a length.
  const std::string entry = Entry("b", ByteStrings({"x"}));
  Extractor extractor(FieldPlan::Of(PayloadKind::kOfRecord), {});
  for (size_t n = 0; n < 200; ++n) {
    std::string grown = entry + std::string(n, 'x');
    for (const size_t length : {1U, 6U, 8U, 10U})
      grown[length] = static_cast<char>(static_cast<size_t>(grown[length]) + n);
    for (int time = 0; time < 3; ++time) (void)extractor.Extract(AsBytes(entry));  // the first one teaches the name
    const std::string got = SpellOutcome(extractor, extractor.Extract(AsBytes(grown)), {});
    CHECK(got == SpellDecoded(grown, PayloadKind::kOfRecord, {}));
    CHECK(got.starts_with("malformed") == (n > 117));
  }
}

TEST_CASE("a value whose size differs from the previous record's is decoded correctly") {
  // Every size after every size: numbers as varints, bytes up to where a length takes two bytes.
  std::vector<std::string> records;
  for (int bits = 0; bits < 64; bits += 7) records.push_back(Field(1, Entry("n", Int64s({int64_t{1} << bits}))));
  for (size_t size = 0; size < 140; ++size)
    records.push_back(Field(1, Entry("b", ByteStrings({std::string(size, 'x')}))));
  Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  int different = 0;
  for (const std::string& before : records) {
    for (const std::string& record : records) {
      (void)extractor.Extract(AsBytes(before));
      const std::string got = SpellOutcome(extractor, extractor.Extract(AsBytes(record)), {});
      different += got != SpellDecoded(record, PayloadKind::kExample, {});
    }
  }
  CHECK(different == 0);
}

TEST_CASE("each feature is found once, even if the order resembles that of the previous record") {
  const std::vector<std::string> entries = {"", Entry("a", Int64s({1})), Entry("b", ByteStrings({"x"})),
                                            Entry("c", Int64s({1, 2}))};
  std::vector<std::string> records;
  for (const std::string& one : entries) {
    for (const std::string& two : entries) {
      for (const std::string& three : entries) records.push_back(Field(1, one + two + three));
    }
  }
  Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  int different = 0;
  for (const std::string& before : records) {
    for (const std::string& record : records) {
      (void)extractor.Extract(AsBytes(before));
      const std::string got = SpellOutcome(extractor, extractor.Extract(AsBytes(record)), {});
      different += got != SpellDecoded(record, PayloadKind::kExample, {});
    }
  }
  CHECK(different == 0);
}

TEST_CASE("names keep their numbers from record to record, in any order") {
  Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  const std::string a = Entry("a", Int64s({1})), b = Entry("b", Int64s({2})), c = Entry("c", Int64s({3}));
  for (const std::string& features : {a + b, b + a, c + b + a, b, a + c}) {
    REQUIRE(extractor.Extract(AsBytes(Field(1, features))) == Extractor::Outcome::kWellFormed);
    for (const ExtractedFeature& found : extractor.found()) CHECK(found.bits == found.feature + 1);
  }
  CHECK(std::vector<std::string>(extractor.names().begin(), extractor.names().end()) == Names{"a", "b", "c"});
  CHECK(extractor.kept(2));
  CHECK_FALSE(extractor.kept(3));
  extractor.Forget();
  CHECK(extractor.names().empty());
  REQUIRE(extractor.Extract(AsBytes(Field(1, c))) == Extractor::Outcome::kWellFormed);
  CHECK(extractor.found()[0].feature == 0);
}

TEST_CASE("looking up a dropped name by its entry header finds nothing") {
  // The name is seen often enough to be expected. Then other names take its place and its number.
  Extractor extractor(FieldPlan::Of(PayloadKind::kOfRecord), {});
  const std::string last = Entry("z", Field(5, PackedVarints({1})));
  for (int i = 0; i < 3; ++i) REQUIRE(extractor.Extract(AsBytes(last)) == Extractor::Outcome::kWellFormed);
  std::string others;
  for (uint32_t i = 0; i < kMaxFeatures; ++i) others += Entry("a" + std::to_string(i), "");
  REQUIRE(extractor.Extract(AsBytes(others)) == Extractor::Outcome::kWellFormed);
  CHECK(extractor.evicted().size() == 1);
  REQUIRE(extractor.Extract(AsBytes(last)) == Extractor::Outcome::kWellFormed);
  CHECK(extractor.found().empty());
  CHECK(extractor.evicted().empty());
}

TEST_CASE("a malformed record adds no names") {
  Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  REQUIRE(extractor.Extract(AsBytes(Field(1, Entry("a", "")) + "\x0f")) == Extractor::Outcome::kMalformed);
  CHECK(extractor.names().empty());
}

/// Returns name `i` of many, in pseudo-random order.
std::string NameOf(int i) {
  const std::string digits = std::to_string(i);
  return "n" + std::string(6 - digits.size(), '0') + digits;
}

TEST_CASE("if there are too many names, the first in byte order are kept, in whatever order and records they come") {
  constexpr int kNames = 2 * static_cast<int>(kMaxFeatures) + 100;
  for (const int stride : {1, kNames - 1, 4999}) {  // ascending, descending, mixed
    for (const int per_record : {1, 50, kNames}) {
      Extractor extractor(FieldPlan::Of(PayloadKind::kOfRecord), Names{"zz"});
      std::vector<std::string> collected;  // by number: the name under which something was found
      std::string record = Entry("zz", "");
      for (int i = 0; i < kNames; ++i) {
        record += Entry(NameOf(static_cast<int>(int64_t{i} * stride % kNames)), Field(5, PackedVarints({i})));
        if ((i + 1) % per_record != 0 && i + 1 != kNames) continue;
        REQUIRE(extractor.Extract(AsBytes(record)) == Extractor::Outcome::kWellFormed);
        for (const uint32_t number : extractor.evicted()) {
          if (number < collected.size()) collected[number].clear();
        }
        for (const ExtractedFeature& found : extractor.found()) {
          REQUIRE(extractor.kept(found.feature));
          if (found.feature >= collected.size()) collected.resize(found.feature + size_t{1});
          std::string& name = collected[found.feature];
          REQUIRE((name.empty() || name == extractor.names()[found.feature]));
          name = extractor.names()[found.feature];
        }
        record.clear();
      }
      std::set<std::string> kept;
      for (uint32_t number = 0; number < extractor.names().size(); ++number) {
        if (!extractor.kept(number)) continue;
        kept.insert(extractor.names()[number]);
        CHECK(collected[number] == extractor.names()[number]);
      }
      CHECK(extractor.names().size() <= kMaxFeatures + 2);
      CHECK(kept.size() == kMaxFeatures + 1);
      CHECK(kept.contains("zz"));  // requested, so it is kept in addition to the others
      CHECK(kept.contains(NameOf(kMaxFeatures - 1)));
      CHECK_FALSE(kept.contains(NameOf(kMaxFeatures)));
      CHECK(extractor.dropped());
      extractor.Forget();
      CHECK_FALSE(extractor.dropped());
    }
  }
}

TEST_CASE("names that are too long, alone or together, are dropped and reported") {
  const std::string longest(kMaxNameBytes, 'n');
  Extractor extractor(FieldPlan::Of(PayloadKind::kOfRecord), {});
  REQUIRE(extractor.Extract(AsBytes(Entry(longest, ""))) == Extractor::Outcome::kWellFormed);
  CHECK(extractor.found().size() == 1);
  CHECK_FALSE(extractor.dropped());
  REQUIRE(extractor.Extract(AsBytes(Entry(longest + "n", "") + Entry("a", ""))) == Extractor::Outcome::kWellFormed);
  CHECK(extractor.found().size() == 1);
  CHECK(extractor.dropped());

  extractor.Forget();
  for (char c = 'z'; c >= 'a'; --c) {
    REQUIRE(extractor.Extract(AsBytes(Entry(std::string(kMaxNameBytes - 1, c), ""))) ==
            Extractor::Outcome::kWellFormed);
  }
  int kept = 0;
  for (uint32_t number = 0; number < extractor.names().size(); ++number) kept += extractor.kept(number);
  CHECK(kept == kMaxNamesBytes / kMaxNameBytes);
  REQUIRE(extractor.Extract(AsBytes(Entry("z", "") + Entry("b", ""))) == Extractor::Outcome::kWellFormed);
  CHECK(extractor.found().size() == 1);  // z comes after the evicted names, so it is dropped; b is kept
}

TEST_CASE("bytes values are kept up to 64 KiB; longer ones only give their size") {
  for (const uint64_t size : {kMaxKeptBytes, kMaxKeptBytes + 1}) {
    const std::string value(size, 'x');
    const std::string payload = Field(1, Entry("a", ByteStrings({value})) + Entry("b", ByteStrings({"y", value})));
    const std::string text = ExtractedPayload(payload, PayloadKind::kExample, {"b"});
    const std::string spelt = SpellText(value, size);
    CHECK((text == "1:a=bytes of bytes x1 (" + spelt + ") max " + std::to_string(size) +
                       "\n1:b=bytes of bytes x2 max " + std::to_string(size) + " [1:y] [" + spelt + "]\n"));
  }
}

TEST_CASE("the content of long values and long lists is not fetched") {
  const std::string image(3 << 20, 'x');
  std::string floats;
  for (int i = 0; i < 100000; ++i) floats += Fixed(1.5f);
  const std::string payload = Field(1, Entry("image", ByteStrings({image})) +
                                           Entry("boxes", Field(2, Field(1, floats))) + Entry("label", Int64s({7})));
  Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  SmallPages pages(payload, 0);
  REQUIRE(extractor.Extract(pages, payload.size()) == Extractor::Outcome::kWellFormed);
  CHECK(extractor.found().size() == 3);
  CHECK(pages.bytes() < 1000);
}

TEST_CASE("an unreadable piece ends the record, wherever it is") {
  const std::string payload = Field(1, Entry("a", Int64s({1, 2})) + Entry("b", ByteStrings({"xyz"})) +
                                           Entry("c", Field(2, FixedField(1, 0.5f) + PackedFixed({1.0f}))) +
                                           Field(9, "x") + Group(8, VarintField(1, 1)));
  for (const Names& whole : {Names{}, Names{"a", "b", "c"}}) {
    SmallPages all(payload, 0);
    Extractor extractor(FieldPlan::Of(PayloadKind::kExample), whole);
    REQUIRE(extractor.Extract(all, payload.size()) == Extractor::Outcome::kWellFormed);
    for (uint64_t most = 0; most < all.served(); ++most) {
      SmallPages pages(payload, 0);
      pages.FailAfter(most);
      Extractor failing(FieldPlan::Of(PayloadKind::kExample), whole);
      CHECK(failing.Extract(pages, payload.size()) == Extractor::Outcome::kUnreadable);
      CHECK(failing.found().empty());
    }
  }
}

TEST_CASE("an opaque payload has no features, whatever its bytes; one of 2 GiB is not a message") {
  Extractor opaque(FieldPlan::Of(PayloadKind::kOpaque), {});
  CHECK(opaque.Extract(AsBytes("\x0f\xff")) == Extractor::Outcome::kWellFormed);
  CHECK(opaque.found().empty());

  Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  const uint8_t byte = 0;
  CHECK(extractor.Extract(ByteView(&byte, kMaxMessageBytes + 1)) == Extractor::Outcome::kMalformed);
  SmallPages pages("", 0);
  CHECK(extractor.Extract(pages, kMaxMessageBytes + 1) == Extractor::Outcome::kMalformed);
  CHECK(extractor.malformed().offset == 0);
}

TEST_CASE("packed varints are counted at every position of a word") {
  for (size_t before = 0; before < 20; ++before) {
    for (size_t bytes = 1; bytes <= 11; ++bytes) {
      const std::string packed = std::string(before, '\1') + Varint(1, bytes) + std::string(20 - before, '\2');
      const std::string payload = Field(1, Entry("a", Field(3, Field(1, packed))));
      CHECK(ExtractedPayload(payload, PayloadKind::kExample) == SpellDecoded(payload, PayloadKind::kExample, {}));
    }
  }
}

TEST_CASE("real records of the fixtures are extracted to the values that they decode to") {
  const std::optional<std::string> folder = FixturesOrMessage();
  if (!folder) return;
  struct Row {
    std::string shard;
    Framing framing;
    PayloadKind kind;
    Names whole;
  };
  const std::vector<Row> rows = {
      {"real/mnist.tfrecord", Framing::kTfRecord, PayloadKind::kExample, {"image_raw"}},
      {"real/tf_detection_train.tfrecord", Framing::kTfRecord, PayloadKind::kExample, {"image/object/class/label"}},
      {"real/sequence_example.tfrecord", Framing::kTfRecord, PayloadKind::kSequenceExample, {"x_int", "x_float_seq[]"}},
      {"derived/ofrecord-penguin/part-0", Framing::kOfRecord, PayloadKind::kOfRecord, {"species"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.shard);
    Extractor extractor(FieldPlan::Of(row.kind), row.whole);
    Extractor paged(FieldPlan::Of(row.kind), row.whole);
    const std::vector<std::string> payloads = PayloadsOf(*folder + "/" + row.shard, row.framing);
    REQUIRE_FALSE(payloads.empty());
    for (const std::string& payload : payloads) {
      const std::string expected = SpellDecoded(payload, row.kind, row.whole);
      CHECK((SpellOutcome(extractor, extractor.Extract(AsBytes(payload)), row.whole) == expected));
      SmallPages pages(payload, 64);
      CHECK((SpellOutcome(paged, paged.Extract(pages, payload.size()), row.whole) == expected));
    }
  }
}

}  // namespace
}  // namespace ofindex

#include "proto/extract/field_plan.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "proto/extract/extractor.h"
#include "tests/proto/extracting.h"
#include "tests/proto/message_bytes.h"

namespace ofindex {
namespace {

// The values of FieldDescriptorProto.Type that the tests use.
enum FieldType : uint64_t {
  kDouble = 1,
  kInt64 = 3,
  kUint64 = 4,
  kInt32 = 5,
  kBool = 8,
  kString = 9,
  kGroup = 10,
  kMessage = 11,
  kEnum = 14,
  kSint32 = 17,
  kSint64 = 18
};

// Verbs that write a FileDescriptorSet.
std::string FieldOf(std::string_view name, uint64_t number, uint64_t type, bool repeated = false,
                    std::string_view type_name = "") {
  std::string field = Field(1, name) + VarintField(3, number) + VarintField(4, repeated ? 3 : 1) + VarintField(5, type);
  if (!type_name.empty()) field += Field(6, type_name);
  return Field(2, field);
}

std::string MessageOf(std::string_view name, const std::string& content) { return Field(1, name) + content; }

std::string FileOf(std::string_view package, const std::vector<std::string>& messages) {
  std::string file = Field(1, "test.proto") + (package.empty() ? "" : Field(2, package));
  for (const std::string& message : messages) file += Field(4, message);
  return Field(1, file);
}

/// Returns pkg.Record { a, ids, inner, items, unsigned, color, on, delta, group }, pkg.Record.Item { n, text }.
std::string Descriptors() {
  const std::string item = MessageOf("Item", FieldOf("n", 1, kSint64) + FieldOf("text", 2, kString, true));
  return FileOf("", {MessageOf("Plain", FieldOf("x", 1, kInt64))}) +
         FileOf("pkg.sub", {MessageOf("Record", FieldOf("other", 1, kInt64))}) +
         FileOf("pkg", {MessageOf("Record", FieldOf("a", 1, kInt64) + FieldOf("ids", 2, kInt32, true) +
                                                FieldOf("inner", 3, kMessage, false, ".pkg.Record.Item") +
                                                FieldOf("items", 4, kMessage, true, ".pkg.Record.Item") +
                                                FieldOf("unsigned", 5, kUint64) + FieldOf("color", 6, kEnum) +
                                                FieldOf("on", 7, kBool) + FieldOf("delta", 8, kSint32) +
                                                FieldOf("group", 9, kGroup, false, ".pkg.Record.Item") +
                                                FieldOf("ratio", 10, kDouble) +
                                                FieldOf("self", 11, kMessage, false, ".pkg.Record") + Field(3, item))});
}

const std::vector<std::string> kColumns = {"a",     "ids", "inner.n", "items.n", "items.text", "unsigned",
                                           "color", "on",  "delta",   "group.n", "ratio",      "self.self.a"};

/// Returns the values of the columns above in `message`, extracted from memory and from pages.
std::string ExtractedColumns(const std::string& message, const std::vector<std::string>& whole = kColumns) {
  const std::string descriptors = Descriptors();
  const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(descriptors), "pkg.Record", kColumns);
  REQUIRE(plan);
  Extractor extractor(*plan, whole);
  const std::string text = SpellOutcome(extractor, extractor.Extract(AsBytes(message)), whole);
  SmallPages pages(message, 1);
  const std::string paged = SpellOutcome(extractor, extractor.Extract(pages, message.size()), whole);
  return paged == text ? text : "in memory " + text + "by pages " + paged;
}

std::string Refusal(const std::string& descriptors, const std::string& message, const std::string& column) {
  const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(descriptors), message, {column});
  return plan ? "none" : StrCat(ExitCode(plan.error().code), " ", plan.error().message);
}

TEST_CASE("columns are resolved to paths of field numbers, with the encoding of their scalar") {
  const std::string descriptors = Descriptors();
  const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(descriptors), "pkg.Record", {"items.text", "a", "a"});
  REQUIRE(plan);
  CHECK(plan->kind() == PayloadKind::kOpaque);
  REQUIRE(plan->paths().size() == 2);
  CHECK(plan->paths()[0].name == "items.text");
  CHECK(plan->paths()[0].fields == std::vector<FieldPlan::Field>{{4, true, false}, {2, true, false}});
  CHECK(plan->paths()[0].scalar == FieldPlan::Scalar::kBytes);
  CHECK(plan->paths()[1].fields == std::vector<FieldPlan::Field>{{1, false, false}});
}

TEST_CASE("messages without a package, in a package, and nested are found by their full name") {
  const std::string descriptors = Descriptors();
  struct Row {
    std::string message;
    std::string column;
  };
  for (const Row& row : {Row{"Plain", "x"}, Row{"pkg.Record.Item", "n"}, Row{"pkg.sub.Record", "other"}}) {
    CHECK(FieldPlan::OfMessage(AsBytes(descriptors), row.message, {row.column}));
  }
}

TEST_CASE("an unknown column is refused with the existing names") {
  struct Row {
    std::string message;
    std::string column;
    std::string refusal;
  };
  const std::vector<Row> rows = {
      {"pkg.Recrd", "a",
       "2 the descriptors have no message pkg.Recrd; top-level messages are Plain, pkg.sub.Record, pkg.Record"},
      {"Record", "a",
       "2 the descriptors have no message Record; top-level messages are Plain, pkg.sub.Record, pkg.Record"},
      {"pkg", "a", "2 the descriptors have no message pkg; top-level messages are Plain, pkg.sub.Record, pkg.Record"},
      {"pkgsRecord", "a",
       "2 the descriptors have no message pkgsRecord; top-level messages are Plain, pkg.sub.Record, pkg.Record"},
      {"pkg.Record.Item", "m", "2 column m: no field m; expected one of n, text"},
      {"pkg.Record", "items", "2 column items is a message; expected one of its fields: n, text"},
      {"pkg.Record", "items.m", "2 column items.m: no field m; expected one of n, text"},
      {"pkg.Record", "a.b", "2 column a.b: a is not a message; expected no field after it"},
      {"Plain", "", "2 column : no field ; expected one of x"},
      {"Plain", "x.", "2 column x.: x is not a message; expected no field after it"},
  };
  for (const Row& row : rows) CHECK(Refusal(Descriptors(), row.message, row.column) == row.refusal);
}

TEST_CASE("a field exists if its number is one that a message can have") {
  constexpr uint64_t kEnd = uint64_t{1} << 29;
  for (const uint64_t number : {uint64_t{0}, uint64_t{1}, kEnd - 1, kEnd, 8 * kEnd - 1}) {
    CAPTURE(number);
    const std::string descriptors = FileOf("", {MessageOf("M", FieldOf("s", number, kString))});
    const bool exists = number != 0 && number < kEnd;
    CHECK(Refusal(descriptors, "M", "s") == (exists ? "none" : "2 column s: no field s; expected one of "));
  }
}

TEST_CASE("bytes that are not a FileDescriptorSet are refused") {
  const std::vector<std::string> rows = {
      "",                              // nothing
      "syntax = \"proto3\";",          // a .proto file
      Descriptors() + "\x0f",          // trailing bytes
      Field(1, Field(4, "\x0a\x7f")),  // a malformed message
      FileOf("pkg", {}),               // no message
      Field(1, "x"),                   // for example, the bytes of an Example
  };
  for (const std::string& row : rows) CHECK(Refusal(row, "pkg.Record", "a").starts_with("3 descriptors@0: not a"));
}

TEST_CASE("descriptors truncated at any byte, or with any byte changed, are refused or can be used") {
  const std::string descriptors = Descriptors();
  const std::string message = VarintField(1, 5) + Field(4, VarintField(1, 3)) + Field(3, Field(2, "x"));
  for (size_t at = 0; at < descriptors.size(); ++at) {
    std::string changed = descriptors;
    changed[at] = static_cast<char>(changed[at] + 1);
    for (const std::string& bytes : {descriptors.substr(0, at), changed}) {
      const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(bytes), "pkg.Record", kColumns);
      if (!plan) continue;
      Extractor extractor(*plan, {});
      CHECK(extractor.Extract(AsBytes(message)) == Extractor::Outcome::kWellFormed);
    }
  }
}

TEST_CASE("fields of a message are decoded as by libprotobuf") {
  struct Row {
    std::string message;
    std::string extracted;
  };
  const std::string i1 = "=int64 of int64 x1 ";
  const std::vector<Row> rows = {
      {"", ""},                                                           // no field, nothing found
      {VarintField(1, 5), "1:a" + i1 + "(5) [5]\n"},                      // a singular field
      {VarintField(1, 5) + VarintField(1, 6), "1:a" + i1 + "(6) [6]\n"},  // twice: the last one counts
      {Field(1, Varint(5)), ""},                                          // packed: it is not repeated
      {FixedField(1, 5.0), ""},                                           // another wire type
      {Field(2, Varint(5) + Varint(6)) + VarintField(2, 7), "3:ids=int64 of int64 x3 [5] [6] [7]\n"},
      {VarintField(2, 0xffffffff), "3:ids" + i1 + "(18446744073709551615) [18446744073709551615]\n"},
      {Field(3, VarintField(1, 3)) + Field(3, VarintField(1, 4)), "7:inner.n" + i1 + "(2) [2]\n"},  // merged; zigzag
      {Field(3, VarintField(1, 3)) + Field(3, ""),
       "7:inner.n" + i1 + "(18446744073709551614) [18446744073709551614]\n"},
      {Field(4, VarintField(1, 2) + VarintField(1, 4)) + Field(4, "") + Field(4, VarintField(1, 6)),
       "7:items.n=int64 of int64 x2 [2] [3]\n"},  // the last one in each
      {Field(4, Field(2, "x") + Field(2, "yz")) + Field(4, Field(2, "")),
       "10:items.text=bytes of bytes x3 max 2 [1:x] [2:yz] [0:]\n"},
      {VarintField(5, ~uint64_t{0}), "8:unsigned" + i1 + "(18446744073709551615) [18446744073709551615]\n"},
      {VarintField(6, uint64_t{1} << 32 | 3), "5:color" + i1 + "(3) [3]\n"},
      {VarintField(7, 300), "2:on" + i1 + "(1) [1]\n"},
      {VarintField(8, uint64_t{1} << 32 | 2), "5:delta" + i1 + "(1) [1]\n"},  // only the low half
      {Group(9, VarintField(1, 2)), "7:group.n" + i1 + "(1) [1]\n"},
      {Field(9, VarintField(1, 2)), ""},  // a group is not a message
      {Group(3, VarintField(1, 2)), ""},  // nor the reverse
      {FixedField(10, 1.0), "5:ratio=double of double x1 (4607182418800017408) [4607182418800017408]\n"},
      {Field(11, Field(11, VarintField(1, 7))), "11:self.self.a" + i1 + "(7) [7]\n"},
      {Field(11, Field(11, "")) + Field(11, Field(11, VarintField(1, 7))), "11:self.self.a" + i1 + "(7) [7]\n"},
      {Field(77, "\xff") + Group(78, "") + VarintField(1, 5), "1:a" + i1 + "(5) [5]\n"},  // unknown fields
      {Field(3, "\x0f"), "malformed at 2: wire type 6 or 7"},                             // below a path
      {Field(2, "\x80"), "malformed at 2: torn varint"},                                  // a packed list
      {VarintField(1, 5) + "\x0a", "malformed at 3: torn varint"},                        // a length
  };
  for (const Row& row : rows) CHECK(ExtractedColumns(row.message) == row.extracted);
}

TEST_CASE("lists that are not kept are counted") {
  CHECK(ExtractedColumns(Field(2, Varint(5) + Varint(6)) + VarintField(2, 7), {}) == "3:ids=int64 of int64 x3\n");
  CHECK(ExtractedColumns(Field(2, Varint(5)), {}) == "3:ids=int64 of int64 x1 (5)\n");
  CHECK(ExtractedColumns(Field(2, ""), {}) == "");
}

TEST_CASE("the largest value ignores singular values that are replaced later") {
  const std::string descriptors = FileOf("", {MessageOf("M", FieldOf("s", 1, kString))});
  const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(descriptors), "M", {"s"});
  REQUIRE(plan);
  Extractor extractor(*plan, {});
  const std::string message = Field(1, "long") + Field(1, "x");
  CHECK(SpellOutcome(extractor, extractor.Extract(AsBytes(message)), {}) == "1:s=bytes of bytes x1 (1:x) max 1\n");
}

TEST_CASE("paths are numbered before the first record, and Forget() keeps their numbers") {
  const std::string descriptors = Descriptors();
  const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(descriptors), "pkg.Record", {"ids", "a"});
  REQUIRE(plan);
  Extractor extractor(*plan, {});
  extractor.Forget();
  REQUIRE(extractor.names().size() == 2);
  CHECK(extractor.names()[1] == "a");
  CHECK(extractor.kept(1));
  CHECK_FALSE(extractor.kept(2));
}

TEST_CASE("messages may nest a hundred levels deep and no deeper") {
  const std::string descriptors = Descriptors();
  for (const int levels : {100, 101}) {
    std::string column = "a", message = VarintField(1, 5);
    for (int i = 0; i < levels; ++i) {
      column = "self." + column;
      message = Field(11, message);
    }
    const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(descriptors), "pkg.Record", {column});
    REQUIRE(plan);
    Extractor extractor(*plan, {});
    CHECK((extractor.Extract(AsBytes(message)) == Extractor::Outcome::kWellFormed) == (levels == 100));
    if (levels == 101) CHECK(extractor.malformed().fault == WireFault::kTooDeep);
  }
}

}  // namespace
}  // namespace ofindex

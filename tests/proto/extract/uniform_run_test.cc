#include "proto/extract/uniform_run.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "proto/extract/extractor.h"
#include "tests/proto/message_bytes.h"
#include "tests/proto/random_bytes.h"

namespace ofindex {
namespace {

using Values = std::map<std::string, std::string>;  // by name: kind, and number or size and bytes

std::string SpellValue(FeatureKind kind, uint64_t bits, ByteView bytes) {
  if (kind == FeatureKind::kBytes) return StrCat("bytes ", bits, " ", AsText(bytes));
  return StrCat(Name(kind), " ", bits);
}

Values LastOf(const UniformRun& run, const Extractor& extractor) {
  Values values;
  for (size_t entry = 0; entry < run.entries(); ++entry) {
    const FeatureKind kind = run.kind(entry);
    const ByteView bytes = kind == FeatureKind::kBytes ? run.last_bytes(entry) : ByteView();
    values[extractor.names()[run.feature(entry)]] = SpellValue(kind, run.values(entry).back(), bytes);
  }
  return values;
}

/// Returns the values of a record, which has exactly one of each feature, according to an extractor without a run.
Values AloneOf(const std::vector<uint8_t>& payload, PayloadKind kind) {
  Extractor extractor(FieldPlan::Of(kind), {});
  if (extractor.Extract(payload) != Extractor::Outcome::kWellFormed) return {{"malformed", ""}};
  Values values;
  for (const ExtractedFeature& found : extractor.found()) {
    if (found.count != 1) return {{"not one value", ""}};
    const bool is_bytes = found.kind == FeatureKind::kBytes;
    values[extractor.names()[found.feature]] = SpellValue(found.kind, is_bytes ? found.size : found.bits, found.bytes);
  }
  return values;
}

// On the heap, at its exact size, so that AddressSanitizer catches reads beyond it.
std::vector<uint8_t> Exact(const std::string& payload) { return {payload.begin(), payload.end()}; }

/// Makes `extractor` expect records like `payload`.
void Expect(Extractor& extractor, const std::string& payload) {
  extractor.run().Clear();
  for (int i = 0; i < 3; ++i) REQUIRE(extractor.Extract(AsBytes(payload)) == Extractor::Outcome::kWellFormed);
  REQUIRE(extractor.run().entries() != 0);
}

std::string Record(PayloadKind kind, int64_t number, float real, const std::string& text, const std::string& name) {
  const bool nested = kind != PayloadKind::kOfRecord;
  const std::string entries = Entry("n", Field(nested ? 3 : 5, PackedVarints({number}))) +
                              Entry(name, Field(2, PackedFixed({real}))) + Entry("text", Field(1, BytesList({text})));
  return nested ? Field(1, entries) : entries;
}

TEST_CASE("a run accepts integers of every width, and byte strings of every length but 0") {
  for (const PayloadKind kind : {PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    for (const std::string& name : {std::string("real"), std::string(60, 'r')}) {
      Extractor extractor(FieldPlan::Of(kind), {});
      Expect(extractor, Record(kind, 1, 0.5F, "x", name));
      UniformRun& run = extractor.run();
      for (int shift = 0; shift < 64; ++shift) {
        const int64_t number = static_cast<int64_t>(uint64_t{0xb5a1} << shift);
        const std::vector<uint8_t> payload = Exact(Record(kind, number, static_cast<float>(shift),
                                                          std::string(1 + static_cast<size_t>(shift) * 5, 'y'), name));
        REQUIRE(run.Add(payload));
        CHECK(LastOf(run, extractor) == AloneOf(payload, kind));
      }
      CHECK(run.records() == 64);
      CHECK(run.values(0).size() == 64);
    }
  }
}

TEST_CASE("a record that differs in one byte is refused, or has the values that the extractor finds") {
  for (const PayloadKind kind : {PayloadKind::kExample, PayloadKind::kOfRecord}) {
    const std::string record = Record(kind, 300, 0.5F, "xyz", "real");
    Extractor extractor(FieldPlan::Of(kind), {});
    int added = 0;
    for (size_t at = 0; at < record.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        Expect(extractor, record);
        std::string changed = record;
        changed[at] = static_cast<char>(byte);
        const std::vector<uint8_t> payload = Exact(changed);
        if (!extractor.run().Add(payload)) continue;
        ++added;
        REQUIRE(LastOf(extractor.run(), extractor) == AloneOf(payload, kind));
      }
    }
    CHECK(added > 1000);  // changed values
  }
}

TEST_CASE("a record cut at any length is refused") {
  const std::string record = Record(PayloadKind::kExample, 300, 0.5F, std::string(200, 'x'), "real");
  for (size_t size = 0; size < record.size(); ++size) {
    Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
    Expect(extractor, record);
    CHECK_FALSE(extractor.run().Add(Exact(record.substr(0, size))));
  }
}

TEST_CASE("records with other features, in another order, or with one twice are not part of a run") {
  constexpr PayloadKind kExample = PayloadKind::kExample;
  const auto integer = [](const std::string& name, int64_t value) {
    return Entry(name, Field(3, PackedVarints({value})));
  };
  const std::string ab = Field(1, integer("a", 1) + integer("b", 2));
  for (const std::string& other :
       {Field(1, integer("b", 1) + integer("a", 2)), Field(1, integer("a", 1)), Field(1, integer("a", 1)) + ab,
        Field(1, integer("a", 1) + integer("b", 2) + integer("b", 3)), Field(1, integer("a", 1) + integer("c", 2)),
        Field(1, integer("a", 1) + Entry("b", Field(2, PackedFixed({0.5F})))), ab + VarintField(9, 1), std::string()}) {
    Extractor extractor(FieldPlan::Of(kExample), {});
    Expect(extractor, ab);
    CHECK_FALSE(extractor.run().Add(Exact(other)));
  }
  Extractor twice(FieldPlan::Of(kExample), {});
  for (int i = 0; i < 4; ++i) (void)twice.Extract(AsBytes(Field(1, integer("a", 1) + integer("a", 2))));
  CHECK(twice.run().entries() == 0);
}

TEST_CASE("nothing is expected after two refusals in a row, after new names, and after Forget") {
  Extractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  const std::string record = Record(PayloadKind::kExample, 1, 0.5F, "x", "real");
  Expect(extractor, record);
  UniformRun& run = extractor.run();
  CHECK_FALSE(run.Add(AsBytes("no")));
  Expect(extractor, record);
  CHECK(run.Add(AsBytes(record)));
  CHECK_FALSE(run.Add(AsBytes("no")));
  run.Clear();
  CHECK(run.Add(AsBytes(record)));
  run.Clear();
  CHECK_FALSE(run.Add(AsBytes("no")));
  CHECK_FALSE(run.Add(AsBytes(record)));
  Expect(extractor, record);
  (void)extractor.Extract(AsBytes(Record(PayloadKind::kExample, 1, 0.5F, "x", "a new name")));
  CHECK_FALSE(run.Add(AsBytes(record)));
  Expect(extractor, record);
  extractor.Forget();
  CHECK_FALSE(run.Add(AsBytes(record)));
}

}  // namespace
}  // namespace ofindex

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/payloads/payload_checks.h"
#include "proto/encode/payload_builder.h"
#include "proto/extract/extractor.h"
#include "proto/extract/field_plan.h"
#include "proto/extract/uniform_run.h"
#include "tests/proto/extracting.h"
#include "tests/proto/message_bytes.h"

namespace ofindex {
namespace {

// Returns the outcome of `extractor` for `payload`. Extracts three times: twice in memory, where the second pass knows
// the names, and once in pieces of up to `spare` bytes more than requested. If the outcomes differ, returns all three,
// starting with "first ".
std::string ExtractEveryWay(Extractor& extractor, ByteView payload, uint64_t spare,
                            const std::vector<std::string>& whole) {
  const std::string first = SpellOutcome(extractor, extractor.Extract(payload), whole);
  const std::string again = SpellOutcome(extractor, extractor.Extract(payload), whole);
  SmallPages pages(AsText(payload), spare);
  const std::string paged = SpellOutcome(extractor, extractor.Extract(pages, payload.size()), whole);
  if (first == again && first == paged) return first;
  return StrCat("first ", first, "\nagain ", again, "\nby pages ", paged);
}

// Extracts everything that the built-in messages have, and compares it with what the decoder finds.
void ExtractBuiltIn(ByteView payload, PayloadKind kind, uint64_t spare) {
  const std::vector<std::string> whole = {"a", "l[]"};
  Extractor extractor(FieldPlan::Of(kind), whole);
  ExpectSame(ExtractEveryWay(extractor, payload, spare, whole), SpellDecoded(AsText(payload), kind, whole),
             "what is extracted and what is decoded");
}

// The values of a record, sorted, each with its name and kind.
std::string SpellRun(const UniformRun& run, const Extractor& extractor) {
  std::vector<std::string> lines;
  for (size_t entry = 0; entry < run.entries(); ++entry) {
    const bool is_bytes = run.kind(entry) == FeatureKind::kBytes;
    lines.push_back(StrCat(extractor.names()[run.feature(entry)], ":", Name(run.kind(entry)), " ",
                           run.values(entry).back(), AsText(is_bytes ? run.last_bytes(entry) : ByteView()), "\n"));
  }
  return Joined(std::move(lines));
}

std::string SpellSingle(const Extractor& extractor) {
  std::vector<std::string> lines;
  for (const ExtractedFeature& found : extractor.found()) {
    Expect(found.count == 1, "a run has a feature with ", found.count, " values");
    const bool is_bytes = found.kind == FeatureKind::kBytes;
    lines.push_back(StrCat(extractor.names()[found.feature], ":", Name(found.kind), " ",
                           is_bytes ? found.size : found.bits, AsText(is_bytes ? found.bytes : ByteView()), "\n"));
  }
  return Joined(std::move(lines));
}

// Adds both payloads to the run that an extractor expects after the first one: what the run has is what another
// extractor finds.
void AddToRun(ByteView expected, ByteView next, PayloadKind kind) {
  Extractor extractor(FieldPlan::Of(kind), {});
  for (int i = 0; i < 3; ++i) {
    if (extractor.Extract(expected) != Extractor::Outcome::kWellFormed) return;
  }
  for (const ByteView payload : {next, expected, next}) {
    if (!extractor.run().Add(payload)) continue;
    Extractor alone(FieldPlan::Of(kind), {});
    Expect(alone.Extract(payload) == Extractor::Outcome::kWellFormed, "a run has a malformed record");
    ExpectSame(SpellRun(extractor.run(), extractor), SpellSingle(alone), "a record in a run and alone");
  }
}

// Extracts from records of many names, of which only the first in byte order are kept.
void ExtractManyNames(FuzzInput& input, PayloadKind kind) {
  const size_t count = input.Number(2) % 6000;
  const uint64_t step = 1 + input.Number(2);
  const std::string suffix(AsText(input.Bytes(8)));
  PayloadBuilder builder(kind, EntryOrder::kAsAdded);
  std::set<std::string> names;
  const std::vector<int64_t> one = {1};
  for (uint64_t i = 0; i < count; ++i) {
    const std::string name = StrCat(i * step % 8191, suffix);
    if (!IsThere(builder.Add(AsBytes(name), FeatureData::Int64s(one)))) return;
    names.insert(name);
  }
  const Result<ByteView> payload = builder.Finish();
  if (!IsThere(payload)) return;
  const std::vector<std::string> whole = {StrCat("9", suffix), "absent"};
  Extractor extractor(FieldPlan::Of(kind), whole);
  for (int i = 0; i < 2; ++i) {
    Expect(extractor.Extract(*payload) == Extractor::Outcome::kWellFormed, "a payload of many names is refused");
    std::set<std::string> found;
    for (const ExtractedFeature& each : extractor.found()) found.insert(extractor.names()[each.feature]);
    std::set<std::string> expected;
    for (const std::string& name : names) {
      if (name == whole[0] || expected.size() - expected.count(whole[0]) < kMaxFeatures) expected.insert(name);
    }
    Expect(extractor.dropped() == extractor.first_evicted().has_value(), "names are dropped, but none is the first");
    for (const ExtractedFeature& each : extractor.found()) Expect(extractor.kept(each.feature), "a name is not kept");
    Expect(i == 0 || extractor.evicted().empty(), "names are evicted twice");
    Expect(found == expected, "of ", names.size(), " names, ", found.size(), " are kept, expected ", expected.size());
  }
  extractor.Forget();
  Expect(extractor.Extract(*payload) == Extractor::Outcome::kWellFormed, "a payload of many names is refused");
}

// Descriptors of a message with a field of each scalar type, whose number and name are those of the type, and once more
// each as a list.
std::string AllScalars() {
  std::string fields;
  for (uint64_t list = 0; list < 2; ++list) {
    for (const uint64_t type : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 12U, 13U, 14U, 15U, 16U, 17U, 18U}) {
      fields += Field(2, Field(1, StrCat("f", type + 20 * list)) + VarintField(3, type + 20 * list) +
                             VarintField(4, list == 0 ? 1 : 3) + VarintField(5, type));
    }
  }
  return Field(1, Field(1, "all.proto") + Field(4, Field(1, "All") + fields));
}

// Extracts all columns of a message with fields of all types.
void ExtractScalars(ByteView payload, uint64_t spare) {
  static const std::string descriptors = AllScalars();
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names;
    for (int i = 1; i <= 38; ++i) names.push_back(StrCat("f", i));
    return names;
  }();
  for (const std::string& column : columns) {
    const Result<FieldPlan> plan = FieldPlan::OfMessage(AsBytes(descriptors), "All", {column});
    if (!IsThere(plan)) continue;
    Extractor extractor(*plan, columns);
    const std::string got = ExtractEveryWay(extractor, payload, spare, columns);
    Expect(!got.starts_with("first "), got);
  }
}

// Extracts columns of messages that the payload itself describes.
void ExtractDescribed(ByteView payload, uint64_t spare) {
  const std::vector<std::string> columns = {"file.message_type.field.number", "file.name", "a", "b.c", "b.b.b.c"};
  for (const char* message : {"M", "p.M", "p.M.N", "google.protobuf.FileDescriptorSet"}) {
    for (const std::string& column : columns) {
      const Result<FieldPlan> plan = FieldPlan::OfMessage(payload, message, {column});
      if (!IsThere(plan)) continue;
      Extractor extractor(*plan, columns);
      const std::string got = ExtractEveryWay(extractor, payload, spare, columns);
      Expect(!got.starts_with("first "), got);
    }
  }
}

}  // namespace

// The first byte has the kind, and what is tried; 252 and more: many names, 128 and more: two records.
void CheckExtractor(ByteView bytes) {
  if (bytes.empty()) return;
  FuzzInput input(bytes);
  const uint8_t choices = input.Byte();
  const auto kind = static_cast<PayloadKind>(choices % 4);
  const uint64_t spare = choices / 4 % 32;
  if (choices >= 252 && kind != PayloadKind::kOpaque) return ExtractManyNames(input, kind);
  const ByteView front = choices < 128 ? ByteView() : input.Bytes(input.Number(2));
  const std::vector<uint8_t> other(front.begin(), front.end());
  const ByteView rest = input.Rest();
  const std::vector<uint8_t> payload(rest.begin(), rest.end());  // at its exact size, for AddressSanitizer
  if (kind == PayloadKind::kOpaque && choices >= 128) return ExtractScalars(payload, spare);
  if (kind == PayloadKind::kOpaque) return ExtractDescribed(payload, spare);
  if (choices >= 128) AddToRun(other, payload, kind);
  ExtractBuiltIn(payload, kind, spare);
}

}  // namespace ofindex

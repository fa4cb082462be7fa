#include "index/resume/saved_block.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace ofindex {
namespace {

BuiltBlock SomeBlock() {
  const std::vector<uint64_t> boundaries = {0, 20, 50, 70};
  BuiltBlock block = EncodeBlock(0, Framing::kTfRecord, 5, boundaries);
  block.row.hashes.assign(24, 7);
  block.bad = {BadEntry(1, BadReason::kMalformed)};
  block.columns.malformed = {1};
  block.columns.dropped_from = "zebra";
  BlockFeature feature;
  feature.row.name = "label";
  feature.row.present = 3;
  feature.sketch.AddInteger(1);
  ChunkRow chunk;
  chunk.min = {.type = ColumnValue::Type::kReal, .real = 0.5};
  chunk.max = {.type = ColumnValue::Type::kText, .bytes = "x"};
  chunk.data = {1, 2, 3};
  feature.chunks.push_back(chunk);
  block.columns.features.push_back(feature);
  for (int64_t i = 0; i < 5000; ++i) feature.sketch.AddInteger(i);  // no longer sparse
  block.columns.features.push_back(feature);
  return block;
}

ShardFindings SomeFindings() {
  ShardFindings findings;
  findings.damage = {{10, 20, DamageReason::kTornTail, {}}, {5, 5, DamageReason::kBadDeflate, ByteRange{1, 2}}};
  findings.stream.inflated_bytes = 100;
  findings.stream.checkpoints = {{.position = 1, .bit = 2, .stored = {3, 4}}};
  findings.walked = {.first = 1, .next = 2, .tested = 3};
  return findings;
}

template <typename Saved, typename Parse>
void CheckRoundTrip(const Saved& saved, const Parse& parse) {
  std::vector<uint8_t> bytes;
  AppendSaved(saved, bytes);
  const auto parsed = parse(bytes);
  REQUIRE(parsed.has_value());
  std::vector<uint8_t> again;
  AppendSaved(*parsed, again);
  CHECK(again == bytes);
  for (size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(parse(ByteView(bytes).first(size)).has_value());
  std::mt19937_64 random(1);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::vector<uint8_t> changed = bytes;
    changed[at] = static_cast<uint8_t>(random());
    const auto other = parse(changed);  // may be sound, but never reads outside
    if (other) AppendSaved(*other, again);
  }
  bytes.push_back(0);
  CHECK_FALSE(parse(bytes).has_value());
}

TEST_CASE("saved blocks and findings are read back whole, and not if they are cut or longer") {
  CheckRoundTrip(SomeBlock(), ParseSavedBlock);
  CheckRoundTrip(SomeFindings(), ParseSavedFindings);
}

TEST_CASE("a block that an index cannot have is refused") {
  const auto refused = [](const BuiltBlock& block) {
    std::vector<uint8_t> bytes;
    AppendSaved(block, bytes);
    return !ParseSavedBlock(bytes).has_value();
  };
  CHECK_FALSE(refused(SomeBlock()));
  BuiltBlock block = SomeBlock();
  SUBCASE("no records") { block.row.records = 0; }
  SUBCASE("too many records") { block.row.records = kBlockRecords + 1; }
  SUBCASE("offsets of no records") { block.row.offsets.clear(); }
  SUBCASE("hashes of other records") { block.row.hashes.resize(8); }
  SUBCASE("a bad record that does not exist") { block.bad = {BadEntry(3, BadReason::kMalformed)}; }
  SUBCASE("an unknown reason") { block.bad = {9U << 16}; }
  SUBCASE("an end before the beginning") { block.row.begin = block.row.end + 1; }
  CHECK(refused(block));
}

}  // namespace
}  // namespace ofindex

#include "index/merge/part_order.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "index/build/index_writer.h"
#include "index/walk/resync.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint64_t kSize = 10'000;
constexpr uint64_t kRange = 2'048;

// Part `number` of 4 of one shard; it has the range of that number.
PartInput RangeOf(uint32_t number, uint64_t first, uint64_t next, uint64_t tested = 0) {
  ShardRow shard;
  shard.path = "shard";
  shard.framing = Framing::kTfRecord;
  shard.identity.size = kSize;
  PartInput part{
      .path = "part-" + std::to_string(number), .identity = number, .facts = {}, .shards = 1, .partial_shards = {}};
  part.facts.part = PartFacts{.first = number, .last = number, .of = 4};
  part.facts.part->partial = {{.shard = 0,
                               .begin = (number - 1) * kRange,
                               .end = number == 4 ? kNowhere : number * kRange,
                               .first = first,
                               .next = next,
                               .tested = tested}};
  part.partial_shards = {shard};
  return part;
}

// Part `number` of 4 that has nothing.
PartInput Empty(uint32_t number) {
  PartInput part = RangeOf(number, 0, 0);
  part.shards = 0;
  part.facts.part->partial.clear();
  part.partial_shards.clear();
  return part;
}

// The parts that were built again, and where.
using Rebuilt = std::vector<std::pair<uint32_t, WalkEntry>>;

// Puts parts in order; one that is built again is entered where it should be.
Rebuilt RebuiltOf(std::vector<PartInput> parts) {
  Rebuilt rebuilt;
  const auto rebuild = [&](const PartInput& part, const WalkEntry& entry) -> Result<std::vector<PartInput>> {
    const PartialShard& range = part.facts.part->partial.front();
    rebuilt.emplace_back(part.facts.part->first, entry);
    return std::vector<PartInput>{RangeOf(part.facts.part->first, entry.position, range.next)};
  };
  const auto ordered = OrderParts(std::move(parts), rebuild);
  REQUIRE_MESSAGE(ordered.has_value(), ordered.error().message);
  return rebuilt;
}

TEST_CASE("a range that begins where the walk before it ended is not walked again") {
  CHECK(RebuiltOf({RangeOf(3, 4100, 6200), RangeOf(1, 0, 2050), RangeOf(2, 2050, 4100)}).empty());
  CHECK(RebuiltOf({RangeOf(1, 0, 2050), Empty(2), Empty(3)}).empty());
}

TEST_CASE("a shard that ends before its last range, or begins in the middle, was not the same for all parts") {
  const auto never = [](const PartInput&, const WalkEntry&) -> Result<std::vector<PartInput>> {
    FAIL("nothing is to be built again");
    return {};
  };
  const auto refused = [&](std::vector<PartInput> parts) {
    const auto ordered = OrderParts(std::move(parts), never);
    return !ordered && ordered.error().code == ErrorCode::kStale;
  };
  CHECK(refused({RangeOf(1, 0, 2050), Empty(2), Empty(3), Empty(4)}));
  CHECK(refused({RangeOf(3, 4100, 6200), Empty(4)}));
  CHECK(refused({Empty(1), RangeOf(2, 2050, 4100)}));
  PartInput other = RangeOf(2, 2050, 4100);
  other.partial_shards[0].identity.fingerprint = 1;
  CHECK(refused({RangeOf(1, 0, 2050), other}));
  other = RangeOf(2, 2050, 4100);
  other.facts.part->partial[0].begin += 1;
  CHECK(refused({RangeOf(1, 0, 2050), other}));
}

TEST_CASE("a range that begins at a false record is walked again from the right byte") {
  const Rebuilt expected = {{2, {.position = 2050, .tested = 0}}};
  CHECK(RebuiltOf({RangeOf(1, 0, 2050), RangeOf(2, 2060, 4100), RangeOf(3, 4100, 6200)}) == expected);
}

TEST_CASE("no record begins in a range, because one record is longer than it") {
  CHECK(RebuiltOf({RangeOf(1, 0, 4100), RangeOf(2, kNowhere, 0), RangeOf(3, 4100, 6200)}).empty());
  CHECK(RebuiltOf({RangeOf(2, kNowhere, 0), RangeOf(3, 4100, 6200)}).empty());  // known when part 1 comes
  const Rebuilt damaged = {{2, {.position = 2050, .tested = 0}}};
  CHECK(RebuiltOf({RangeOf(1, 0, 2050), RangeOf(2, kNowhere, 4100)}) == damaged);
}

TEST_CASE("ranges of a shard share the bytes that may be read to find records after gaps") {
  const uint64_t budget = ResyncBudget(kSize);
  CHECK(RebuiltOf({RangeOf(1, 0, 2050, budget - 5), RangeOf(2, 2050, 4100, 5)}).empty());
  const Rebuilt expected = {{2, {.position = 2050, .tested = budget - 5}}};
  CHECK(RebuiltOf({RangeOf(1, 0, 2050, budget - 5), RangeOf(2, 2050, 4100, 6)}) == expected);
}

TEST_CASE("forged numbers of bytes read do not wrap around") {
  const Rebuilt expected = {{2, {.position = 2050, .tested = kNowhere - 3}}};
  CHECK(RebuiltOf({RangeOf(1, 0, 2050, kNowhere - 3), RangeOf(2, 2050, 4100, 9)}) == expected);
  const std::vector<PartInput> parts = {RangeOf(1, 0, 2050, kNowhere - 3), RangeOf(2, 2050, 4100, 9)};
  CHECK(MergedFacts(parts, {0, 0})->partial[0].tested == kNowhere);
}

// Writes a part of two shards of kSize bytes with these ranges, and reads it.
Result<PartInput> ReadForged(const std::vector<PartialShard>& partial, Framing framing = Framing::kTfRecord) {
  const TempDir dir;
  const std::string path = dir / "part.ofidx";
  WriteFile(path, "");
  auto writer = IndexWriter::Begin(path, std::nullopt, ColumnChoice{});
  REQUIRE(writer.has_value());
  for (const char* name : {"a", "b"}) {
    ShardRow row;
    row.path = name;
    row.framing = framing;
    row.identity.size = kSize;
    row.file = IndexWriter::kOwnFile;
    writer->BeginShard(row);
    REQUIRE(writer->EndShard({}).has_value());
  }
  DatasetFacts facts;
  facts.part = PartFacts{.first = 2, .last = 2, .of = 4, .partial = partial};
  REQUIRE(writer->Finish(facts, path).has_value());
  return PartInput::Read(path);
}

TEST_CASE("only the first shard of a part may begin in the middle, and only the last may go on") {
  const PartialShard head{.shard = 0, .begin = 2048, .end = kNowhere, .first = 2050, .next = kSize};
  const PartialShard tail{.shard = 1, .begin = 0, .end = 2048, .first = 0, .next = 2050};
  CHECK(ReadForged({}).has_value());
  CHECK(ReadForged({head}).has_value());
  CHECK(ReadForged({head, tail}).has_value());
  CHECK(ReadForged({{.shard = 0, .begin = 2048, .end = kNowhere, .first = kNowhere, .next = 0}}).has_value());
  const std::pair<const char*, std::vector<PartialShard>> forged[] = {
      {"another shard begins in the middle", {{.shard = 1, .begin = 2048, .end = kNowhere, .first = 2050}}},
      {"another shard goes on", {{.shard = 0, .begin = 0, .end = 2048, .next = 2050}}},
      {"a shard that the part does not have", {{.shard = 2, .begin = 0, .end = 2048, .next = 2050}}},
      {"first record before the range", {{.shard = 0, .begin = 2048, .end = kNowhere, .first = 2047, .next = kSize}}},
      {"first record after the shard", {{.shard = 0, .begin = 2048, .end = kNowhere, .first = kSize + 1}}},
      {"next record after the shard", {{.shard = 1, .begin = 0, .end = 2048, .first = 0, .next = kSize + 1}}},
  };
  for (const auto& forgery : forged) {
    CAPTURE(forgery.first);
    const auto part = ReadForged(forgery.second);
    REQUIRE_FALSE(part.has_value());
    CHECK(part.error().code == ErrorCode::kIndex);
  }
  CHECK_FALSE(ReadForged({head}, Framing::kOfRecord).has_value());
}

TEST_CASE("merged ranges become one, and a shard of which nothing is missing is no range") {
  const std::vector<PartInput> parts = {RangeOf(2, kNowhere, 0, 1), RangeOf(3, 4100, 6200, 2)};
  const auto facts = MergedFacts(parts, {0, 0});
  REQUIRE(facts.has_value());
  CHECK(Describe(*facts) == "parts 2 to 3 of 4");
  REQUIRE(facts->partial.size() == 1);
  CHECK(facts->partial[0] ==
        PartialShard{.shard = 0, .begin = kRange, .end = 3 * kRange, .first = 4100, .next = 6200, .tested = 3});
  const std::vector<PartInput> rest = {parts[0], parts[1], RangeOf(4, 6200, kSize)};
  CHECK(MergedFacts(rest, {0, 0, 0})->partial[0].end == kNowhere);
  const std::vector<PartInput> all = {RangeOf(1, 0, 4100), parts[0], parts[1], RangeOf(4, 6200, kSize)};
  CHECK_FALSE(MergedFacts(all, {0, 0, 0, 0}).has_value());
}

}  // namespace
}  // namespace ofindex

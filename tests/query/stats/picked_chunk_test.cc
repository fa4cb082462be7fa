#include "query/stats/picked_chunk.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "query/stats/block_counts.h"
#include "query/stats/block_summary.h"
#include "query/stats/quartiles.h"

namespace ofindex {
namespace {

constexpr uint32_t kChunkRecords = 200;

/// Gives record `at` of a chunk the value that number `r` stands for, or none.
using GiveValue = std::function<void(ChunkBuilder& builder, uint32_t at, uint32_t r)>;

/// A chunk whose records have the values of `numbers`.
std::shared_ptr<const Chunk> GivenChunk(const GiveValue& give, const std::vector<uint32_t>& numbers) {
  ChunkBuilder builder;
  for (uint32_t at = 0; at < numbers.size(); ++at) give(builder, at, numbers[at]);
  const auto records = static_cast<uint32_t>(numbers.size());
  Result<Chunk> chunk = Chunk::Decode(builder.Encode(records).data, records);
  REQUIRE(chunk.has_value());
  return std::make_shared<const Chunk>(std::move(*chunk));
}

/// Values for every form of chunk, integers in three widths. Each leaves out some records.
const std::vector<GiveValue> kGivenForms = {
    [](ChunkBuilder&, uint32_t, uint32_t) {},
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      if (r % 3 != 0) b.AddInteger(at, r % 7, FeatureKind::kInt64);
    },
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      if (r % 3 != 0) b.AddInteger(at, int64_t{r} * 300, FeatureKind::kInt32);
    },
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      if (r % 3 != 0) b.AddInteger(at, int64_t{r} * 1'000'000'007 - 5, FeatureKind::kInt64);
    },
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      if (r % 3 != 0) b.AddFloat(at, static_cast<float>(r) / 8);
    },
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      if (r % 3 != 0) b.AddDouble(at, r % 4 == 0 ? std::numeric_limits<double>::quiet_NaN() : r / 10.0);
    },
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      if (r % 3 != 0) b.AddBytes(at, AsBytes("text " + std::to_string(r % 7)));
    },
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      if (r % 5 == 0) b.AddInteger(at, r, FeatureKind::kInt32);
      if (r % 5 == 1) b.AddFloat(at, 0.5F);
      if (r % 5 == 2) b.AddBytes(at, AsBytes("mixed"));
      if (r % 5 == 3) b.AddDouble(at, 2);
    },
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      if (r % 3 != 0) b.AddNumbers(at, FeatureKind::kInt64, std::vector<uint64_t>(r % 4, r));
    },
    [](ChunkBuilder& b, uint32_t at, uint32_t r) {
      const std::string text = "w" + std::to_string(r % 9);
      if (r % 2 == 0) b.AddStrings(at, std::vector<ByteView>(r % 3, AsBytes(text)));
      if (r % 4 == 1) b.AddNumbers(at, FeatureKind::kFloat, std::vector<uint64_t>(r % 3, r));
    },
};

std::map<std::string, uint64_t> StringsOf(const BlockCounts& block) {
  std::map<std::string, uint64_t> strings;
  block.ForEachString([&](ByteView text, uint64_t count) { strings[std::string(text.begin(), text.end())] += count; });
  return strings;
}

void CheckSame(const Lengths& lengths, const Lengths& expected) {
  CHECK(lengths.count == expected.count);
  CHECK(lengths.min == expected.min);
  CHECK(lengths.max == expected.max);
  CHECK(lengths.sum == expected.sum);
}

/// Compares the inputs of statistics.
void CheckSame(const PickedChunk& picked, const PickedChunk& expected) {
  for (const bool mixed : {false, true}) {
    const BlockCounts counts = CountValues(picked, mixed);
    const BlockCounts others = CountValues(expected, mixed);
    CHECK(counts.integers == others.integers);
    CHECK(counts.reals == others.reals);
    CHECK(counts.nans == others.nans);
    CHECK(counts.nulls == others.nulls);
    CHECK(StringsOf(counts) == StringsOf(others));
    const ColumnSummary summary(counts);
    const ColumnSummary other(others);
    CHECK(summary.rows == other.rows);
    CHECK(summary.strings == other.strings);
    CheckSame(summary.lengths, other.lengths);
    CheckSame(summary.lists, other.lists);
  }
  const RankSearch search(RanksOf(8));
  CHECK(search.Count(picked) == search.Count(expected));
}

TEST_CASE("a picked chunk counts each record as often as it was picked") {
  std::vector<uint32_t> all;
  for (uint32_t r = 0; r < kChunkRecords; ++r) all.push_back(r);
  const std::vector<std::vector<uint32_t>> picks = {
      {0}, {199}, {5, 3, 3, 199, 0, 64, 63}, all, std::vector<uint32_t>(3 * kChunkRecords, 7)};
  uint32_t forms = 0;
  for (const GiveValue& give : kGivenForms) {
    const auto chunk = GivenChunk(give, all);
    CAPTURE(static_cast<int>(chunk->form()));
    forms |= 1U << static_cast<uint32_t>(chunk->form());
    for (const std::vector<uint32_t>& records : picks) {
      PickedChunk picked = {chunk, std::vector<uint64_t>(kChunkRecords)};
      for (const uint32_t record : records) ++picked.times[record];
      CheckSame(picked, {GivenChunk(give, records)});
    }
  }
  CHECK(forms == 0x7F);  // each of them
}

TEST_CASE("if the chunk has no `times`, each record counts once") {
  std::vector<uint32_t> all(kChunkRecords, 11);
  for (const GiveValue& give : kGivenForms) {
    const auto chunk = GivenChunk(give, all);
    CheckSame({chunk}, {chunk, std::vector<uint64_t>(kChunkRecords, 1)});
  }
}

}  // namespace
}  // namespace ofindex

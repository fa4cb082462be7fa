#include "query/sampling/lengths/length_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

#include "query/sampling/lengths/best_fit.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

constexpr uint64_t kShuffledRecords = 3000;

uint64_t LengthOf(uint64_t ordinal) { return ordinal % 97 == 0 ? 5000 : 1 + Mix64(ordinal) % 200; }

Result<void> Lengths(std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) {
  for (size_t i = 0; i < ordinals.size(); ++i) lengths[i] = LengthOf(ordinals[i]);
  return {};
}

Sampler At(uint64_t position) {
  auto sampler = Sampler::Of({}, View::Range(0, kShuffledRecords), GlobalShuffle{}, 11);
  REQUIRE(sampler);
  sampler->SeekTo(position);
  return *sampler;
}

LengthBatches Batches(const BatchLimits& limits, const Slice& slice, Tail tail, uint64_t position = 0) {
  auto batches = LengthBatches::Of(At(position), Lengths, limits, slice, tail);
  REQUIRE(batches);
  return *batches;
}

using Batch = std::vector<uint64_t>;

/// Checks that a batch has up to `rows` rows, none of them empty, and the length of each record.
void CheckRows(const LengthBatch& batch, uint64_t rows) {
  CHECK(batch.ends.size() <= rows);
  CHECK(batch.ends.back() == batch.ordinals.size());
  CHECK(std::adjacent_find(batch.ends.begin(), batch.ends.end(), std::greater_equal<>()) == batch.ends.end());
  Batch lengths(batch.ordinals.size());
  REQUIRE(Lengths(batch.ordinals, lengths));
  CHECK(batch.lengths == lengths);
}

std::vector<Batch> AllBatches(LengthBatches batches, uint64_t rows = 1) {
  std::vector<Batch> all;
  LengthBatch batch;
  for (;;) {
    const auto more = batches.Next(batch);
    REQUIRE(more);
    if (!*more) {
      CHECK(batch.ordinals.empty());
      return all;
    }
    CheckRows(batch, rows);
    all.push_back(batch.ordinals);
  }
}

/// Returns the batches within the limits, cut record by record from `order`.
std::vector<Batch> Cut(const BatchLimits& limits, const Batch& order) {
  std::vector<Batch> batches;
  uint64_t sum = 0;
  uint64_t longest = 0;
  for (const uint64_t ordinal : order) {
    const uint64_t length = LengthOf(ordinal);
    const uint64_t records = batches.empty() ? 0 : batches.back().size() + 1;
    const uint64_t cost = limits.padded ? std::max(longest, length) * records : sum + length;
    if (batches.empty() || cost > limits.total || records > limits.records) {
      batches.push_back({});
      sum = longest = 0;
    }
    batches.back().push_back(ordinal);
    sum += length;
    longest = std::max(longest, length);
  }
  return batches;
}

Batch OrderFrom(uint64_t position) {
  Batch order(kShuffledRecords - position);
  Sampler sampler = At(position);
  REQUIRE(sampler.Next(order) == order.size());
  return order;
}

std::vector<Batch> Greedy(const BatchLimits& limits, uint64_t position) { return Cut(limits, OrderFrom(position)); }

/// Returns the batches of a whole epoch, window by window.
std::vector<Batch> OfWindows(const BatchLimits& limits) {
  const Batch order = OrderFrom(0);
  std::vector<Batch> all;
  for (size_t begin = 0; begin < order.size(); begin += limits.window) {
    const size_t end = std::min(order.size(), begin + limits.window);
    const Batch drawn(order.begin() + static_cast<ptrdiff_t>(begin), order.begin() + static_cast<ptrdiff_t>(end));
    Batch sorted = drawn;
    std::stable_sort(sorted.begin(), sorted.end(), [](uint64_t a, uint64_t b) { return LengthOf(a) < LengthOf(b); });
    std::vector<Batch> cut = Cut(limits, sorted);
    const auto place = [&](const Batch& batch) { return std::find(drawn.begin(), drawn.end(), batch.front()); };
    std::sort(cut.begin(), cut.end(), [&](const Batch& a, const Batch& b) { return place(a) < place(b); });
    all.insert(all.end(), cut.begin(), cut.end());
  }
  return all;
}

const std::vector<BatchLimits> kLimits = {{.total = 1000},
                                          {.total = 1},
                                          {.total = 1'000'000'000},
                                          {.total = 2000, .records = 7},
                                          {.total = 2000, .padded = true}};

TEST_CASE("batches follow the order of the epoch, and end where the next record does not fit") {
  for (const BatchLimits& limits : kLimits) {
    CHECK(AllBatches(Batches(limits, {}, Tail::kExact)) == Greedy(limits, 0));
    CHECK(AllBatches(Batches(limits, {}, Tail::kExact, 1234)) == Greedy(limits, 1234));
  }
}

const std::vector<BatchLimits> kWindows = {{.total = 1000, .window = 1},
                                           {.total = 1000, .window = 128},
                                           {.total = 3000, .padded = true, .window = 700},
                                           {.total = 3000, .records = 5, .window = kShuffledRecords},
                                           {.total = 9000, .padded = true, .window = 1'000'000}};

TEST_CASE("a window is sorted by length and cut, and its batches come in the order of their first records") {
  for (const BatchLimits& limits : kWindows) {
    const std::vector<Batch> whole = OfWindows(limits);
    CHECK(AllBatches(Batches(limits, {}, Tail::kExact)) == whole);
    uint64_t position = 0;
    for (size_t i = 0; i < whole.size(); position += whole[i++].size()) {
      if (i % 7 != 0) continue;
      const std::vector<Batch> rest(whole.begin() + static_cast<ptrdiff_t>(i), whole.end());
      CHECK(AllBatches(Batches(limits, {}, Tail::kExact, position)) == rest);
    }
    CHECK(AllBatches(Batches(limits, {}, Tail::kExact, kShuffledRecords)).empty());
  }
}

TEST_CASE("a position inside a batch of a window, which no state has, is refused") {
  for (const BatchLimits& limits : {BatchLimits{.total = 1000, .window = 128},
                                    BatchLimits{.total = 5000, .window = 128, .packed = RowBatches{2}}}) {
    LengthBatch first;
    REQUIRE(Batches(limits, {}, Tail::kExact, 0).Next(first));
    REQUIRE(first.ends[0] > 1);
    LengthBatch batch;
    const auto inside = Batches(limits, {}, Tail::kExact, 1).Next(batch);
    REQUIRE_FALSE(inside);
    CHECK(inside.error().code == ErrorCode::kStale);
    CHECK(inside.error().message.find("position 1: it lies inside a ") == 0);
    CHECK(Batches(limits, {}, Tail::kExact, first.ends[0]).Next(batch));
  }
}

TEST_CASE("ranks and workers share the batches of one epoch, with an exact, padded or dropped tail") {
  std::vector<BatchLimits> all = kLimits;
  all.insert(all.end(), kWindows.begin(), kWindows.end());
  for (const BatchLimits& limits : all) {
    const std::vector<Batch> whole = limits.window == 0 ? Greedy(limits, 0) : OfWindows(limits);
    for (const uint64_t world : std::initializer_list<uint64_t>{1, 2, 3, 7}) {
      for (const Tail tail : {Tail::kExact, Tail::kPad, Tail::kDrop}) {
        const uint64_t last = whole.size() / world;
        const uint64_t ragged = whole.size() % world;
        for (uint64_t rank = 0; rank < world; ++rank) {
          std::vector<Batch> expected;
          for (uint64_t k = rank; k < last * world; k += world) expected.push_back(whole[k]);
          const bool has = rank < ragged;
          if (has && tail != Tail::kDrop) expected.push_back(whole[last * world + rank]);
          if (!has && ragged != 0 && tail == Tail::kPad) {
            expected.push_back(whole[std::min<uint64_t>(rank - ragged, whole.size() - 1)]);
          }
          CHECK(AllBatches(Batches(limits, {rank, world}, tail)) == expected);
          std::vector<Batch> of_workers(expected.size());
          for (uint64_t worker = 0; worker < 3; ++worker) {
            const std::vector<Batch> some = AllBatches(Batches(limits, {rank, world, worker, 3}, tail));
            for (size_t i = 0; i < some.size(); ++i) of_workers.at(worker + 3 * i) = some[i];
          }
          CHECK(of_workers == expected);
        }
      }
    }
  }
}

TEST_CASE("the rest of an epoch can be read with another world size, and each record is read once") {
  BatchLimits limits{.total = 1500};
  SUBCASE("in the order of the epoch") {}
  SUBCASE("with windows") { limits.window = 500; }
  std::vector<uint64_t> read;
  uint64_t position = 0;
  for (const uint64_t world : std::initializer_list<uint64_t>{3, 8, 1}) {
    uint64_t end = position;
    for (uint64_t rank = 0; rank < world; ++rank) {
      LengthBatches batches = Batches(limits, {rank, world}, Tail::kExact, position);
      LengthBatch batch;
      for (int step = 0; step < (world == 1 ? 1'000'000 : 9); ++step) {
        const auto more = batches.Next(batch);
        REQUIRE(more);
        if (!*more) break;
        read.insert(read.end(), batch.ordinals.begin(), batch.ordinals.end());
      }
      end = batches.position();
    }
    position = end;
  }
  CHECK(position == kShuffledRecords);
  std::sort(read.begin(), read.end());
  bool whole = read.size() == kShuffledRecords;
  for (uint64_t i = 0; whole && i < kShuffledRecords; ++i) whole = read[i] == i;
  CHECK(whole);
}

/// Returns the batches without the records at skipped positions, which also end batches if there are no windows.
std::vector<Batch> Without(const std::vector<PositionRange>& skipped, const BatchLimits& limits) {
  const Batch order = OrderFrom(0);
  const ReadPositions positions(order.size(), skipped);
  std::vector<Batch> left;
  if (limits.window == 0) {
    for (uint64_t begin = positions.At(0); begin < order.size();) {
      const uint64_t end = positions.RunEnd(begin);
      const Batch part(order.begin() + static_cast<ptrdiff_t>(begin), order.begin() + static_cast<ptrdiff_t>(end));
      const std::vector<Batch> cut = Cut(limits, part);
      left.insert(left.end(), cut.begin(), cut.end());
      begin = positions.At(positions.Before(end));
    }
    return left;
  }
  uint64_t position = 0;
  for (const Batch& batch : OfWindows(limits)) {
    Batch kept;
    for (const uint64_t ordinal : batch) {
      if (positions.Reads(position++)) kept.push_back(ordinal);
    }
    if (!kept.empty()) left.push_back(kept);
  }
  return left;
}

TEST_CASE("skipped positions are left out, and without whole batches all others stay as they were") {
  std::vector<BatchLimits> all = kLimits;
  all.insert(all.end(), kWindows.begin(), kWindows.end());
  for (const BatchLimits& limits : all) {
    const std::vector<Batch> whole = limits.window == 0 ? Greedy(limits, 0) : OfWindows(limits);
    const auto begin_of = [&](size_t number) {
      uint64_t position = 0;
      for (size_t i = 0; i < number; ++i) position += whole[i].size();
      return position;
    };
    const size_t third = whole.size() / 3;
    const std::vector<PositionRange> batches = {{begin_of(third), begin_of(2 * third)}};
    std::vector<Batch> kept = whole;
    kept.erase(kept.begin() + static_cast<ptrdiff_t>(third), kept.begin() + static_cast<ptrdiff_t>(2 * third));
    CHECK(Without(batches, limits) == kept);
    for (const std::vector<PositionRange>& skipped :
         {batches, {{0, 10}, {25, 26}, {1300, 2100}}, {{0, kShuffledRecords}}, {{2900, kShuffledRecords}}, {}}) {
      Sampler sampler = At(0);
      std::vector<SkippedSteps> steps;
      for (const PositionRange& one : skipped) steps.push_back({{}, {0, one.begin}, {0, one.end}});
      sampler.Skip(steps);
      auto left = LengthBatches::Of(sampler, Lengths, limits);
      REQUIRE(left);
      const ReadPositions positions(kShuffledRecords, skipped);
      uint64_t read = 0;
      for (const Batch& expected : Without(skipped, limits)) {
        LengthBatch batch;
        REQUIRE(left->Next(batch));
        CHECK(batch.ordinals == expected);
        read += batch.ordinals.size();
        CHECK(left->position() == positions.At(read));
      }
      CHECK(AllBatches(*left).empty());
    }
  }
}

/// Returns the rows of a whole epoch that is packed window by window.
std::vector<Batch> PackedWindows(const BatchLimits& limits) {
  const Batch order = OrderFrom(0);
  std::vector<Batch> all;
  for (size_t begin = 0; begin < order.size(); begin += limits.window) {
    const size_t end = std::min(order.size(), begin + limits.window);
    std::vector<uint64_t> lengths;
    for (size_t i = begin; i < end; ++i) lengths.push_back(LengthOf(order[i]));
    const std::vector<uint32_t> rows = PackBestFit(lengths, {limits.total, limits.records});
    const size_t before = all.size();
    for (size_t i = begin; i < end; ++i) {
      const size_t row = before + rows[i - begin];
      if (row >= all.size()) all.resize(row + 1);
      all[row].push_back(order[i]);
    }
  }
  return all;
}

/// Returns the rows of all batches, after checking how many each batch has.
std::vector<Batch> AllRows(LengthBatches batches, const BatchLimits& limits) {
  std::vector<Batch> all;
  LengthBatch batch;
  bool ended = false;
  for (;;) {
    const auto more = batches.Next(batch);
    REQUIRE(more);
    if (!*more) return all;
    CHECK(!ended);
    CheckRows(batch, limits.packed->rows);
    ended = batch.ends.size() < limits.packed->rows;
    CHECK_FALSE((ended && limits.packed->drop_last));
    uint64_t begin = 0;
    for (const uint64_t row_end : batch.ends) {
      all.emplace_back(batch.ordinals.begin() + static_cast<ptrdiff_t>(begin),
                       batch.ordinals.begin() + static_cast<ptrdiff_t>(row_end));
      begin = row_end;
    }
  }
}

const std::vector<BatchLimits> kPacked = {
    {.total = 5000, .window = 1, .packed = RowBatches{.rows = 2}},
    {.total = 5000, .window = 100, .packed = RowBatches{.rows = 1}},
    {.total = 6000, .window = 700, .packed = RowBatches{.rows = 5}},
    {.total = 5000, .records = 9, .window = 512, .packed = RowBatches{.rows = 3, .drop_last = true}},
    {.total = 9000, .window = 1'000'000, .packed = RowBatches{.rows = 4}}};

TEST_CASE("windows are packed into rows, which make batches across windows, from any of them on") {
  for (const BatchLimits& limits : kPacked) {
    std::vector<Batch> whole = PackedWindows(limits);
    size_t records = 0;
    for (const Batch& row : whole) records += row.size();
    CHECK(records == kShuffledRecords);
    if (limits.packed->drop_last) whole.resize(whole.size() - whole.size() % limits.packed->rows);
    CHECK(AllRows(Batches(limits, {}, Tail::kExact), limits) == whole);
    uint64_t position = 0;
    for (size_t i = 0; i < whole.size(); position += whole[i++].size()) {
      if (i % (7 * limits.packed->rows) != 0) continue;
      const std::vector<Batch> rest(whole.begin() + static_cast<ptrdiff_t>(i), whole.end());
      CHECK(AllRows(Batches(limits, {}, Tail::kExact, position), limits) == rest);
    }
  }
}

TEST_CASE("packed batches are shared by ranks, and stay the same under another world size") {
  for (const BatchLimits& limits : kPacked) {
    const std::vector<Batch> whole = AllBatches(Batches(limits, {}, Tail::kExact), limits.packed->rows);
    std::vector<Batch> read;
    uint64_t position = 0;
    for (const uint64_t world : std::initializer_list<uint64_t>{3, 2, 1}) {
      std::vector<LengthBatches> ranks;
      for (uint64_t rank = 0; rank < world; ++rank) {
        ranks.push_back(Batches(limits, {rank, world}, Tail::kExact, position));
      }
      for (int step = 0; step < (world == 1 ? 1'000'000 : 4); ++step) {
        const size_t before = read.size();
        for (LengthBatches& rank : ranks) {
          LengthBatch batch;
          const auto more = rank.Next(batch);
          REQUIRE(more);
          if (*more) read.push_back(batch.ordinals);
          position = rank.position();
        }
        if (read.size() == before) break;
      }
    }
    CHECK(read == whole);
  }
}

TEST_CASE("a record that no row has room for is named, as are impossible rows") {
  auto batches = LengthBatches::Of(At(0), Lengths, {.total = 4999, .window = 3000, .packed = RowBatches{}});
  REQUIRE(batches);
  LengthBatch batch;
  const auto failed = batches->Next(batch);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kUsage);
  CHECK(failed.error().message.ends_with(" has a length of 5,000; expected at most 4,999, the length of a row"));
  const RowBatches rows;
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 9, .packed = rows}));
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 9, .padded = true, .window = 9, .packed = rows}));
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = uint64_t{1} << 31, .window = 9, .packed = rows}));
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 9, .window = 9, .packed = RowBatches{.rows = 0}}));
}

TEST_CASE("limits that would exclude every record are refused, and an error while reading lengths is returned") {
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 0}));
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 1, .records = 0}));
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 1, .window = ~uint64_t{0}}));
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 1}, {2, 2}));
  const auto failing = [](std::span<const uint64_t>, std::span<uint64_t>) -> Result<void> {
    return Fail(ErrorCode::kIndex, "no lengths");
  };
  auto batches = LengthBatches::Of(At(0), failing, {.total = 10});
  REQUIRE(batches);
  LengthBatch batch;
  CHECK(batches->Next(batch).error().code == ErrorCode::kIndex);
}

}  // namespace
}  // namespace ofindex

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "mmap/record_reader.h"
#include "tests/mmap/offsets/holed_map.h"
#include "tests/mmap/reading.h"
#include "tests/support/mapped_dataset.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

using Ordinals = std::vector<uint64_t>;

// A dataset in which some shards are gone. Their files are still there, so that a wrong read would succeed.
struct Holed {
  Holed(const std::vector<Piece>& shards, uint32_t block_records) : dataset(Plans(shards), block_records) {
    for (const RecordLocation& location : dataset.locations()) gone.push_back(dataset.gone(location.shard));
    live = static_cast<uint64_t>(std::count(gone.begin(), gone.end(), false));
  }

  static std::vector<ShardPlan> Plans(const std::vector<Piece>& shards) {
    std::vector<ShardPlan> plans;
    for (const auto& [records, is_gone] : shards) {
      const size_t i = plans.size();
      plans.push_back({.path = std::to_string(i),
                       .framing = i % 2 == 0 ? Framing::kTfRecord : Framing::kOfRecord,
                       .payloads = SomePayloads(records, 30, i),
                       .gone = is_gone});
    }
    return plans;
  }

  [[nodiscard]] const std::string& payload(uint64_t ordinal) const { return dataset.payloads()[ordinal]; }

  MappedDataset dataset;
  std::vector<bool> gone;  // by ordinal
  uint64_t live;
};

const std::vector<std::vector<Piece>> kLayouts = {
    {{5, kHole}, {20}},       {{10}, {4, kHole}, {9}, {1, kHole}, {1}},
    {{16}, {3, kHole}},       {{3, kHole}, {0}, {2, kHole}, {8}, {0, kHole}, {7}, {6, kHole}},
    {{4, kHole}, {2, kHole}},
};

template <typename T>
bool IsGone(const Result<T>& result) {
  return !result && result.error().code == ErrorCode::kOutOfRange;
}

// Reads one record in every way. Returns whether all answers are right: the payload, or that the record is gone.
bool RightOneByOne(const Holed& holed, const RecordReader& reader, uint64_t ordinal) {
  std::vector<uint8_t> bytes, room;
  const auto give_room = [&room](uint64_t length) {
    room.resize(length + 1);
    return room.data();
  };
  RecordBatch batch;
  ByteView viewed;
  const Ordinals one = {ordinal};
  const auto located = reader.Locate(ordinal);
  const auto view = reader.View(ordinal);
  const auto many_views = reader.View(one, std::span(&viewed, 1));
  const auto at_once = reader.ViewAtOnce(ordinal);
  const auto copied = reader.Copy(ordinal, bytes);
  const auto copied_to = reader.CopyTo(ordinal, give_room);
  const bool tried = reader.TryCopyTo(ordinal, give_room);
  const auto batched = reader.CopyInto(one, batch);
  if (holed.gone[ordinal]) {
    return IsGone(located) && IsGone(view) && IsGone(many_views) && !at_once && IsGone(copied) && IsGone(copied_to) &&
           !tried && IsGone(batched);
  }
  const std::string& payload = holed.payload(ordinal);
  const bool unmapped = !view && view.error().code == ErrorCode::kLimit;
  return located && *located == holed.dataset.locations()[ordinal] && (unmapped || (view && Text(*view) == payload)) &&
         (unmapped || (many_views && Text(viewed) == payload)) && (!at_once || Text(*at_once) == payload) && copied &&
         Text(bytes) == payload && copied_to && Text(ByteView(room).first(payload.size())) == payload && batched &&
         Text(batch[0]) == payload;
}

TEST_CASE("a record that is gone is out of range for every method and all reader options; all others are right") {
  for (const auto& layout : kLayouts) {
    const Holed holed(layout, 7);
    for (ReaderOptions way : AllWays()) {
      for (const uint64_t copied_bytes : {uint64_t{0}, kCopiedMapBytes}) {
        way.allow_bad = !way.allow_bad;
        const RecordReader reader = holed.dataset.Open(way, copied_bytes);
        CHECK(reader.size() == holed.gone.size());
        CHECK(reader.live() == holed.live);
        for (int time = 0; time < 2; ++time) {
          for (uint64_t i = 0; i < reader.size(); ++i) CHECK(RightOneByOne(holed, reader, i));
        }
        CHECK(IsGone(reader.Locate(reader.size())));
      }
    }
  }
}

TEST_CASE("a batch with a record that is gone is an error that names it, wherever it is and whatever is cached") {
  const Holed holed(kLayouts[1], 7);
  const Ordinals gone = {10, 13, 23};
  for (const bool warm : {false, true}) {
    const RecordReader reader = holed.dataset.Open({.io = IoMode::kMmap});
    RecordBatch batch;
    std::vector<ByteView> views(40);
    for (size_t at = 0; at < 40; ++at) {
      Ordinals ordinals(40);
      for (size_t i = 0; i < 40; ++i) ordinals[i] = i % 10;
      if (warm) REQUIRE(reader.CopyInto(ordinals, batch));
      ordinals[at] = gone[at % 3];
      const std::string named = "record " + std::to_string(ordinals[at]) + " is gone: ";
      const auto viewed = reader.View(ordinals, views);
      const auto copied = reader.CopyInto(ordinals, batch);
      REQUIRE(IsGone(viewed));
      REQUIRE(IsGone(copied));
      CHECK(viewed.error().message.starts_with(named));
      CHECK(copied.error().message.starts_with(named));
    }
  }
}

TEST_CASE("ranges that begin, end or lie in a hole may be prefetched, and change no answer") {
  for (const auto& layout : kLayouts) {
    const Holed holed(layout, 3);
    const RecordReader reader = holed.dataset.Open();
    for (uint64_t first = 0; first < reader.size(); ++first) {
      for (uint64_t count = 0; count <= reader.size() - first; ++count) reader.Prefetch(first, count);
    }
    for (uint64_t i = 0; i < reader.size(); ++i) CHECK(RightOneByOne(holed, reader, i));
  }
}

// Returns whether a batch of `ordinals` is right: all payloads, or an error if one of them is gone.
bool RightBatch(const Holed& holed, const RecordReader& reader, const Ordinals& ordinals, RecordBatch& batch) {
  std::vector<ByteView> views(ordinals.size());
  const bool gone = std::any_of(ordinals.begin(), ordinals.end(), [&](uint64_t i) { return holed.gone[i]; });
  const auto copied = reader.CopyInto(ordinals, batch);
  const auto viewed = reader.View(ordinals, views);
  if (gone) return IsGone(copied) && IsGone(viewed);
  if (!copied || !viewed) return false;
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (Text(batch[i]) != holed.payload(ordinals[i]) || Text(views[i]) != holed.payload(ordinals[i])) return false;
  }
  return true;
}

TEST_CASE("random holes: each record and each batch is right, or gone, as in the model") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    std::vector<Piece> layout(1 + random() % 7);
    for (auto& [records, gone] : layout) records = random() % 30, gone = random() % 3 == 0;
    const Holed holed(layout, static_cast<uint32_t>(1 + random() % 12));
    const RecordReader reader = holed.dataset.Open({.io = IoMode::kMmap}, random() % 3 * 200);
    if (reader.size() == 0) continue;
    Ordinals alive;
    for (uint64_t i = 0; i < reader.size(); ++i) {
      if (!holed.gone[i]) alive.push_back(i);
    }
    RecordBatch batch;
    for (const size_t size : kBatchSizes) {
      CHECK(RightBatch(holed, reader, RandomOrdinals(random, reader.size(), std::min<size_t>(size, 3)), batch));
      Ordinals chosen = alive.empty() ? Ordinals{} : RandomOrdinals(random, alive.size(), size);
      for (uint64_t& ordinal : chosen) ordinal = alive[ordinal];
      CHECK(RightBatch(holed, reader, chosen, batch));
    }
    for (uint64_t i = 0; i < reader.size(); ++i) CHECK(RightOneByOne(holed, reader, i));
  }
}

}  // namespace
}  // namespace ofindex

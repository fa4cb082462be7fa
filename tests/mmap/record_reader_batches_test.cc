#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "mmap/record_reader.h"
#include "tests/mmap/reading.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

using Ordinals = std::vector<uint64_t>;

// The answer to a request for views: the payloads, or the error.
struct Viewed {
  std::vector<std::string> payloads;
  std::string error;

  friend bool operator==(const Viewed&, const Viewed&) = default;
};

Viewed ViewBatch(const RecordReader& reader, const Ordinals& ordinals) {
  std::vector<ByteView> views(ordinals.size());
  const auto viewed = reader.View(ordinals, views);
  if (!viewed) return {{}, viewed.error().message};
  Viewed all;
  for (const ByteView& view : views) all.payloads.push_back(Text(view));
  return all;
}

Viewed ViewOneByOne(const RecordReader& reader, const Ordinals& ordinals) {
  Viewed all;
  for (uint64_t ordinal : ordinals) {
    const auto view = reader.View(ordinal);
    if (!view) return {{}, view.error().message};
    all.payloads.push_back(Text(*view));
  }
  return all;
}

// Returns the code of the request's error; ends the test if there is none.
ErrorCode ViewError(const RecordReader& reader, const Ordinals& ordinals) {
  std::vector<ByteView> views(ordinals.size());
  const auto viewed = reader.View(ordinals, views);
  REQUIRE_FALSE(viewed);
  return viewed.error().code;
}

ErrorCode CopyError(const RecordReader& reader, const Ordinals& ordinals, RecordBatch& batch) {
  const auto copied = reader.CopyInto(ordinals, batch);
  REQUIRE_FALSE(copied);
  return copied.error().code;
}

TEST_CASE("the views of a batch equal single views, for all reader options, the first time and from the cache") {
  const MappedDataset dataset(MixedShards());
  const uint64_t records = dataset.payloads().size();
  for (const ReaderOptions& way : AllWays()) {
    CAPTURE(static_cast<int>(way.io));
    CAPTURE(way.max_maps);
    CAPTURE(way.max_descriptors);
    const RecordReader in_batches = dataset.Open(way);
    const RecordReader one_by_one = dataset.Open(way);
    std::mt19937_64 random(11);
    for (size_t size : kBatchSizes) {
      const Ordinals ordinals = RandomOrdinals(random, records, size);
      const Viewed expected = ViewOneByOne(one_by_one, ordinals);
      if (way.io == IoMode::kMmap && way.max_maps == 0) CHECK(expected.payloads.size() == size);
      CHECK(ViewBatch(in_batches, ordinals) == expected);
      CHECK(ViewBatch(in_batches, ordinals) == expected);
    }
  }
}

TEST_CASE("copying a batch again, or into another buffer, gives the same payloads") {
  const MappedDataset dataset(MixedShards());
  for (const ReaderOptions& way : AllWays()) {
    const RecordReader reader = dataset.Open(way);
    std::mt19937_64 random(12);
    RecordBatch batch;
    for (size_t size : kBatchSizes) {
      CAPTURE(size);
      const Ordinals ordinals = RandomOrdinals(random, reader.size(), size);
      const std::vector<std::string> expected = Chosen(dataset.payloads(), ordinals);
      for (int time = 0; time < 3; ++time) {
        REQUIRE(reader.CopyInto(ordinals, batch));
        CHECK(PayloadsOf(batch) == expected);
      }
      RecordBatch other;
      REQUIRE(reader.CopyInto(ordinals, other));
      CHECK(PayloadsOf(other) == expected);
    }
  }
}

TEST_CASE("a batch may be larger or smaller than the previous batch in the same buffer") {
  const MappedDataset dataset(MixedShards());
  const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
  Ordinals all(reader.size());
  for (uint64_t i = 0; i < all.size(); ++i) all[i] = i;
  RecordBatch batch;
  for (std::ptrdiff_t size : {1, 2, 50, 3, 51, 258, 0, 258}) {
    const Ordinals ordinals(all.end() - size, all.end());
    REQUIRE(reader.CopyInto(ordinals, batch));
    CHECK(PayloadsOf(batch) == Chosen(dataset.payloads(), ordinals));
  }
}

TEST_CASE("several readers may fill one batch buffer in turn") {
  const MappedDataset many(MixedShards());
  const MappedDataset other(MixedShards(50));
  const RecordReader first = many.Open({.io = IoMode::kMmap});
  const RecordReader second = other.Open({.io = IoMode::kMmap});
  RecordBatch batch;
  for (int time = 0; time < 2; ++time) {
    REQUIRE(first.CopyInto(Ordinals{257, 5}, batch));
    CHECK(PayloadsOf(batch) == Chosen(many.payloads(), {257, 5}));
    REQUIRE(second.CopyInto(Ordinals{5, 6}, batch));  // opens no shard but the first
    CHECK(PayloadsOf(batch) == Chosen(other.payloads(), {5, 6}));
  }
}

TEST_CASE("a bad record is an error of every batch that contains it, unless bad records are allowed") {
  const MappedDataset dataset(
      {{.path = "p", .framing = Framing::kTfRecord, .payloads = SomePayloads(20, 50), .bad = {4, 15}}});
  const RecordReader strict = dataset.Open({.io = IoMode::kMmap});
  const RecordReader lenient = dataset.Open({.io = IoMode::kMmap, .allow_bad = true});
  RecordBatch batch;
  for (int time = 0; time < 2; ++time) {
    const Ordinals sound = {3, 5, 14, 16, 8, 19};
    CHECK(ViewBatch(strict, sound).payloads == Chosen(dataset.payloads(), sound));
    REQUIRE(strict.CopyInto(sound, batch));
    CHECK(PayloadsOf(batch) == Chosen(dataset.payloads(), sound));
    for (uint64_t bad : {uint64_t{4}, uint64_t{15}}) {
      const Ordinals with_bad = {3, 8, bad, 5};
      CHECK(ViewError(strict, with_bad) == ErrorCode::kDamage);
      CHECK(CopyError(strict, with_bad, batch) == ErrorCode::kDamage);
      CHECK(ViewBatch(lenient, with_bad).payloads == Chosen(dataset.payloads(), with_bad));
      REQUIRE(lenient.CopyInto(with_bad, batch));
      CHECK(PayloadsOf(batch) == Chosen(dataset.payloads(), with_bad));
    }
  }
}

TEST_CASE("an ordinal past the last is out of range anywhere in a batch, whether or not blocks are cached") {
  const MappedDataset dataset(MixedShards());
  const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
  RecordBatch batch;
  for (int time = 0; time < 2; ++time) {
    for (size_t at = 0; at < 40; ++at) {
      for (uint64_t ordinal : {reader.size(), ~uint64_t{0}}) {
        Ordinals ordinals(40, 9);
        ordinals[at] = ordinal;
        CHECK(ViewError(reader, ordinals) == ErrorCode::kOutOfRange);
        CHECK(CopyError(reader, ordinals, batch) == ErrorCode::kOutOfRange);
      }
    }
    REQUIRE(reader.CopyInto(Ordinals(40, 9), batch));
    CHECK(PayloadsOf(batch) == Chosen(dataset.payloads(), Ordinals(40, 9)));
  }
}

TEST_CASE("with pread, a batch of views is a kLimit error, but an empty batch succeeds") {
  const MappedDataset dataset(MixedShards());
  const RecordReader reader = dataset.Open({.io = IoMode::kPread});
  CHECK(ViewError(reader, {5}) == ErrorCode::kLimit);
  CHECK(ViewError(reader, {5, 150, 257}) == ErrorCode::kLimit);
  CHECK(ViewBatch(reader, {}) == Viewed{});
}

// Returns ordinals around the edges of blocks and of the map's jumps, the last record, and some others.
Ordinals AroundEdges(uint64_t records, uint32_t block_records) {
  Ordinals ordinals;
  for (uint64_t step : {uint64_t{block_records}, kJumpRecords}) {
    for (uint64_t edge = 0; edge <= records + step; edge += step) {
      for (uint64_t ordinal = edge < 2 ? 0 : edge - 2; ordinal < std::min(edge + 2, records); ++ordinal) {
        ordinals.push_back(ordinal);
      }
    }
  }
  ordinals.push_back(records - 1);
  std::shuffle(ordinals.begin(), ordinals.end(), std::mt19937_64(13));
  return ordinals;
}

TEST_CASE("records at the edges of large blocks are correct, on the slow path and from the cache") {
  std::vector<std::string> payloads(200'000);
  for (uint32_t i = 0; i < payloads.size(); ++i) payloads[i] = Le32(i) + std::string(i % 3, 'x');
  for (uint32_t block : {1000U, 65'535U, 65'536U}) {
    CAPTURE(block);
    const MappedDataset dataset({{.path = "p", .framing = Framing::kOfRecord, .payloads = payloads}}, block);
    const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
    const Ordinals ordinals = AroundEdges(reader.size(), block);
    const std::vector<std::string> expected = Chosen(payloads, ordinals);
    RecordBatch batch;
    for (int time = 0; time < 2; ++time) {
      REQUIRE(reader.CopyInto(ordinals, batch));
      CHECK(PayloadsOf(batch) == expected);
      CHECK(ViewBatch(reader, ordinals).payloads == expected);
    }
    CHECK(ViewBatch(dataset.Open({.io = IoMode::kMmap}), ordinals).payloads == expected);
  }
}

// A change made to a shard after its records were read, and the record it affects.
struct RecordChange {
  const char* what;
  void (*apply)(const MappedDataset& dataset, uint64_t record);
  bool held_is_right = false;  // a reader that holds the old file open continues with it
};

const RecordChange kRecordChanges[] = {
    {"cut by a byte",
     [](const MappedDataset& d, uint64_t) { TruncateTo(d.shard_path(0), d.shard_bytes(0).size() - 1); }},
    {"cut in the record",
     [](const MappedDataset& d, uint64_t record) { TruncateTo(d.shard_path(0), d.locations()[record].offset + 30); }},
    {"cut to nothing", [](const MappedDataset& d, uint64_t) { TruncateTo(d.shard_path(0), 0); }},
    {"grown", [](const MappedDataset& d, uint64_t) { AppendTo(d.shard_path(0), "x"); }},
    {"replaced by another file of the same size",
     [](const MappedDataset& d, uint64_t) { ReplaceFile(d.shard_path(0), std::string(d.shard_bytes(0).size(), 'x')); },
     true},
    {"a header rewritten in place",
     [](const MappedDataset& d, uint64_t record) {
       OverwriteAt(d.shard_path(0), d.locations()[record].offset, Le64(d.payloads()[record].size() - 1));
     }},
    {"a payload rewritten in place",
     [](const MappedDataset& d, uint64_t record) { FlipBit(d.shard_path(0), d.locations()[record].offset + 20, 3); }},
    {"a payload rewritten in place, and the time set back",
     [](const MappedDataset& d, uint64_t record) {
       FlipBit(d.shard_path(0), d.locations()[record].offset + 20, 3);
       SetMtime(d.shard_path(0), OffsetMap::Open(d.map_path())->Shard(0)->identity.mtime_ns);
     }},
    {"all bytes rewritten in place",
     [](const MappedDataset& d, uint64_t) { WriteFile(d.shard_path(0), std::string(d.shard_bytes(0).size(), 'x')); }},
};

TEST_CASE("a shard that changes after its blocks are cached is stale for the next batch, or gives its old bytes") {
  constexpr uint64_t kRecord = 25;
  // Contains repeats, and records of the untouched shard before and after the changed record.
  const Ordinals ordinals = {kRecord, 3, 60, kRecord, 41, kRecord, 70};
  for (const RecordChange& change : kRecordChanges) {
    for (bool held : {true, false}) {
      CAPTURE(change.what);
      CAPTURE(held);
      const MappedDataset dataset({{.path = "p", .framing = Framing::kOfRecord, .payloads = SomePayloads(50, 500)},
                                   {.path = "q", .framing = Framing::kTfRecord, .payloads = SomePayloads(30, 500, 2)}});
      const RecordReader reader = dataset.Open({.io = IoMode::kMmap, .max_descriptors = held ? 2U : 1U});
      RecordBatch batch;
      REQUIRE(reader.CopyInto(Ordinals{60}, batch));  // the other shard takes the first descriptor
      const std::vector<std::string> expected = Chosen(dataset.payloads(), ordinals);
      for (int time = 0; time < 2; ++time) {
        REQUIRE(reader.CopyInto(ordinals, batch));
        CHECK(PayloadsOf(batch) == expected);
      }
      change.apply(dataset, kRecord);
      for (int time = 0; time < 2; ++time) {
        const auto copied = reader.CopyInto(ordinals, batch);
        if (change.held_is_right && held) {
          REQUIRE(copied);
          CHECK(PayloadsOf(batch) == expected);
        } else {
          REQUIRE_FALSE(copied);
          CHECK(copied.error().code == ErrorCode::kStale);
        }
      }
      REQUIRE(reader.CopyInto(Ordinals{60, 70}, batch));  // the other shard still works
    }
  }
}

TEST_CASE("each of more than a hundred shards that a batch has read is checked for changes") {
  std::vector<ShardPlan> plans;
  for (size_t i = 0; i < 130; ++i) {
    plans.push_back(
        {.path = "p" + std::to_string(i), .framing = Framing::kOfRecord, .payloads = SomePayloads(2, 30, i)});
  }
  const MappedDataset dataset(plans);
  const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
  Ordinals all(reader.size());
  for (uint64_t i = 0; i < all.size(); ++i) all[i] = i;
  RecordBatch batch;
  for (int time = 0; time < 2; ++time) REQUIRE(reader.CopyInto(all, batch));
  for (size_t shard : {0U, 63U, 64U, 127U, 128U, 129U}) {
    CAPTURE(shard);
    AppendTo(dataset.shard_path(shard), "x");
    CHECK(CopyError(reader, all, batch) == ErrorCode::kStale);
    TruncateTo(dataset.shard_path(shard), dataset.shard_bytes(shard).size());
    REQUIRE(reader.CopyInto(all, batch));
    CHECK(PayloadsOf(batch) == dataset.payloads());
  }
}

TEST_CASE("a shard that was repaired in place is read again") {
  const MappedDataset dataset({{.path = "p", .framing = Framing::kOfRecord, .payloads = SomePayloads(50, 500)}});
  const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
  const Ordinals ordinals = {25, 3, 49};
  RecordBatch batch;
  for (int time = 0; time < 3; ++time) {
    REQUIRE(reader.CopyInto(ordinals, batch));
    CHECK(PayloadsOf(batch) == Chosen(dataset.payloads(), ordinals));
    TruncateTo(dataset.shard_path(0), 0);
    CHECK(CopyError(reader, ordinals, batch) == ErrorCode::kStale);
    WriteFile(dataset.shard_path(0), dataset.shard_bytes(0));
  }
}

TEST_CASE("a header rewritten in a page that no fingerprint covers is stale, from cached and other blocks") {
  constexpr uint64_t kRecord = 8;
  const MappedDataset dataset({{.path = "p", .framing = Framing::kTfRecord, .payloads = SomePayloads(60, 100'000)}});
  const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
  RecordBatch batch;
  const Ordinals ordinals = {5, kRecord, 50};
  for (int time = 0; time < 2; ++time) REQUIRE(reader.CopyInto(ordinals, batch));
  const uint64_t at = dataset.locations()[kRecord].offset;
  const auto fingerprint = [&] { return IdentifyShard(File::OpenRead(dataset.shard_path(0)).value())->fingerprint; };
  const uint64_t before = fingerprint();
  OverwriteAt(dataset.shard_path(0), at, HeaderOf(Framing::kTfRecord, 1));
  REQUIRE(fingerprint() == before);
  CHECK(CopyError(reader, ordinals, batch) == ErrorCode::kStale);
  CHECK(CopyError(dataset.Open({.io = IoMode::kMmap}), ordinals, batch) == ErrorCode::kStale);
  REQUIRE(reader.CopyInto(Ordinals{5, 50}, batch));
  CHECK(PayloadsOf(batch) == Chosen(dataset.payloads(), {5, 50}));
}

}  // namespace
}  // namespace ofindex

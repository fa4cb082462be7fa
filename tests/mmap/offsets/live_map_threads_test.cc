#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mmap/record_reader.h"
#include "tests/mmap/live_deadline.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

// Readers whose map is continuously truncated and rewritten in place; its shards are not touched. OFINDEX_LIVE_SECONDS
// sets the duration; the default is 3.

constexpr int kMapReaders = 4;
constexpr size_t kRecords = 3500;
constexpr uint64_t kHoleBegin = 2000, kHoleEnd = 2500;

bool Live(uint64_t ordinal) { return ordinal < kHoleBegin || ordinal >= kHoleEnd; }

// Returns shards with lengths that depend on `seed`: the offsets of one dataset make no sense in another.
std::vector<ShardPlan> ShardsOf(uint64_t seed) {
  return {{.path = "part-0", .framing = Framing::kOfRecord, .payloads = SomePayloads(kHoleBegin, 60, seed)},
          {.path = "part-1", .payloads = SomePayloads(kHoleEnd - kHoleBegin, 60, seed), .gone = true},
          {.path = "part-2", .framing = Framing::kTfRecord, .payloads = SomePayloads(1000, 90, seed + 1)}};
}

// Returns shards of another dataset, which has its holes elsewhere.
std::vector<ShardPlan> OtherShards() {
  std::vector<ShardPlan> shards = ShardsOf(5);
  std::swap(shards[0], shards[1]);
  return shards;
}

struct Attacked {
  std::string path;
  std::string bytes;        // the dataset's own map
  std::string other_bytes;  // the map of another dataset
  std::mt19937_64 random{7};

  std::string Noise() {
    std::string noise(bytes.size(), '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    return noise;
  }
};

struct MapAttack {
  const char* what;
  void (*run)(Attacked& map);
};

const std::vector<MapAttack> kMapAttacks = {
    {"cut to nothing", [](Attacked& map) { TruncateTo(map.path, 0); }},
    {"cut to a half", [](Attacked& map) { TruncateTo(map.path, map.bytes.size() / 2); }},
    {"cut anywhere", [](Attacked& map) { TruncateTo(map.path, map.random() % map.bytes.size()); }},
    {"zeros", [](Attacked& map) { OverwriteAt(map.path, 0, std::string(map.bytes.size(), '\0')); }},
    {"noise", [](Attacked& map) { OverwriteAt(map.path, 0, map.Noise()); }},
    {"noise behind the header",
     [](Attacked& map) { OverwriteAt(map.path, kMapHeaderBytes, map.Noise().substr(kMapHeaderBytes)); }},
    {"another map, as cp writes it", [](Attacked& map) { WriteFile(map.path, map.other_bytes); }},
    {"another map, as rsync --inplace writes it", [](Attacked& map) { OverwriteAt(map.path, 0, map.other_bytes); }},
};

struct MapTally {
  std::atomic<uint64_t> right{0};
  std::atomic<uint64_t> errors{0};
  std::atomic<uint64_t> wrong{0};
  std::atomic<uint64_t> odd_errors{0};
  std::atomic<const char*> last_wrong{"none"};  // the kind of request

  void Wrong(const char* request) {
    ++wrong;
    last_wrong = request;
  }
};

/// The requests of one thread, one kind after the other.
class Asker {
 public:
  Asker(const MappedDataset& dataset, uint64_t seed, MapTally& tally)
      : dataset_(dataset), random_(seed), tally_(tally) {}

  void AskEach(const RecordReader& reader) {
    const uint64_t ordinal = AnyLive();
    const Result<void> to = reader.CopyTo(ordinal, [this](uint64_t length) {
      copy_.resize(length);
      return copy_.data();
    });
    Count("CopyTo", to, [&] { return IsRight(copy_, ordinal); });
    Count("Copy", reader.Copy(ordinal, copy_), [&] { return IsRight(copy_, ordinal); });
    const auto view = reader.View(ordinal);
    Count("View", view, [&] { return IsRight(*view, ordinal); });
    const auto place = reader.Locate(ordinal);
    Count("Locate", place, [&] { return *place == dataset_.locations()[ordinal]; });
    const auto path = reader.ShardPath(static_cast<uint32_t>(ordinal % 3));
    Count("ShardPath", path, [&] { return path->ends_with("part-" + std::to_string(ordinal % 3)); });
    reader.Prefetch(ordinal, 1);
    if (reader.View(kHoleBegin + random_() % (kHoleEnd - kHoleBegin)).has_value()) tally_.Wrong("View of a hole");

    ordinals_.resize(1 + random_() % 100);
    for (uint64_t& one : ordinals_) one = AnyLive();
    views_.resize(ordinals_.size());
    Count("View of a batch", reader.View(ordinals_, views_), [&] { return AllRight(views_); });
    Count("CopyInto", reader.CopyInto(ordinals_, batch_), [&] { return AllRight(batch_); });
  }

 private:
  [[nodiscard]] uint64_t AnyLive() {
    const uint64_t at = random_() % (kRecords - (kHoleEnd - kHoleBegin));
    return at < kHoleBegin ? at : at + kHoleEnd - kHoleBegin;
  }

  [[nodiscard]] bool IsRight(ByteView bytes, uint64_t ordinal) const {
    return AsText(bytes) == dataset_.payloads()[ordinal];
  }

  template <typename Payloads>
  [[nodiscard]] bool AllRight(const Payloads& payloads) const {
    for (size_t i = 0; i < ordinals_.size(); ++i) {
      if (!IsRight(payloads[i], ordinals_[i])) return false;
    }
    return true;
  }

  template <typename T, typename Right>
  void Count(const char* request, const Result<T>& outcome, Right&& right) {
    if (outcome && right()) {
      ++tally_.right;
      return;
    }
    if (outcome) return tally_.Wrong(request);
    ++tally_.errors;
    tally_.odd_errors += outcome.error().code != ErrorCode::kStale && outcome.error().code != ErrorCode::kIndex;
  }

  const MappedDataset& dataset_;
  std::mt19937_64 random_;
  MapTally& tally_;
  std::vector<uint8_t> copy_;
  std::vector<uint64_t> ordinals_;
  std::vector<ByteView> views_;
  RecordBatch batch_;
};

void Settle() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

// Limits on the bytes of copied blocks: room for none, some or all blocks of a map.
constexpr uint64_t kCopied[] = {0, 1500, kCopiedMapBytes};

TEST_CASE("a map that is truncated or rewritten in place gives right answers or errors, never wrong answers") {
  size_t turn = 0;
  for (const uint32_t block_records : {7U, 100U, 4096U}) {
    for (const MapAttack& attack : kMapAttacks) {
      for (const bool warm : {false, true}) {
        const uint64_t copied = kCopied[turn++ % 3];
        CAPTURE(attack.what);
        CAPTURE(block_records);
        CAPTURE(warm);
        CAPTURE(copied);
        const MappedDataset dataset(ShardsOf(1), block_records);
        const MappedDataset other(OtherShards(), block_records);
        Attacked map{.path = dataset.map_path(),
                     .bytes = ReadFile(dataset.map_path()),
                     .other_bytes = ReadFile(other.map_path())};
        const RecordReader reader = dataset.Open({}, copied);
        MapTally before, during;
        Asker asker(dataset, 3, before);
        if (warm) {
          Settle();
          for (int i = 0; i < 300; ++i) asker.AskEach(reader);
          CHECK(before.errors == 0);
        }
        attack.run(map);
        Settle();
        Asker attacked(dataset, 4, during);
        for (int i = 0; i < 30; ++i) attacked.AskEach(reader);
        CHECK(before.wrong + during.wrong == 0);
        CHECK(during.odd_errors == 0);
        CHECK(during.errors > 0);
      }
    }
  }
}

TEST_CASE("whatever happens to the map, views of copied blocks stay right, and lookups are right or stale") {
  for (const MapAttack& attack : kMapAttacks) {
    CAPTURE(attack.what);
    const MappedDataset dataset(ShardsOf(1), 100);
    const MappedDataset other(OtherShards(), 100);
    Attacked map{
        .path = dataset.map_path(), .bytes = ReadFile(dataset.map_path()), .other_bytes = ReadFile(other.map_path())};
    const RecordReader reader = dataset.Open();
    for (uint64_t i = 0; i < kRecords; ++i) REQUIRE(reader.View(i).has_value() == Live(i));
    attack.run(map);
    Settle();
    uint64_t wrong = 0;
    std::vector<uint64_t> ordinals;
    for (uint64_t i = 0; i < kRecords; ++i) {
      const auto view = reader.View(i);
      if (!Live(i)) wrong += view.has_value();
      if (!Live(i)) continue;
      wrong += !view || AsText(*view) != dataset.payloads()[i];
      const auto place = reader.map().Find(i);
      wrong += place ? place->begin != dataset.locations()[i].offset : place.error().code != ErrorCode::kStale;
      ordinals.push_back(i);
    }
    std::reverse(ordinals.begin(), ordinals.end());
    std::vector<ByteView> views(ordinals.size());
    CHECK(reader.View(ordinals, views).has_value());
    for (size_t i = 0; i < views.size(); ++i) wrong += AsText(views[i]) != dataset.payloads()[ordinals[i]];
    CHECK(wrong == 0);
  }
}

TEST_CASE("a map that is replaced, deleted, touched or linked still gives right answers") {
  const MappedDataset dataset(ShardsOf(1));
  const std::string bytes = ReadFile(dataset.map_path());
  const RecordReader reader = dataset.Open();
  MapTally tally;
  Asker asker(dataset, 3, tally);
  const auto ask = [&] {
    for (int i = 0; i < 30; ++i) asker.AskEach(reader);
  };
  ask();
  SetMtime(dataset.map_path(), 12345);
  ask();
  OverwriteAt(dataset.map_path(), 0, bytes);  // the same bytes
  ask();
  ReplaceFile(dataset.map_path(), std::string(bytes.size(), 'x'));
  ask();
  std::remove(dataset.map_path().c_str());
  ask();
  CHECK(tally.wrong == 0);
  CHECK(tally.errors == 0);
}

TEST_CASE("reading threads survive any change to their map, and return the records or an error") {
  const MappedDataset dataset(ShardsOf(1), 100);
  const MappedDataset other(OtherShards(), 100);
  Attacked map{
      .path = dataset.map_path(), .bytes = ReadFile(dataset.map_path()), .other_bytes = ReadFile(other.map_path())};
  const uint64_t payload_bytes = OffsetMap::Open(dataset.map_path())->header().payload_bytes;
  const Clock::time_point deadline = LiveDeadline();
  MapTally tally;
  std::vector<std::jthread> readers;
  for (int t = 0; t < kMapReaders; ++t) {
    readers.emplace_back([&, t] {
      Asker asker(dataset, static_cast<uint64_t>(t), tally);
      while (Clock::now() < deadline) {
        // Opens the map in any state; checking that it belongs to this dataset is up to users who have an index.
        auto opened = OffsetMap::Open(dataset.map_path(), {}, kCopied[t % 3]);
        if (!opened || opened->header().payload_bytes != payload_bytes) continue;
        const RecordReader reader = RecordReader::Open(std::move(*opened), dataset.folder());
        for (int i = 0; i < 200 && Clock::now() < deadline; ++i) asker.AskEach(reader);
      }
    });
  }
  uint64_t rounds = 0;
  for (; Clock::now() < deadline; ++rounds) {
    if (rounds % 2 == 0) Settle();
    kMapAttacks[map.random() % kMapAttacks.size()].run(map);
    std::this_thread::sleep_for(std::chrono::microseconds(map.random() % 4000));
    WriteFile(map.path, map.bytes);
  }
  readers.clear();
  MESSAGE("answers that were right: ", tally.right.load(), ", refused: ", tally.errors.load(), ", attacks: ", rounds);
  CAPTURE(std::string(tally.last_wrong.load()));
  CHECK(tally.wrong == 0);
  CHECK(tally.odd_errors == 0);
  CHECK(tally.right > 0);
  CHECK(tally.errors > 0);
}

}  // namespace
}  // namespace ofindex

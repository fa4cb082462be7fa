#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mmap/batch/viewed_records.h"
#include "mmap/record_reader.h"
#include "tests/mmap/reading.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"

namespace ofindex {
namespace {

// A tick of the coarse clock is at most 10 ms.
void WaitForATick() { std::this_thread::sleep_for(std::chrono::milliseconds(25)); }

Result<std::string> CopyOne(const RecordReader& reader, uint64_t ordinal) {
  std::string payload;
  OFINDEX_TRY(reader.CopyTo(ordinal, [&](uint64_t length) {
    payload.resize(length);
    return reinterpret_cast<uint8_t*>(payload.data());
  }));
  return payload;
}

// Returns shards whose records end in zeros, and in other bytes.
std::vector<ShardPlan> Endings() {
  std::vector<std::string> payloads;
  for (int i = 0; i < 40; ++i) payloads.push_back(std::string(300, 'a') + std::string(i % 3 == 0 ? 8 : 0, '\0'));
  return {{.path = "part-0", .framing = Framing::kOfRecord, .payloads = payloads},
          {.path = "a.tfrecord", .framing = Framing::kTfRecord, .payloads = payloads}};
}

TEST_CASE("payloads are kept for their views as long as their total is within the limit") {
  constexpr uint64_t kOverhead = 96;  // of each
  ViewedRecords viewed(5 * (100 + kOverhead), 4);
  const auto keep = [&](uint64_t ordinal, size_t length) {
    return viewed.Keep(ordinal, std::make_unique<uint8_t[]>(length), length).has_value();
  };
  CHECK_FALSE(keep(0, 5 * (100 + kOverhead) - kOverhead + 1));
  for (uint64_t ordinal = 0; ordinal < 5; ++ordinal) CHECK(keep(ordinal, 100));
  CHECK_FALSE(keep(5, 0));
  CHECK(viewed.Find(4).has_value());
  CHECK_FALSE(viewed.Find(5).has_value());
}

TEST_CASE("one record is copied to the given buffer, for all reader options, the first time and again") {
  const MappedDataset dataset(MixedShards());
  for (const ReaderOptions& way : AllWays()) {
    const RecordReader reader = dataset.Open(way);
    for (int round = 0; round < 2; ++round) {
      for (uint64_t i = 0; i < reader.size(); ++i) {
        const auto payload = CopyOne(reader, i);
        REQUIRE(payload);
        CHECK(*payload == dataset.payloads()[i]);
      }
    }
    CHECK(CopyOne(reader, reader.size()).error().code == ErrorCode::kOutOfRange);
  }
}

TEST_CASE("if the caller has no buffer for a record, copying it is a kLimit error") {
  const MappedDataset dataset(MixedShards());
  const RecordReader reader = dataset.Open();
  for (int round = 0; round < 2; ++round) {
    const auto copied = reader.CopyTo(3, [](uint64_t) -> uint8_t* { return nullptr; });
    REQUIRE(!copied);
    CHECK(copied.error().code == ErrorCode::kLimit);
  }
}

TEST_CASE("a truncated shard is noticed when a lost record is copied next") {
  const std::vector<ShardPlan> plans = Endings();
  for (size_t shard = 0; shard < plans.size(); ++shard) {
    for (uint64_t record = 0; record < 3; ++record) {
      for (const uint64_t gone : {1U, 4U, 9U, 200U}) {
        CAPTURE(shard);
        CAPTURE(record);
        CAPTURE(gone);
        const MappedDataset dataset(plans);
        const RecordReader reader = dataset.Open();
        const uint64_t ordinal = shard * plans[0].payloads.size() + record;
        REQUIRE(CopyOne(reader, ordinal));
        REQUIRE(CopyOne(reader, ordinal));
        const RecordLocation& place = dataset.locations()[ordinal];
        const uint64_t framing = shard == 0 ? 8 : 16;
        REQUIRE(::truncate(dataset.shard_path(shard).c_str(),
                           static_cast<off_t>(place.offset + framing + place.length - gone)) == 0);
        const auto copied = CopyOne(reader, ordinal);
        REQUIRE(!copied);
        CHECK(copied.error().code == ErrorCode::kStale);
      }
    }
  }
}

TEST_CASE("a shard that has grown is noticed within a tick") {
  const MappedDataset dataset(Endings());
  const RecordReader reader = dataset.Open();
  REQUIRE(CopyOne(reader, 1));
  REQUIRE(CopyOne(reader, 1));
  WriteFile(dataset.shard_path(0), dataset.shard_bytes(0) + "x");
  WaitForATick();
  CHECK(CopyOne(reader, 1).error().code == ErrorCode::kStale);
}

// Returns the views of `ordinal`, alone and in a batch.
std::vector<Result<std::string>> Views(const RecordReader& reader, uint64_t ordinal) {
  const auto text = [](const Result<ByteView>& view) -> Result<std::string> {
    if (!view) return tl::unexpected(view.error());
    return std::string(AsText(*view));
  };
  const std::vector<uint64_t> ordinals = {ordinal, 0, ordinal};
  std::vector<ByteView> views(ordinals.size());
  const Result<void> viewed = reader.View(ordinals, views);
  const Result<ByteView> last = viewed ? Result<ByteView>(views.back()) : tl::unexpected(viewed.error());
  return {text(reader.View(ordinal)), text(last)};
}

TEST_CASE("a view of a rewritten shard is stale, but a view of a shard whose time alone has changed is right") {
  for (const uint64_t copied_map_bytes : {uint64_t{0}, kCopiedMapBytes}) {
    for (const bool warm : {false, true}) {
      CAPTURE(copied_map_bytes);
      CAPTURE(warm);
      const MappedDataset dataset(Endings());
      const RecordReader reader = dataset.Open({}, copied_map_bytes);
      const uint64_t first_of_second = Endings()[0].payloads.size();
      REQUIRE(reader.View(first_of_second));
      if (warm) REQUIRE(reader.View(first_of_second + 1));
      SetMtime(dataset.shard_path(1), 12345);
      WaitForATick();
      for (const auto& view : Views(reader, first_of_second + 1)) CHECK(view.value() == dataset.payloads()[1]);
      std::string other = dataset.shard_bytes(1);
      std::fill(other.begin() + 400, other.end(), 'z');
      OverwriteAt(dataset.shard_path(1), 0, other);
      WaitForATick();
      for (const auto& view : Views(reader, first_of_second + 1)) {
        REQUIRE(!view);
        CHECK(view.error().code == ErrorCode::kStale);
      }
      for (const auto& view : Views(reader, 1)) CHECK(view.value() == dataset.payloads()[1]);
    }
  }
}

}  // namespace
}  // namespace ofindex

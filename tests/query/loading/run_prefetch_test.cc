#include "query/loading/run_prefetch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/mapped_dataset.h"
#include "tests/support/page_cache.h"

namespace ofindex {
namespace {

constexpr uint64_t kRecords = 2000;

MappedDataset OneShard() {
  std::vector<std::string> payloads;
  for (uint64_t i = 0; i < kRecords; ++i) payloads.push_back(std::string(1000, static_cast<char>(i)));
  return MappedDataset({{.path = "part-0", .framing = Framing::kOfRecord, .payloads = std::move(payloads)}}, 500);
}

TEST_CASE("prefetching keeps the order of the records, and reads each run as a whole") {
  const MappedDataset dataset = OneShard();
  const auto reader = std::make_shared<const RecordReader>(dataset.Open());
  Evict(dataset.shard_path(0));
  const std::vector<uint64_t> wanted = {1204, 1201, 1299, 1250, 0};
  size_t given = 0;
  const NextOrdinals order = PrefetchRuns(
      [&](std::span<uint64_t> out) -> OrderStep {
        const size_t count = std::min(out.size(), wanted.size() - given);
        std::copy_n(wanted.begin() + static_cast<ptrdiff_t>(given), count, out.begin());
        given += count;
        return {count, given};
      },
      reader, 100);
  std::vector<uint64_t> out(4);
  const OrderStep step = order(out);
  CHECK(step.count == 4);
  CHECK(step.position == 4);
  CHECK(std::equal(out.begin(), out.end(), wanted.begin()));
  // A background thread soon brings all pages of records 1,200 to 1,299 into memory, although nobody has read them.
  CachedPages pages;
  for (int i = 0; i < 500; ++i) {
    pages = PagesOf(dataset.shard_path(0), 1200 * 1008, 1300 * 1008);
    if (pages.cached == pages.all) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(pages.cached == pages.all);
  CHECK(order(out).count == 1);
}

TEST_CASE("the prefetched runs are those of the block order, or 256 KiB pieces of a dataset that fits in memory") {
  const MappedDataset dataset = OneShard();
  const RecordReader reader = dataset.Open();
  const View all = View::Range(0, kRecords);
  CHECK(RunToPrefetch(BlockShape{.run = 37}, all, reader) == 37);
  CHECK(RunToPrefetch(GlobalShuffle{}, all, reader) == 262);
  CHECK(RunToPrefetch(GlobalShuffle{}, View::Range(0, kRecords / 2), reader) == 0);
  CHECK(RunToPrefetch(WeightedSampling{}, all, reader) == 0);
  const MappedDataset large({{.path = "part-0", .payloads = {std::string(200000, 'x')}}});
  CHECK(RunToPrefetch(GlobalShuffle{}, View::Range(0, 1), large.Open()) == 0);
}

TEST_CASE("prefetching any range of any shards leaves all records readable") {
  const MappedDataset dataset(MixedShards());
  for (const IoMode io : {IoMode::kMmap, IoMode::kPread}) {
    const RecordReader reader = dataset.Open({.io = io});
    reader.Prefetch(0, reader.size());  // over all shards
    reader.Prefetch(0, 0);
    reader.Prefetch(reader.size() - 1, 1);
    std::vector<uint8_t> copy;
    for (uint64_t i = 0; i < reader.size(); ++i) REQUIRE(reader.Copy(i, copy));
  }
}

}  // namespace
}  // namespace ofindex

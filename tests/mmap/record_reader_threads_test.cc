#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "mmap/record_reader.h"
#include "tests/support/child_process.h"
#include "tests/support/mapped_dataset.h"

namespace ofindex {
namespace {

// Copies one record, then a batch that contains it. Returns true if all payloads were right. Allocates nothing once the
// buffers are large enough.
bool CopiesRight(const RecordReader& reader, const std::vector<std::string>& payloads, uint64_t ordinal,
                 std::vector<uint8_t>& copy, RecordBatch& batch) {
  if (!reader.Copy(ordinal, copy) || AsText(copy) != payloads[ordinal]) return false;
  const uint64_t ordinals[] = {ordinal, ordinal / 2, ordinal, 0};
  if (!reader.CopyInto(ordinals, batch)) return false;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (AsText(batch[i]) != payloads[ordinals[i]]) return false;
  }
  return true;
}

// As CopiesRight, and also views the record if the reader supports views.
bool AnswersRight(const RecordReader& reader, const std::vector<std::string>& payloads, uint64_t ordinal,
                  std::vector<uint8_t>& copy, RecordBatch& batch) {
  if (const auto view = reader.View(ordinal); view && AsText(*view) != payloads[ordinal]) return false;
  return CopiesRight(reader, payloads, ordinal, copy, batch);
}

// Returns the number of wrong results in `threads` threads that share one reader, each reading
// `reads` records in its own order.
uint64_t CountWrong(const RecordReader& reader, const std::vector<std::string>& payloads, uint64_t threads, int reads) {
  std::atomic<uint64_t> wrong{0};
  std::vector<std::jthread> team;
  for (uint64_t t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      std::mt19937_64 random(t);
      std::vector<uint8_t> copy;
      RecordBatch batch;
      for (int i = 0; i < reads; ++i) wrong += !AnswersRight(reader, payloads, random() % payloads.size(), copy, batch);
    });
  }
  team.clear();
  return wrong;
}

TEST_CASE("threads that share a reader get the right bytes, even while they open its shards") {
  const MappedDataset dataset(MixedShards());
  for (IoMode io : {IoMode::kMmap, IoMode::kPread}) {
    for (uint64_t limit : {uint64_t{0}, uint64_t{1}}) {
      // A new reader each time, so that the first reads of all threads open the same shards at once.
      for (int round = 0; round < 10; ++round) {
        const RecordReader reader = dataset.Open({.io = io, .max_maps = limit, .max_descriptors = limit});
        CHECK(CountWrong(reader, dataset.payloads(), 4, 50) == 0);
      }
    }
  }
}

// Returns true if a batch of `ordinals` is right, as copies and, if the reader supports them, as views.
bool BatchIsRight(const RecordReader& reader, const std::vector<std::string>& payloads,
                  const std::vector<uint64_t>& ordinals, RecordBatch& batch) {
  std::vector<ByteView> views(ordinals.size());
  const auto viewed = reader.View(ordinals, views);
  if (!reader.CopyInto(ordinals, batch)) return false;
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (viewed && AsText(views[i]) != payloads[ordinals[i]]) return false;
    if (AsText(batch[i]) != payloads[ordinals[i]]) return false;
  }
  return true;
}

TEST_CASE("threads that add the same blocks to the cache at once get the right batches") {
  constexpr int kThreads = 4;
  for (uint32_t block_records : {1U, 7U, 100U}) {
    const MappedDataset dataset(MixedShards(), block_records);
    const std::vector<std::string>& payloads = dataset.payloads();
    for (int round = 0; round < 15; ++round) {
      const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
      std::barrier start(kThreads);
      std::atomic<uint64_t> wrong{0};
      std::vector<std::jthread> team;
      for (int t = 0; t < kThreads; ++t) {
        team.emplace_back([&, t] {
          RecordBatch batch;
          std::vector<uint64_t> ordinals(33);
          // All threads pass through the same blocks together; half of them in reverse order within a batch.
          for (uint64_t first = 0; first + ordinals.size() <= payloads.size(); first += ordinals.size()) {
            for (size_t i = 0; i < ordinals.size(); ++i) {
              ordinals[i] = first + (t % 2 == 0 ? i : ordinals.size() - 1 - i);
            }
            start.arrive_and_wait();
            wrong += !BatchIsRight(reader, payloads, ordinals, batch);
          }
        });
      }
      team.clear();
      REQUIRE(wrong == 0);
    }
  }
}

TEST_CASE("a forked child reads while other threads of its parent read, and so does the parent") {
  const MappedDataset dataset(MixedShards());
  const std::vector<std::string>& payloads = dataset.payloads();
  const uint64_t last_shard = payloads.size() - 37;  // left closed by the parent for the child to open
  for (IoMode io : {IoMode::kMmap, IoMode::kPread}) {
    const RecordReader reader = dataset.Open({.io = io});
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> wrong{0}, reads{0}, ready{0};
    std::vector<std::jthread> team;
    for (int t = 0; t < 3; ++t) {
      team.emplace_back([&] {
        std::vector<uint8_t> copy;
        RecordBatch batch;
        // Reads everything once, so that nothing is allocated later: a fork during an allocation would leave a
        // sanitizer's allocator locked in the child.
        for (uint64_t i = 0; i < last_shard; ++i) wrong += !CopiesRight(reader, payloads, i, copy, batch);
        ++ready;
        for (uint64_t i = 0; !stop; i = (i + 1) % last_shard) {
          wrong += !CopiesRight(reader, payloads, i, copy, batch);
          ++reads;
        }
      });
    }
    while (ready < 3) std::this_thread::yield();
    for (int child = 0; child < 8; ++child) {
      CHECK(RunInChild([&] {
              std::vector<uint8_t> copy;
              RecordBatch batch;
              for (uint64_t i = 0; i < payloads.size(); ++i) {
                if (!AnswersRight(reader, payloads, i, copy, batch)) return 1;
              }
              return 0;
            }) == 0);
    }
    const uint64_t reads_by_then = reads;
    while (reads == reads_by_then && wrong == 0) std::this_thread::yield();
    stop = true;
    team.clear();
    CHECK(wrong == 0);
    CHECK(CountWrong(reader, payloads, 2, 100) == 0);
  }
}

}  // namespace
}  // namespace ofindex

#include "query/sampling/block_choice.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST_CASE("run lengths depend on the storage, the memory and the required mixing, and the reason is given") {
  struct Row {
    ReadingFacts facts;
    uint64_t run;
    const char* reason;
  };
  const std::vector<Row> rows = {
      {{.records = 1'000'000, .payload_bytes = kGiB, .memory_bytes = 16 * kGiB}, 1, "stay in 16.0 GiB of memory"},
      {{.records = 1'000'000'000, .payload_bytes = 500 * kGiB, .memory_bytes = kGiB, .storage = Storage::kMemory},
       1,
       "global"},
      {{.records = 1'000'000, .payload_bytes = 1'000'000 * 64 * 1024ULL, .memory_bytes = 16 * kGiB},
       1,
       "which are read as fast one by one"},
      {{.records = 400'000'000, .payload_bytes = 400'000'000ULL * 1024, .memory_bytes = 64 * kGiB},
       64,
       "read 64.0 KiB at a time"},
      {{.records = 400'000'000,
        .payload_bytes = 400'000'000ULL * 1024,
        .memory_bytes = 64 * kGiB,
        .storage = Storage::kRotating},
       4096,
       "a rotating disk"},
      {{.records = 400'000'000,
        .payload_bytes = 400'000'000ULL * 1024,
        .memory_bytes = 4 * kGiB,
        .storage = Storage::kNetwork},
       2048,
       "a network file system"},
      {{.records = 40'000, .payload_bytes = 40'000 * kMiB, .memory_bytes = 32 * kGiB, .storage = Storage::kRotating},
       4,
       "block 4"},
      {{.records = 1000, .payload_bytes = 1000 * kMiB, .memory_bytes = 64 * kMiB, .storage = Storage::kRotating},
       1,
       "runs of two would not fit"},
      {{.records = 0, .payload_bytes = 0, .memory_bytes = kGiB}, 1, "global"},
      // Compressed shards: 4 lanes of 8 runs, each of which fits in the cache together with two spans.
      {{.records = 4'000'000,
        .payload_bytes = 4'000'000 * 1024ULL,
        .memory_bytes = 16 * kGiB,
        .inflated_bytes = 4'000'000 * 1040ULL,
        .span_bytes = 2 * kMiB,
        .cache_bytes = 320 * kMiB},
       5632,
       "block 5632 in 4 lanes: compressed shards with spans of 2.00 MiB, read 5.50 MiB at a time"},
      {{.records = 4'000'000,
        .payload_bytes = 4'000'000 * 1024ULL,
        .memory_bytes = 16 * kGiB,
        .inflated_bytes = 4'000'000 * 1040ULL,
        .span_bytes = 2 * kMiB,
        .cache_bytes = 64 * kMiB},
       2048,
       "a cache of 208 MiB would hold"},
      {{.records = 1000,
        .payload_bytes = 1000 * 1024,
        .inflated_bytes = 1000 * 1040,
        .span_bytes = kMiB,
        .cache_bytes = 256 * kMiB},
       1,
       "stay in the cache"},
      {{.records = 10'000,
        .payload_bytes = 10'000 * 4 * kMiB,
        .inflated_bytes = 10'000 * 4 * kMiB,
        .span_bytes = 2 * kMiB,
        .cache_bytes = 256 * kMiB},
       1,
       "as large"},
  };
  for (const Row& row : rows) {
    const BlockChoice choice = ChooseBlock(row.facts);
    CHECK_MESSAGE(choice.shape.run == row.run, choice.reason);
    CHECK_MESSAGE(choice.reason.find(row.reason) != std::string::npos, choice.reason);
  }
}

}  // namespace
}  // namespace ofindex

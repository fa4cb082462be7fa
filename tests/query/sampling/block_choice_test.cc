#include "query/sampling/block_choice.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST_CASE("runs are as long as the storage needs, memory bears and mixing allows, and the reason is given") {
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
       "are as fast one by one"},
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
       "of which no two"},
      {{.records = 0, .payload_bytes = 0, .memory_bytes = kGiB}, 1, "global"},
  };
  for (const Row& row : rows) {
    const BlockChoice choice = ChooseBlock(row.facts);
    CHECK_MESSAGE(choice.run == row.run, choice.reason);
    CHECK_MESSAGE(choice.reason.find(row.reason) != std::string::npos, choice.reason);
  }
}

}  // namespace
}  // namespace ofindex

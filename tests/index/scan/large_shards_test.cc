#include "index/scan/large_shards.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "tests/support/files.h"
#include "tests/support/page_cache.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint64_t kLargeBytes = uint64_t{4} << 20;

ProbedShard Shard(const std::string& path, uint64_t bytes, uint64_t mean_record_bytes) {
  WriteFile(path, std::string(bytes, 'x'));
  return {.file = {.path = path, .stored_path = path},
          .identity = {{.size = bytes}, 0},
          .framing = Framing::kTfRecord,
          .mean_record_bytes = mean_record_bytes};
}

TEST_CASE("a large uncached shard is detected among any number of small ones") {
  const TempDir dir;
  std::vector<ProbedShard> shards;
  for (int i = 0; i < 40; ++i) shards.push_back(Shard(dir / ("small-" + std::to_string(i)), 100, 10));
  const std::string large = dir / "large";
  shards.insert(shards.begin() + 17, Shard(large, kLargeBytes, 100'000));
  CHECK(IsLarge(shards[17]));
  CHECK_FALSE(IsLarge(shards[0]));
  // Once cached and once not, as far as this file system supports both.
  if (!File::OpenRead(large)->IsCachedAt(kLargeBytes / 2)) {
    MESSAGE("not run: this file system does not tell what is cached");
    return;
  }
  CHECK(LargeOnesAreCached(shards, 1));
  // A probe begins a read; a fast device may end it before the probe returns, so one answer of several must be right.
  bool cached = true;
  for (int attempt = 0; attempt < 20 && cached; ++attempt) {
    Evict(large);
    if (PagesOf(large, 0, kLargeBytes).cached != 0) {
      MESSAGE("not run: the system keeps pages that it was asked to drop");
      return;
    }
    cached = LargeOnesAreCached(shards, 1);
  }
  CHECK_FALSE(cached);
}

}  // namespace
}  // namespace ofindex

#include "index/large_shards.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint64_t kBytes = uint64_t{4} << 20;

ProbedShard Shard(const std::string& path, uint64_t bytes, uint64_t mean_record_bytes) {
  WriteFile(path, std::string(bytes, 'x'));
  return {.file = {.path = path, .stored_path = path},
          .identity = {.size = bytes},
          .framing = Framing::kTfRecord,
          .mean_record_bytes = mean_record_bytes};
}

// Drops what the page cache has of a file.
bool Drop(const std::string& path) {
  const auto file = File::OpenRead(path);
  return file && ::fsync(file->fd()) == 0 && ::posix_fadvise(file->fd(), 0, 0, POSIX_FADV_DONTNEED) == 0;
}

// False where files cannot be dropped, as in a file system in memory. Asked of a file of its own: to ask for a page has
// the system begin to read it.
bool CanDrop(const TempDir& dir) {
  const std::string path = dir / "probe";
  WriteFile(path, std::string(kBytes, 'x'));
  return Drop(path) && !File::OpenRead(path)->IsCachedAt(kBytes / 2);
}

TEST_CASE("a large shard that is not cached is seen, however many small ones lie around it") {
  const TempDir dir;
  std::vector<ProbedShard> shards;
  for (int i = 0; i < 40; ++i) shards.push_back(Shard(dir / ("small-" + std::to_string(i)), 100, 10));
  const std::string large = dir / "large";
  shards.insert(shards.begin() + 17, Shard(large, kBytes, 100'000));
  CHECK(IsLarge(shards[17]));
  CHECK_FALSE(IsLarge(shards[0]));
  if (!CanDrop(dir) || !Drop(large)) {
    MESSAGE("not run: the page cache of this file system cannot be dropped");
    return;
  }
  CHECK_FALSE(LargeOnesAreCached(shards, 1));
  static_cast<void>(ReadFile(large));
  CHECK(LargeOnesAreCached(shards, 1));
}

}  // namespace
}  // namespace ofindex

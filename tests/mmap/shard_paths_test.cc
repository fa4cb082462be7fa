#include "mmap/shard_paths.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

TEST_CASE("without a root, shards are at the paths in the index") {
  struct Row {
    const char *folder, *stored, *path;
  };
  const Row rows[] = {
      {"", "train/part-0", "train/part-0"},   // the working directory
      {".", "train/part-0", "train/part-0"},  // the same
      {"/data", "train/part-0", "/data/train/part-0"},
      {"/data/", "train/part-0", "/data/train/part-0"},
      {"/data", "../train/part-0", "/data/../train/part-0"},
      {"/data", "/elsewhere/part-0", "/elsewhere/part-0"},  // absolute paths stay
      {"/", "part-0", "/part-0"},
  };
  for (const Row& row : rows) CHECK(ShardPaths(row.folder).PathOf(row.stored) == row.path);
}

TEST_CASE("with a root, shards lie in the dataset's folder below it, or in the root itself") {
  struct Row {
    const char* there;   // below the root
    const char* stored;  // in the index
    size_t data_dir_bytes;
    const char* found;  // below the root
  };
  const Row rows[] = {
      {"train/part-0", "train/part-0", 6, "train/part-0"},  // the parent of the folder was copied
      {"part-0", "train/part-0", 6, "part-0"},              // the folder itself was copied
      {"missing", "train/part-0", 6, "part-0"},             // neither: an error will name this path
      {"part-0", "part-0", 0, "part-0"},                    // there is no common folder
      {"part-0", "../train/part-0", 9, "part-0"},           // the index is next to the data folder
      {"part-0", "/somewhere/train/part-0", 17, "part-0"},  // the index is on another disk
      {"part-0", "p", 99, "p"},                             // a forged map: the folder is longer than the path
  };
  for (const Row& row : rows) {
    const TempDir dir;
    std::filesystem::create_directories(std::filesystem::path(dir / row.there).parent_path());
    WriteFile(dir / row.there, "");
    CAPTURE(row.stored);
    CHECK(ShardPaths(dir.path(), row.stored, row.data_dir_bytes).PathOf(row.stored) == dir / row.found);
  }
}

TEST_CASE("with a root, shards are never taken from the original folder") {
  const TempDir dir;
  for (const char* folder : {"data/train", "copy"}) {
    std::filesystem::create_directories(dir / folder);
    WriteFile(dir / folder + "/part-0", folder);
  }
  // Relative to an index in dir/index, and as in an index on another disk.
  for (const std::string& stored : {std::string("../data/train/part-0"), dir / "data/train/part-0"}) {
    const ShardPaths paths(dir / "copy", stored, stored.size() - std::string("part-0").size());
    CHECK(ReadFile(paths.PathOf(stored)) == "copy");
  }
}

}  // namespace
}  // namespace ofindex

#include "index/catalog/paths.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "index/catalog/catalog.h"
#include "tests/index/working_folder.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

std::string Value(const Result<std::string>& result) { return result ? *result : "error: " + result.error().message; }

TEST_CASE("an index is named after its data and lies next to it") {
  struct Row {
    std::string data;
    std::string index;
  };
  const std::vector<Row> rows = {
      {"train", "train.ofidx"},                      // a folder or a file
      {"train/", "train.ofidx"},                     // with a trailing slash
      {"train//", "train.ofidx"},                    // or two
      {"./train", "train.ofidx"},                    // from here
      {"train/.", "train.ofidx"},                    // the folder itself
      {"data/train", "data/train.ofidx"},            // in a folder
      {"data//train/", "data/train.ofidx"},          // in any spelling
      {"../train", "../train.ofidx"},                // above
      {"/data/train", "/data/train.ofidx"},          // absolute
      {"part-0.tfrecord", "part-0.tfrecord.ofidx"},  // a file keeps its suffix
      {"a b\nc", "a b\nc.ofidx"},                    // names are bytes
      {".hidden", ".hidden.ofidx"},                  // a leading dot
  };
  for (const Row& row : rows) {
    CAPTURE(row.data);
    CHECK(Value(IndexPathOf(row.data)) == row.index);
  }
}

TEST_CASE("a folder without a name of its own takes its name from the file system") {
  const TempDir dir;
  fs::create_directories(dir / "data/train");
  const InFolder in(dir / "data/train");
  const std::string data = fs::canonical(dir / "data");
  for (const char* here : {".", "./", "../train/."}) CHECK(Value(IndexPathOf(here)).ends_with("train.ofidx"));
  CHECK(Value(IndexPathOf(".")) == data + "/train.ofidx");
  CHECK(Value(IndexPathOf("..")) == data + ".ofidx");
  CHECK(Value(IndexPathOf("../..")) == fs::canonical(dir.path()).string() + ".ofidx");
  const Result<std::string> root = IndexPathOf("/");
  REQUIRE(!root.has_value());
  CHECK(root.error().code == ErrorCode::kUsage);
}

TEST_CASE("below a folder for indexes, the absolute path of the data is continued, links resolved") {
  const TempDir dir;
  fs::create_directories(dir / "data/train");
  fs::create_directory_symlink("data", dir / "link");
  const InFolder in(dir / "data");
  const std::string data = fs::canonical(dir / "data");
  for (const char* name : {"train", "train/", "./train/.", "../link/train", "../data/../link/train"}) {
    CAPTURE(name);
    CHECK(Value(IndexPathBelow("/idx", name)) == "/idx" + data + "/train.ofidx");
    CHECK(Value(IndexPathBelow("idx/", name)) == "idx" + data + "/train.ofidx");
  }
  CHECK(Value(IndexPathBelow("/idx", ".")) == "/idx" + data + ".ofidx");
  CHECK(Value(IndexPathBelow("/idx", "gone/part-0")) == "/idx" + data + "/gone/part-0.ofidx");
  for (const char* name : {"", "/"}) {
    const Result<std::string> found = IndexPathBelow("/idx", name);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("an empty path is an error that says so") {
  for (const Result<std::string>& found : {IndexPathOf(""), RelativeTo("", "/tmp")}) {
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::kUsage);
    CHECK(found.error().message == "'' is not a path: it is empty");
  }
}

TEST_CASE("the map of an index is named after it") { CHECK(MapPathOf("train.ofidx") == "train.ofidx-map"); }

TEST_CASE("a path is stored relative to the index, as the system resolves it") {
  const TempDir dir;
  fs::create_directories(dir / "data/train");
  fs::create_directories(dir / "disk/deep/inner");
  fs::create_directories(dir / "here");
  fs::create_directory_symlink(dir / "disk/deep/inner", dir / "here/link");
  fs::create_symlink(dir / "disk/deep/inner", dir / "here/leaf");
  const InFolder in(dir / "here");
  struct Row {
    std::string path;
    std::string folder;
    std::string stored;
  };
  const std::vector<Row> rows = {
      {"a", ".", "a"},                                // next to the index
      {"./a", ".", "a"},                              // in any spelling
      {"x//a/", ".", "x/a"},                          // a folder, with a slash
      {"../data/train/a", "../data", "train/a"},      // the index above it
      {"../data/train/a", "../data/train", "a"},      // the index next to it
      {"../data/a", ".", "../data/a"},                // another branch
      {"../data/a", "../disk/deep", "../../data/a"},  // far away
      {"link/a", ".", "../disk/deep/inner/a"},        // a link on the way is followed
      {"link", ".", "link"},                          // a link at the end is kept
      {"leaf", "../data", "../here/leaf"},            // from another folder, too
      {"link/../a", ".", "../disk/deep/a"},           // ".." after a link is above its target
      {"link/..", ".", "../disk/deep"},               // at the end too
      {"../here/./a", ".", "a"},                      // back at the start
      {"a", "link", "../../../here/a"},               // the index after a link
      {"a", "link/..", "../../here/a"},               // and above a link's target
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CAPTURE(row.folder);
    CHECK(Value(RelativeTo(row.path, row.folder)) == row.stored);
  }
}

TEST_CASE("the index lies next to its data even if the path of the data goes through a link") {
  const TempDir dir;
  fs::create_directories(dir / "disk/deep/inner");
  fs::create_directories(dir / "disk/deep/train");
  fs::create_directory_symlink(dir / "disk/deep/inner", dir / "link");
  const InFolder in(dir.path());
  const std::string index = Value(IndexPathOf("link/../train"));
  WriteFile(index, "x");
  CHECK(fs::exists(dir / "disk/deep/train.ofidx"));
}

TEST_CASE("the common folder of several paths consists of whole names") {
  struct Row {
    std::vector<std::string> paths;
    size_t bytes;
  };
  const std::vector<Row> rows = {
      {{"train/a", "train/b"}, 6},             // one folder for all
      {{"train/x/a", "train/y/b"}, 6},         // the common part of two
      {{"train-1/a", "train-2/b"}, 0},         // half a name in common
      {{"a", "b"}, 0},                         // none
      {{"../x/a", "../x/b"}, 5},               // above the index
      {{"/x/a", "/x/b"}, 3},                   // absolute
      {{"train/a", "train/a/b"}, 6},           // a file and a folder with one name
      {{"", "a"}, 0},                          // nothing
      {{"a/b/c/1", "a/b/c/2", "a/b/d/3"}, 4},  // the last path shortens it
      {{"a/b/c", "x", "a/b/d"}, 0},            // one path elsewhere is enough
      {{"train/a"}, 6},                        // a single path
      {{}, 0},                                 // none
  };
  for (const Row& row : rows) {
    std::vector<ShardRow> shards;
    for (const std::string& path : row.paths) shards.push_back({.path = path, .identity = {}});
    CAPTURE(row.paths.size());
    CHECK(CommonFolderBytes(shards) == row.bytes);
    std::reverse(shards.begin(), shards.end());
    CHECK(CommonFolderBytes(shards) == row.bytes);
  }
}

}  // namespace
}  // namespace ofindex

#include "index/shards/shard_set.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/index/working_folder.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// A working directory in which to create and find files.
class Folder {
 public:
  Folder() : in_(dir_.path()) {}

  // Creates files with different contents, and their folders.
  void Make(const Names& names) {
    for (const std::string& name : names) {
      fs::create_directories((fs::path(dir_.path()) / name).parent_path());
      WriteFile(dir_ / name, name);
    }
  }

  [[nodiscard]] std::string path() const { return dir_.path(); }

 private:
  TempDir dir_;
  InFolder in_;
};

ShardSet Find(const Names& data, const std::string& index = "out.ofidx") {
  Result<ShardSet> set = FindShards(data, index);
  REQUIRE_MESSAGE(set.has_value(), set.error().message);
  return std::move(*set);
}

Names StoredPaths(const ShardSet& set) {
  Names names;
  for (const Candidate& candidate : set.candidates) names.push_back(candidate.stored_path);
  return names;
}

Names Skipped(const ShardSet& set) {
  Names names;
  for (const SkippedFile& file : set.skipped) names.push_back(file.path + ": " + file.reason);
  return names;
}

ErrorCode CodeOf(const Names& data) {
  const Result<ShardSet> set = FindShards(data, "out.ofidx");
  REQUIRE(!set.has_value());
  return set.error().code;
}

TEST_CASE("unfinished files of a writer are skipped and reported, in a folder or a glob") {
  Folder folder;
  folder.Make({"data/part-0", "data/part-1.ofindex-draft", "data/train.tfrecord.ofindex-draft",
               "data/x.ofindex-draft/part-0", "data.ofindex-draft/part-0"});
  const auto skipped = [](const ShardSet& set) {
    Names names;
    for (const SkippedFile& file : set.skipped) {
      names.push_back(file.path);
      CHECK(file.reason == "a file or folder that a writer has not finished");
    }
    return names;
  };
  for (const char* data : {"data", "data/"}) {
    const ShardSet set = Find({data});
    CHECK(StoredPaths(set) == Names{"data/part-0"});
    CHECK(skipped(set) == Names{"data/part-1.ofindex-draft", "data/train.tfrecord.ofindex-draft",
                                "data/x.ofindex-draft", "data.ofindex-draft"});
  }
  const ShardSet globbed = Find({"data/part-*"});
  CHECK(StoredPaths(globbed) == Names{"data/part-0"});
  CHECK(skipped(globbed) == Names{"data/part-1.ofindex-draft"});
}

TEST_CASE("shards that an interrupted writer was replacing are refused, by folder, glob or name") {
  for (const auto& [mark, covers_other] : {std::pair("", true), std::pair("part-0", false)}) {
    Folder folder;
    folder.Make({"data/part-0", "data/sub/part-1", "data/part-2"});
    WriteFile("data/_ofindex_unfinished", mark);
    CHECK(CodeOf({"data"}) == ErrorCode::kFormat);
    CHECK(CodeOf({"data/part-*"}) == ErrorCode::kFormat);
    CHECK(CodeOf({"data/part-0"}) == ErrorCode::kFormat);
    CHECK(StoredPaths(Find({"data/sub"})) == Names{"data/sub/part-1"});
    if (covers_other) CHECK(CodeOf({"data/part-2"}) == ErrorCode::kFormat);
    if (!covers_other) CHECK(StoredPaths(Find({"data/part-2"})) == Names{"data/part-2"});
  }
}

TEST_CASE("the files of a folder and its subfolders come in natural order") {
  Folder folder;
  folder.Make(
      {"d/part-10", "d/part-9", "d/part-1", "d/sub/part-2", "d/a", "d/b.tfrecord", "d/number=2/x", "d/number=10/x"});
  CHECK(StoredPaths(Find({"d"})) == Names{"d/a", "d/b.tfrecord", "d/number=2/x", "d/number=10/x", "d/part-1",
                                          "d/part-9", "d/part-10", "d/sub/part-2"});
}

TEST_CASE("names that begin with a dot or an underscore, and indexes, are skipped silently") {
  Folder folder;
  folder.Make({"d/part-0", "d/.part-0.crc", "d/_SUCCESS", "d/_temporary/part-0", "d/.git/x", "d/x.ofidx",
               "d/x.ofidx-map", "d/x.ofidx.ofindex-draft", "d/a_b", "d/a.b"});
  const ShardSet set = Find({"d"});
  CHECK(StoredPaths(set) == Names{"d/a.b", "d/a_b", "d/part-0"});
  CHECK(set.skipped.empty());
}

TEST_CASE("a file given as an argument is a shard, whatever its name") {
  Folder folder;
  folder.Make({"_part", ".hidden"});
  CHECK(StoredPaths(Find({"_part", ".hidden"})) == Names{".hidden", "_part"});
}

TEST_CASE("a file given by several arguments is one shard") {
  Folder folder;
  folder.Make({"d/a", "d/b"});
  const ShardSet set = Find({"d", "d/a", "./d//b", "d/", folder.path() + "/d/a"});
  CHECK(StoredPaths(set) == Names{"d/a", "d/b"});
  CHECK(set.skipped.empty());
  CHECK(set.sources == Names{"d", "d/a", "d/b", "d", "d/a"});
}

TEST_CASE("the paths of shards are stored relative to the index, wherever it lies") {
  Folder folder;
  folder.Make({"data/train/part-0", "other/x"});
  CHECK(StoredPaths(Find({"data/train"}, "data/train.ofidx")) == Names{"train/part-0"});
  CHECK(StoredPaths(Find({"data/train"}, "other/i.ofidx")) == Names{"../data/train/part-0"});
  CHECK(StoredPaths(Find({"data/train"}, "data/train/i.ofidx")) == Names{"part-0"});
  CHECK(StoredPaths(Find({folder.path() + "/data/train/"}, "data/i.ofidx")) == Names{"train/part-0"});
  const ShardSet set = Find({"data/train"}, "other/i.ofidx");
  CHECK(set.candidates[0].path == "data/train/part-0");
  CHECK(set.sources == Names{"../data/train"});
}

TEST_CASE("a file is stored under one path, in any spelling and from any working directory") {
  Folder folder;
  folder.Make({"w/d/a", "w/d/b", "w/d/sub/a", "w/d/sub/x", "w/e/a", "w/index/z"});
  fs::create_directory_symlink("../d/sub", "w/e/link");  // e/link/../a is d/a
  const std::string w = folder.path() + "/w";
  const Names all = {"../d/a", "../d/b", "../d/sub/a", "../d/sub/x", "../e/a", "z"};
  struct Row {
    std::string from;  // the working directory
    Names data;
  };
  const std::vector<Row> rows = {
      {"w", {"d", "e/a", "index"}},                                   // folders
      {"w", {"index/", "./e/a", "d/."}},                              // and their spellings
      {"w", {"d/a", "d/b", "d/sub/a", "d/sub/x", "e/a", "index/z"}},  // one by one
      {"w", {"d/sub/a", "d/a", "e/a", "d/sub/x", "d/b", "index/z"}},  // with folders that alternate
      {"w", {"d/a", "./d/b", "d//sub/a", "d/./sub/x", "d/../e/a", "d/sub/../../index/z"}},  // roundabout
      {"w", {"d//a", "d//b", "d//sub//a", ".//d/sub/x", "e/./a", "index//z"}},              // with more slashes
      {"w", {"d/*", "e/a", "in*/z"}},                                                       // globs
      {"w", {"./d/?", "d//sub/*", "*/../e/a", "index/[z]"}},                                // and their spellings
      {"w", {"e/link/../a", "e/link/../b", "e/link/a", "e/link/x", "e/a", "index/z"}},      // after a link
      {"w", {w + "/d/a", w + "/d/b", "d/sub", w + "//e/a", w + "/index/../index/z"}},       // absolute
      {"w", {"@list"}},                                                                     // listed
      {"w/index", {"../d", "../e/a", "z"}},                                                 // from the index's folder
      {"w/index", {"../d", "../e/a", "."}},                                                 // which is DATA itself
      {"w/index", {"../d", "../e/a", "./z"}},                                               // in every spelling
      {"w/index", {"../d", "../e/a", "../index"}},                                          //
      {"w/d/sub", {"../a", "../b", "a", "x", "../../e/a", "../../index"}},                  // from another
      {"w/d/sub", {"..", "../../e/a", "../../index/z"}},                                    //
      {"w/e/link", {"..", "../../e/a", "../../index/z"}},                                   // through a link
      {"", {"w/d", "w/e/a", "w/index"}},                                                    // from above
  };
  WriteFile("w/list", "d/a\nd/b\nd/sub\n./e/a\nindex//z\n");
  for (const Row& row : rows) {
    CAPTURE(row.from);
    CAPTURE(row.data.front());
    const InFolder in(folder.path() + "/" + row.from);
    CHECK(StoredPaths(Find(row.data, w + "/index/out.ofidx")) == all);
    CHECK(StoredPaths(Find(row.data, fs::relative(w + "/index/out.ofidx").string())) == all);
    const Names backwards(row.data.rbegin(), row.data.rend());
    CHECK(StoredPaths(Find(backwards, w + "/index/out.ofidx")) == all);
  }
}

TEST_CASE("one inode is one shard: links are reported and skipped") {
  Folder folder;
  folder.Make({"d/a", "d/b"});
  fs::create_hard_link("d/a", "d/hard");
  fs::create_symlink("b", "d/soft");
  fs::create_symlink("nothing", "d/dangling");
  const ShardSet set = Find({"d"});
  CHECK(StoredPaths(set) == Names{"d/a", "d/b"});
  CHECK(Skipped(set) ==
        Names{"d/dangling: a dangling link", "d/hard: the same file as d/a", "d/soft: the same file as d/b"});
}

TEST_CASE("a link to a file elsewhere is a shard, under the link's name") {
  Folder folder;
  folder.Make({"store/blob-1", "store/blob-2"});
  fs::create_directory("d");
  fs::create_symlink("../store/blob-2", "d/part-0");
  fs::create_symlink("../store/blob-1", "d/part-1");
  fs::create_directory_symlink("d", "link");
  CHECK(StoredPaths(Find({"d"})) == Names{"d/part-0", "d/part-1"});
  CHECK(StoredPaths(Find({"link"})) == Names{"d/part-0", "d/part-1"});
}

TEST_CASE("a dangling link is skipped with its reason, unless it is an argument") {
  Folder folder;
  folder.Make({"d/a"});
  fs::create_symlink("self", "d/self");
  fs::create_symlink("pong", "d/ping");
  fs::create_symlink("ping", "d/pong");
  fs::create_symlink("a/b", "d/through");  // a is not a folder
  const Names skipped = {"d/ping: a link that leads back to itself", "d/pong: a link that leads back to itself",
                         "d/self: a link that leads back to itself", "d/through: a dangling link"};
  for (const char* data : {"d", "d/*"}) {
    const ShardSet set = Find({data});
    CHECK(StoredPaths(set) == Names{"d/a"});
    CHECK(Skipped(set) == skipped);
  }
  for (const char* data : {"d/self", "d/ping", "d/through"}) CHECK(CodeOf({data}) == ErrorCode::kIo);
}

TEST_CASE("folder links that form a loop are skipped and reported") {
  Folder folder;
  folder.Make({"d/a", "d/sub/b"});
  fs::create_directory_symlink("..", "d/sub/up");
  fs::create_directory_symlink(".", "d/self");
  const ShardSet set = Find({"d"});
  CHECK(StoredPaths(set) == Names{"d/a", "d/sub/b"});
  CHECK(Skipped(set) == Names{"d/self: the same folder as d", "d/sub/up: the same folder as d"});
}

TEST_CASE("a FIFO and a socket are reported and never opened") {
  Folder folder;
  folder.Make({"d/a"});
  REQUIRE(::mkfifo("d/fifo", 0600) == 0);
  CHECK(Skipped(Find({"d"})) == Names{"d/fifo: a FIFO, not a regular file"});
  CHECK(Skipped(Find({"d/fifo", "d/a"})) == Names{"d/fifo: a FIFO, not a regular file"});
}

TEST_CASE("a glob is expanded, unless a file has exactly that name") {
  Folder folder;
  folder.Make({"d/part-2", "d/part-10", "d/other", "d/_part-0", "sub/part-1", "odd[1]"});
  CHECK(StoredPaths(Find({"d/part-*"})) == Names{"d/part-2", "d/part-10"});
  CHECK(StoredPaths(Find({"*/part-?"})) == Names{"d/part-2", "sub/part-1"});
  CHECK(StoredPaths(Find({"d/*"})) == Names{"d/other", "d/part-2", "d/part-10"});
  CHECK(StoredPaths(Find({"s*"})) == Names{"sub/part-1"});
  CHECK(StoredPaths(Find({"odd[1]"})) == Names{"odd[1]"});
  CHECK(CodeOf({"d/nothing*"}) == ErrorCode::kUsage);
}

TEST_CASE("each line of a list is a path, with any kind of line ending, and empty lines are ignored") {
  Folder folder;
  folder.Make({"d/a", "d/b", "d/c d", "e/x"});
  WriteFile("list", "d/b\r\n\nd/c d\ne\nd/a");
  const ShardSet set = Find({"@list"});
  CHECK(StoredPaths(set) == Names{"d/a", "d/b", "d/c d", "e/x"});
  CHECK(set.sources == Names{"@list"});
  WriteFile("wrong", "d/a\nmissing\n");
  CHECK(CodeOf({"@wrong"}) == ErrorCode::kIo);
  CHECK(CodeOf({"@none"}) == ErrorCode::kIo);
  const Result<ShardSet> folder_as_list = FindShards({"@d"}, "out.ofidx");
  REQUIRE(!folder_as_list.has_value());
  CHECK(folder_as_list.error().code == ErrorCode::kIo);
  CHECK(folder_as_list.error().message == "d: cannot read the list: Is a directory");
  WriteFile("empty", "");
  CHECK(StoredPaths(Find({"@empty"})).empty());
}

TEST_CASE("a missing file is an error that names it") {
  Folder folder;
  const Result<ShardSet> set = FindShards({"missing"}, "out.ofidx");
  REQUIRE(!set.has_value());
  CHECK(set.error().code == ErrorCode::kUsage);
  CHECK(set.error().message == "missing: no such file or folder");
}

TEST_CASE("two names that differ only in leading zeros are refused, unless both are arguments") {
  Folder folder;
  folder.Make({"d/part-1", "d/part-01", "e/part-1", "e/part-02", "f/a1b2", "f/a01b2"});
  CHECK(CodeOf({"d"}) == ErrorCode::kFormat);
  CHECK(CodeOf({"d/part*"}) == ErrorCode::kFormat);
  CHECK(CodeOf({"d/part-1", "d"}) == ErrorCode::kFormat);
  CHECK(CodeOf({"f"}) == ErrorCode::kFormat);
  CHECK(StoredPaths(Find({"d/part-1", "d/part-01"})) == Names{"d/part-01", "d/part-1"});
  CHECK(StoredPaths(Find({"e"})) == Names{"e/part-1", "e/part-02"});
  WriteFile("list", "d/part-01\nd/part-1\n");
  CHECK(StoredPaths(Find({"@list"})).size() == 2);
}

TEST_CASE("missing shards of a set are reported, except a shard that is a link to another") {
  Folder folder;
  folder.Make({"d/x-00000-of-00004", "d/x-00003-of-00004"});
  fs::create_hard_link("d/x-00000-of-00004", "d/x-00001-of-00004");
  const ShardSet set = Find({"d"});
  CHECK(set.missing == Names{"d/x-00002-of-00004"});
  CHECK(Skipped(set) == Names{"d/x-00001-of-00004: the same file as d/x-00000-of-00004"});
}

}  // namespace
}  // namespace ofindex

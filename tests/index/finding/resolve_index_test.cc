#include "index/finding/resolve_index.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "index/catalog/paths.h"
#include "tests/index/working_folder.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

std::string ResolvedTo(const Result<std::string>& result) {
  return result ? *result : "error: " + result.error().message;
}

TEST_CASE("a name that ends in .ofidx is the index itself") {
  const TempDir dir;
  fs::create_directories(dir / "data/train");
  WriteFile(dir / "data/train.ofidx", "x");
  const InFolder in(dir.path());
  CHECK(ResolvedTo(ResolveIndex("data/train.ofidx")) == "data/train.ofidx");
  CHECK(ResolvedTo(ResolveIndex("data/train")) == "data/train.ofidx");
  CHECK(ResolvedTo(ResolveIndex("data/train/")) == "data/train.ofidx");
}

TEST_CASE("a name that is empty, or the map of an index, is an error") {
  const Result<std::string> none = ResolveIndex("");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kUsage);
  CHECK(none.error().message == "'' is not a path: it is empty");
  const Result<std::string> map = ResolveIndex("train.ofidx-map");
  REQUIRE_FALSE(map);
  CHECK(map.error().code == ErrorCode::kUsage);
  CHECK(map.error().hint.text() == "name train.ofidx");
}

TEST_CASE("an index that is nowhere is an error, by any name") {
  const TempDir dir;
  fs::create_directories(dir / "data/train");
  const InFolder in(dir.path());
  for (const char* name : {"data/train", "data/train/", "data/train.ofidx", "data/trian", "data/trian.ofidx"}) {
    CAPTURE(name);
    const Result<std::string> found = ResolveIndex(name);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::kNotFound);
  }
}

TEST_CASE("a place that cannot be looked into does not hide an index that is there") {
  const TempDir dir;
  fs::create_directories(dir / "data/train");
  WriteFile(dir / "data/train.ofidx", "x");
  WriteFile(dir / "file", "x");  // a folder below it cannot be looked into, even by root
  const InFolder in(dir.path());
  const std::string folder = IndexFolder();
  fs::create_symlink("loop", dir / "loop");
  for (const char* place : {"loop", "file"}) {
    CAPTURE(place);
    ::setenv("OFINDEX_INDEX_DIR", (dir / place).c_str(), 1);
    CHECK(ResolvedTo(ResolveIndex("data/train")) == "data/train.ofidx");
  }
  folder.empty() ? ::unsetenv("OFINDEX_INDEX_DIR") : ::setenv("OFINDEX_INDEX_DIR", folder.c_str(), 1);
}

TEST_CASE("a name that is too long to have an index is found by none") {
  const TempDir dir;
  const std::string name(252, 'a');
  WriteFile(dir / name, "x");
  const InFolder in(dir.path());
  const auto found = FindIndex(name);
  REQUIRE(found);
  CHECK_FALSE(found->has_value());
  const auto missing = FindIndex("missing");
  REQUIRE(missing);
  CHECK_FALSE(missing->has_value());
}

}  // namespace
}  // namespace ofindex

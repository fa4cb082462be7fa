#include "index/finding/resolve_index.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/index/working_folder.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

std::string Value(const Result<std::string>& result) { return result ? *result : "error: " + result.error().message; }

TEST_CASE("a name that ends in .ofidx is the index itself") {
  const TempDir dir;
  fs::create_directories(dir / "data/train");
  WriteFile(dir / "data/train.ofidx", "x");
  const InFolder in(dir.path());
  CHECK(Value(ResolveIndex("data/train.ofidx")) == "data/train.ofidx");
  CHECK(Value(ResolveIndex("data/train")) == "data/train.ofidx");
  CHECK(Value(ResolveIndex("data/train/")) == "data/train.ofidx");
}

TEST_CASE("a name that is empty, or the map of an index, is an error") {
  const Result<std::string> none = ResolveIndex("");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kUsage);
  CHECK(none.error().message == "a path is empty");
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

}  // namespace
}  // namespace ofindex

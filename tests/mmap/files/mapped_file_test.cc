#include "mmap/files/mapped_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

TEST_CASE("a map keeps the bytes of a file after the file is deleted and its descriptor is closed") {
  const TempDir dir;
  const std::string bytes(10'000, 'x');
  WriteFile(dir / "f", bytes);
  MappedFile first = MappedFile::Map(File::OpenRead(dir / "f").value(), bytes.size()).value();
  std::filesystem::remove(dir / "f");
  const MappedFile map = std::move(first);
  CHECK(AsText(map.bytes()) == bytes);
}

TEST_CASE("an empty file is an empty view, and may be prefetched") {
  const TempDir dir;
  WriteFile(dir / "f", "");
  const auto map = MappedFile::Map(File::OpenRead(dir / "f").value(), 0);
  REQUIRE(map);
  CHECK(map->bytes().empty());
  map->AdviseRandom();
  map->Prefetch(0, 0);
}

TEST_CASE("a file larger than the address space is a kLimit error with a hint") {
  const TempDir dir;
  WriteFile(dir / "f", "abc");
  const auto map = MappedFile::Map(File::OpenRead(dir / "f").value(), uint64_t{1} << 62);
  REQUIRE_FALSE(map);
  CHECK(map.error().code == ErrorCode::kLimit);
  CHECK(map.error().hint.text().find("io=pread") != std::string::npos);
}

TEST_CASE("prefetching bytes outside the file does nothing") {
  const TempDir dir;
  WriteFile(dir / "f", std::string(10'000, 'x'));
  const MappedFile map = MappedFile::Map(File::OpenRead(dir / "f").value(), 10'000).value();
  for (uint64_t offset : {uint64_t{0}, uint64_t{9'999}, uint64_t{10'000}, ~uint64_t{0}}) {
    for (uint64_t n : {uint64_t{0}, uint64_t{1}, uint64_t{10'000}, ~uint64_t{0}}) map.Prefetch(offset, n);
  }
  CHECK(map.bytes()[9'999] == 'x');
}

}  // namespace
}  // namespace ofindex

#include <doctest/doctest.h>

#include <initializer_list>
#include <set>
#include <string>

#include "base/checksum.h"
#include "base/shard_identity.h"
#include "tests/support/files.h"
#include "tests/support/random_bytes.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint64_t kKiB = 1024;

std::string BytesOfSize(uint64_t n) { return RandomBytes(n, n); }

Result<uint64_t> FingerprintOf(const std::string& path, uint64_t size) {
  auto file = File::OpenRead(path);
  REQUIRE(file);
  return Fingerprint(*file, size);
}

uint64_t FingerprintOf(const std::string& path) { return FingerprintOf(path, StatFile(path)->size).value(); }

// Counts the bytes that a fingerprint reads, by flipping one bit in every range of `step` bytes.
uint64_t CountNoticedFlips(const TempDir& dir, const std::string& bytes, uint64_t step) {
  WriteFile(dir / "f", bytes);
  const uint64_t sound = FingerprintOf(dir / "f");
  uint64_t noticed = 0;
  for (uint64_t at = 0; at < bytes.size(); at += step) {
    FlipBit(dir / "f", at, 3);
    noticed += FingerprintOf(dir / "f") != sound;
    FlipBit(dir / "f", at, 3);
  }
  CHECK(FingerprintOf(dir / "f") == sound);
  return noticed;
}

TEST_CASE("flipping any bit of a file of up to 64 KiB changes its fingerprint") {
  const TempDir dir;
  for (uint64_t size : {1 * kKiB, 64 * kKiB - 1, 64 * kKiB}) {
    const uint64_t step = size <= kKiB ? 1 : 61;
    CHECK(CountNoticedFlips(dir, BytesOfSize(size), step) == (size + step - 1) / step);
  }
}

TEST_CASE("in a large file, both ends and eight pages in between are read") {
  const TempDir dir;
  constexpr uint64_t kPage = 4 * kKiB;
  // Both ends are 16 KiB, 4 pages; if the size is a whole number of pages, no page is read in part.
  CHECK(CountNoticedFlips(dir, BytesOfSize(1024 * kKiB), kPage) == 4 + 8 + 4);
}

TEST_CASE("the first and the last byte of a large file are covered") {
  const TempDir dir;
  for (uint64_t size : {64 * kKiB + 1, 1000 * kKiB + 7}) {
    WriteFile(dir / "f", BytesOfSize(size));
    const uint64_t sound = FingerprintOf(dir / "f");
    for (uint64_t at : {uint64_t{0}, 16 * kKiB - 1, size - 16 * kKiB, size - 1}) {
      CAPTURE(at);
      FlipBit(dir / "f", at, 0);
      CHECK(FingerprintOf(dir / "f") != sound);
      FlipBit(dir / "f", at, 0);
    }
  }
}

TEST_CASE("files of zeros have a different fingerprint for every size around 64 KiB") {
  const TempDir dir;
  WriteFile(dir / "f", "");
  std::set<uint64_t> seen;
  constexpr uint64_t kFirst = 64 * kKiB - 100, kLast = 64 * kKiB + 100;
  for (uint64_t size = kFirst; size <= kLast; ++size) {
    TruncateTo(dir / "f", size);
    seen.insert(FingerprintOf(dir / "f"));
  }
  CHECK(seen.size() == kLast - kFirst + 1);
}

TEST_CASE("a copy has the same fingerprint, and an empty file has a fingerprint too") {
  const TempDir dir;
  for (uint64_t size : {uint64_t{0}, uint64_t{1}, 64 * kKiB, 64 * kKiB + 1, 300 * kKiB}) {
    const std::string bytes = BytesOfSize(size);
    WriteFile(dir / "f", bytes);
    WriteFile(dir / "copy", bytes);
    CHECK(FingerprintOf(dir / "f") == FingerprintOf(dir / "copy"));
  }
  WriteFile(dir / "empty", "");
  WriteFile(dir / "zero", std::string(1, '\0'));
  CHECK(FingerprintOf(dir / "empty") != FingerprintOf(dir / "zero"));
}

TEST_CASE("after bytes are appended, the fingerprint over a file's old size is unchanged") {
  const TempDir dir;
  for (uint64_t size : {uint64_t{0}, uint64_t{100}, 64 * kKiB, 64 * kKiB + 1, 300 * kKiB}) {
    CAPTURE(size);
    WriteFile(dir / "f", BytesOfSize(size));
    const uint64_t before = FingerprintOf(dir / "f");
    AppendTo(dir / "f", BytesOfSize(70 * kKiB));
    CHECK(FingerprintOf(dir / "f", size) == before);
    CHECK(FingerprintOf(dir / "f") != before);
  }
}

TEST_CASE("a file that has shrunk is stale, and the message gives the number of missing bytes") {
  const TempDir dir;
  for (uint64_t size : {uint64_t{1}, 64 * kKiB, 64 * kKiB + 1, 300 * kKiB}) {
    CAPTURE(size);
    WriteFile(dir / "f", BytesOfSize(size - 1));
    const auto fingerprint = FingerprintOf(dir / "f", size);
    REQUIRE_FALSE(fingerprint);
    CHECK(fingerprint.error().code == ErrorCode::kStale);
    CHECK(fingerprint.error().message.find("expected 1 more byte") != std::string::npos);
  }
}

TEST_CASE("fingerprints never change, because indexes store them") {
  const TempDir dir;
  // At 64 KiB, both ends and the pages in between are the whole file in order: the whole, too, of a file just below.
  for (uint64_t size : {uint64_t{0}, uint64_t{100}, 63 * kKiB, 64 * kKiB}) {
    const std::string bytes = BytesOfSize(size);
    WriteFile(dir / "f", bytes);
    CHECK(FingerprintOf(dir / "f") == Xxh3(AsBytes(Le64(size) + bytes)));
  }
  const std::string bytes = BytesOfSize(1'000'000);
  std::string read = Le64(bytes.size()) + bytes.substr(0, 16 * kKiB);
  // Every ninth of the bytes between both ends, rounded down to a page.
  for (uint64_t at :
       std::initializer_list<uint64_t>{122'880, 229'376, 335'872, 442'368, 552'960, 659'456, 765'952, 872'448}) {
    read += bytes.substr(at, 4 * kKiB);
  }
  read += bytes.substr(1'000'000 - 16 * kKiB);
  WriteFile(dir / "f", bytes);
  CHECK(FingerprintOf(dir / "f") == Xxh3(AsBytes(read)));
}

}  // namespace
}  // namespace ofindex

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "index/walk/inflating_walk.h"
#include "index/walk/stream_findings.h"
#include "tests/support/compressed_bytes.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();

std::string Numbers(size_t bytes) {
  std::mt19937_64 random(11);
  std::string text;
  while (text.size() < bytes) text += std::to_string(random() % 1'000'000);
  return text;
}

std::shared_ptr<const File> Opened(const std::string& path) {
  return std::make_shared<const File>(std::move(*File::OpenRead(path)));
}

bool ReadsRight(const InflatingWalk& walk, const std::string& text, uint64_t offset, size_t n) {
  std::vector<uint8_t> out(n);
  const auto got = walk.ReadAt(offset, out);
  return got && AsText(ByteView(out).first(*got)) == std::string_view(text).substr(std::min(offset, text.size()), n);
}

TEST_CASE("a walk reads inflated bytes near and far, forwards and backwards, with and without a read-ahead thread") {
  const std::string text = Numbers(40'000'000);
  const TempDir dir;
  WriteFile(dir / "gz", Compressed(Compression::kGzip, text, 1));
  const auto file = Opened(dir / "gz");
  const uint64_t size = file->Facts()->size;
  std::vector<StreamFindings> found;
  for (const bool ahead : {true, false}) {
    Progress progress;
    InflatingWalk walk(file, size, Compression::kGzip, {.checkpoint_bytes = 1 << 20}, ahead, progress);
    std::mt19937_64 random(1);
    for (uint64_t at = 0; at < text.size(); at += 1 + random() % 3'000'000) {
      REQUIRE(ReadsRight(walk, text, at, 1 + random() % 600'000));
      if (random() % 4 == 0) REQUIRE(ReadsRight(walk, text, random() % (at + 1), 1000));
      CHECK(walk.Size(at).value() >= std::min<uint64_t>(at, text.size()));
    }
    CHECK(walk.Size(kAll).value() == text.size());
    REQUIRE(ReadsRight(walk, text, 0, 3'000'000));
    REQUIRE(ReadsRight(walk, text, text.size() - 10, 1000));
    REQUIRE(ReadsRight(walk, text, text.size() + 10, 10));
    auto findings = walk.Finish();
    REQUIRE(findings.has_value());
    CHECK(progress.bytes_done == size);
    found.push_back(std::move(*findings));
  }
  CHECK(found[0].inflated_bytes == text.size());
  CHECK(found[0].damage.empty());
  REQUIRE(found[0].checkpoints.size() == found[1].checkpoints.size());
  CHECK(found[0].checkpoints.size() > 10);
  for (size_t i = 0; i < found[0].checkpoints.size(); ++i) {
    CHECK(found[0].checkpoints[i].stored == found[1].checkpoints[i].stored);
  }
}

TEST_CASE("a walk that is abandoned or cancelled ends its thread") {
  const TempDir dir;
  WriteFile(dir / "gz", Compressed(Compression::kGzip, Numbers(30'000'000), 1));
  const auto file = Opened(dir / "gz");
  const uint64_t size = file->Facts()->size;
  Progress progress;
  {
    const InflatingWalk untouched(file, size, Compression::kGzip, {}, true, progress);
    const InflatingWalk begun(file, size, Compression::kGzip, {}, true, progress);
    CHECK(begun.Size(1).value() >= 1);
  }
  InflatingWalk walk(file, size, Compression::kGzip, {}, true, progress);
  CHECK(walk.Size(1).value() >= 1);
  progress.cancel = true;
  const auto findings = walk.Finish();
  REQUIRE(!findings.has_value());
  CHECK(findings.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("a stream that inflates to more than the limit is a kLimit error, for reads of any size") {
  const TempDir dir;
  WriteFile(dir / "gz", Compressed(Compression::kGzip, std::string(100 << 20, '\0'), 9));
  const auto file = Opened(dir / "gz");
  const uint64_t size = file->Facts()->size;
  const std::vector<InflateOptions> refused = {{}, {.max_ratio = 900}, {.max_ratio = 2000, .max_bytes = 99 << 20}};
  for (const InflateOptions& options : refused) {
    Progress progress;
    InflatingWalk walk(file, size, Compression::kGzip, options, true, progress);
    const auto all = walk.Size(kAll);
    REQUIRE(!all.has_value());
    CHECK(all.error().code == ErrorCode::kLimit);
  }
  Progress progress;
  InflatingWalk allowed(file, size, Compression::kGzip, {.max_ratio = 2000}, true, progress);
  CHECK(allowed.Size(kAll).value() == 100 << 20);
}

TEST_CASE("the end of a truncated stream and its last, torn record are one damaged range with a position in the file") {
  const StreamFindings stream{
      .inflated_bytes = 1000,
      .checkpoints = {{.position = 0, .bit = 80}, {.position = 400, .bit = 803}},
      .damage = {{StreamFault::kBadChecksum, 300, 90, 98}, {StreamFault::kTruncated, 1000, 150, 200}}};
  const std::vector<DamagedRange> walked = {{100, 200, DamageReason::kBadLengthCrc},
                                            {500, 600, DamageReason::kBadLengthCrc},
                                            {900, 1000, DamageReason::kTornTail}};
  const std::vector<DamagedRange> expected = {{100, 200, DamageReason::kBadLengthCrc, ByteRange{10, 101}},
                                              {300, 300, DamageReason::kBadStreamChecksum, ByteRange{90, 98}},
                                              {500, 600, DamageReason::kBadLengthCrc, ByteRange{100, 200}},
                                              {900, 1000, DamageReason::kTruncatedStream, ByteRange{150, 200}}};
  CHECK(DamageOf(walked, stream, 200) == expected);
}

}  // namespace
}  // namespace ofindex

#include "mmap/sources/open_shard.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

const OpenShard::Options kWays[] = {
    {.io = IoMode::kMmap, .keep_descriptor = true, .may_map = true},
    {.io = IoMode::kMmap, .keep_descriptor = false, .may_map = true},  // descriptors are scarce
    {.io = IoMode::kPread, .keep_descriptor = true, .may_map = true},
    {.io = IoMode::kMmap, .keep_descriptor = true, .may_map = false},   // maps are scarce
    {.io = IoMode::kPread, .keep_descriptor = false, .may_map = true},  // every read reopens the file
};

constexpr int64_t kLongAgo = 1'234'567'890'123'456'789;

// A shard whose records fill more pages than a fingerprint reads.
struct Shard {
  explicit Shard(Framing shard_framing = Framing::kTfRecord)
      : framing(shard_framing),
        payloads(SomePayloads(300, 1000)),
        boundaries(RecordBoundaries(framing, payloads)),
        bytes(ShardBytes(framing, payloads)),
        path(dir / "s") {
    WriteFile(path, bytes);
    SetMtime(path, kLongAgo);  // otherwise a file made within the same clock tick would have the same time
    identity = IdentifyShard(File::OpenRead(path).value()).value();
  }

  [[nodiscard]] Result<std::unique_ptr<OpenShard>> Open(const OpenShard::Options& way) const {
    return OpenShard::Open(path, framing, identity, way);
  }

  // Returns the payload of `record`, or the error.
  [[nodiscard]] Result<std::string> Read(const OpenShard& shard, size_t record) const {
    std::string payload(payloads[record].size(), '?');
    const RecordRead read{.begin = boundaries[record],
                          .length = payload.size(),
                          .out = reinterpret_cast<uint8_t*>(payload.data()),
                          .ordinal = record};
    OFINDEX_TRY(shard.Read({&read, 1}));
    return payload;
  }

  TempDir dir;
  Framing framing;
  std::vector<std::string> payloads;
  std::vector<uint64_t> boundaries;
  std::string bytes;
  std::string path;
  ShardIdentity identity;
};

constexpr size_t kMiddle = 150;

/// The permitted answers of a reader after a shard was changed.
enum class Permitted {
  kRight,        // the payload
  kStale,        // an error that says so
  kRightIfHeld,  // the payload if the old file is still held open, otherwise stale
};

struct FileChange {
  const char* what;
  std::function<void(const Shard&)> act;
  Permitted when_open;  // for a shard opened before the change
  bool opens;           // whether it can be opened after the change
};

const FileChange kFileChanges[] = {
    {"nothing", [](const Shard&) {}, Permitted::kRight, true},
    {"touched", [](const Shard& s) { SetMtime(s.path, 1'000'000'000); }, Permitted::kRight, true},
    {"permissions", [](const Shard& s) { ::chmod(s.path.c_str(), 0444); }, Permitted::kRight, true},
    {"rewritten in place with the same bytes", [](const Shard& s) { WriteFile(s.path, s.bytes); }, Permitted::kRight,
     true},
    {"replaced by a copy", [](const Shard& s) { ReplaceFile(s.path, s.bytes); }, Permitted::kRightIfHeld, true},
    {"grown by a byte", [](const Shard& s) { AppendTo(s.path, "x"); }, Permitted::kStale, false},
    {"cut by a byte", [](const Shard& s) { TruncateTo(s.path, s.bytes.size() - 1); }, Permitted::kStale, false},
    {"cut in the middle of the record", [](const Shard& s) { TruncateTo(s.path, s.boundaries[kMiddle] + 20); },
     Permitted::kStale, false},
    {"cut before the record", [](const Shard& s) { TruncateTo(s.path, s.boundaries[kMiddle] - 5000); },
     Permitted::kStale, false},
    {"cut to nothing", [](const Shard& s) { TruncateTo(s.path, 0); }, Permitted::kStale, false},
    {"truncated, and filled up with zeros",
     [](const Shard& s) { TruncateTo(s.path, 0), TruncateTo(s.path, s.bytes.size()); }, Permitted::kStale, false},
    {"other bytes of the same size", [](const Shard& s) { WriteFile(s.path, std::string(s.bytes.size(), 'x')); },
     Permitted::kStale, false},
    {"replaced by other bytes of the same size",
     [](const Shard& s) { ReplaceFile(s.path, std::string(s.bytes.size(), 'x')); }, Permitted::kRightIfHeld, false},
    {"replaced by other bytes of the same size and mtime",
     [](const Shard& s) {
       ReplaceFile(s.path, std::string(s.bytes.size(), 'x'));
       SetMtime(s.path, s.identity.mtime_ns);
     },
     Permitted::kRightIfHeld, false},
    {"hard-linked", [](const Shard& s) { std::filesystem::create_hard_link(s.path, s.path + ".link"); },
     Permitted::kRight, true},
    {"renamed away and back",
     [](const Shard& s) {
       std::filesystem::rename(s.path, s.path + ".away");
       std::filesystem::rename(s.path + ".away", s.path);
     },
     Permitted::kRight, true},
    {"removed", [](const Shard& s) { std::filesystem::remove(s.path); }, Permitted::kRightIfHeld, false},
    {"made a folder",
     [](const Shard& s) { std::filesystem::remove(s.path), std::filesystem::create_directory(s.path); },
     Permitted::kRightIfHeld, false},
    {"made a FIFO", [](const Shard& s) { std::filesystem::remove(s.path), ::mkfifo(s.path.c_str(), 0600); },
     Permitted::kRightIfHeld, false},
    {"made a link to nowhere",
     [](const Shard& s) { std::filesystem::remove(s.path), std::filesystem::create_symlink("nowhere", s.path); },
     Permitted::kRightIfHeld, false},
};

TEST_CASE("an open shard returns the indexed bytes or is stale, whatever happens to its file") {
  for (const FileChange& change : kFileChanges) {
    for (const OpenShard::Options& way : kWays) {
      CAPTURE(change.what);
      CAPTURE(static_cast<int>(way.io));
      CAPTURE(way.keep_descriptor);
      CAPTURE(way.may_map);
      const Shard shard;
      const auto open = shard.Open(way);
      REQUIRE(open);
      CHECK(shard.Read(**open, kMiddle).value() == shard.payloads[kMiddle]);
      change.act(shard);
      const auto payload = shard.Read(**open, kMiddle);
      const bool right =
          change.when_open == Permitted::kRight || (change.when_open == Permitted::kRightIfHeld && way.keep_descriptor);
      if (right) {
        REQUIRE_MESSAGE(payload, payload.error().message);
        CHECK(*payload == shard.payloads[kMiddle]);
      } else {
        REQUIRE_FALSE(payload);
        CHECK(payload.error().code == ErrorCode::kStale);
        CHECK(payload.error().message.starts_with(shard.path));
        CHECK_FALSE(payload.error().hint.empty());
      }
    }
  }
}

TEST_CASE("a shard that is no longer the file that was indexed is not opened") {
  for (const FileChange& change : kFileChanges) {
    CAPTURE(change.what);
    const Shard shard;
    change.act(shard);
    const auto open = shard.Open({.io = IoMode::kMmap});
    CHECK(open.has_value() == change.opens);
    if (open) {
      CHECK(shard.Read(**open, kMiddle).value() == shard.payloads[kMiddle]);
    } else {
      CHECK(open.error().code == ErrorCode::kStale);
      CHECK_FALSE(open.error().hint.empty());
    }
  }
}

TEST_CASE("an open shard that was rewritten is stale even if its time is set back") {
  for (const OpenShard::Options& way : kWays) {
    const Shard shard;
    const auto open = shard.Open(way);
    REQUIRE(open);
    WriteFile(shard.path, std::string(shard.bytes.size(), 'x'));
    SetMtime(shard.path, shard.identity.mtime_ns);
    const auto payload = shard.Read(**open, kMiddle);
    REQUIRE_FALSE(payload);
    CHECK(payload.error().message.find("fingerprint") != std::string::npos);
  }
}

TEST_CASE("a shard with other bytes is stale despite an equal size and mtime, however long ago it was changed") {
  using Become = void (*)(const Shard&, const std::string&);
  const std::pair<const char*, Become> changes[] = {
      {"renamed over it", [](const Shard& s, const std::string& bytes) { ReplaceFile(s.path, bytes); }},
      {"written in place", [](const Shard& s, const std::string& bytes) { WriteFile(s.path, bytes); }},
  };
  for (const auto& change : changes) {
    CAPTURE(change.first);
    const Shard shard;
    change.second(shard, std::string(shard.bytes.size(), 'x'));
    SetMtime(shard.path, shard.identity.mtime_ns);
    // Long enough that no file's facts are too recent to be trusted.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (const OpenShard::Options& way : kWays) {
      const auto open = shard.Open(way);
      REQUIRE_FALSE(open);
      CHECK(open.error().code == ErrorCode::kStale);
    }
    // An open shard is reopened, and checked again.
    ReplaceFile(shard.path, shard.bytes);
    const auto reopened_each_time = shard.Open({.io = IoMode::kPread, .keep_descriptor = false}).value();
    CHECK(shard.Read(*reopened_each_time, kMiddle).value() == shard.payloads[kMiddle]);
    change.second(shard, std::string(shard.bytes.size(), 'x'));
    SetMtime(shard.path, shard.identity.mtime_ns);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(shard.Read(*reopened_each_time, kMiddle).error().code == ErrorCode::kStale);
  }
}

TEST_CASE("a shard written a moment ago is checked even if its size and mtime are equal") {
  const Shard shard;
  int refused = 0;
  // Many times, in case more than a clock tick passes between the two calls.
  for (int i = 0; i < 100 && refused == 0; ++i) {
    WriteFile(shard.path, std::string(shard.bytes.size(), 'x'));
    SetMtime(shard.path, shard.identity.mtime_ns);
    refused += !shard.Open({.io = IoMode::kMmap});
  }
  CHECK(refused == 1);
}

TEST_CASE("a shard that was damaged and repaired is read again by readers that have it open") {
  for (const OpenShard::Options& way : kWays) {
    const Shard shard;
    const auto open = shard.Open(way);
    REQUIRE(open);
    for (int i = 0; i < 3; ++i) {
      TruncateTo(shard.path, 1000);
      CHECK_FALSE(shard.Read(**open, kMiddle));
      WriteFile(shard.path, shard.bytes);
      CHECK(shard.Read(**open, kMiddle).value() == shard.payloads[kMiddle]);
    }
  }
}

TEST_CASE("map and pread refuse a truncated shard, for any record") {
  const Shard shard(Framing::kOfRecord);
  std::vector<std::unique_ptr<OpenShard>> open;
  for (const OpenShard::Options& way : kWays) open.push_back(shard.Open(way).value());
  uint64_t refused = 0, reads = 0;
  for (uint64_t size = 0; size < shard.bytes.size(); size += size < 300 ? 1 : 1777) {
    TruncateTo(shard.path, size);
    for (const auto& each : open) {
      for (size_t record : {size_t{0}, kMiddle, shard.payloads.size() - 1}) {
        ++reads;
        const auto payload = shard.Read(*each, record);
        refused += !payload && payload.error().code == ErrorCode::kStale;
      }
    }
    WriteFile(shard.path, shard.bytes);
  }
  CHECK(refused == reads);
}

TEST_CASE("a header changed in a page that no fingerprint covers is noticed when its record is read") {
  for (const OpenShard::Options& way : kWays) {
    const Shard shard;
    FlipBit(shard.path, shard.boundaries[5], 0);  // the fingerprint has gaps after 16 KiB, but none before
    CHECK_FALSE(shard.Open(way));
    FlipBit(shard.path, shard.boundaries[5], 0);
    // Finds the first record whose header is in no page that the fingerprint reads.
    size_t record = 20;
    for (;; ++record) {
      FlipBit(shard.path, shard.boundaries[record], 0);
      if (shard.Open(way)) break;
      FlipBit(shard.path, shard.boundaries[record], 0);
    }
    const auto open = shard.Open(way);
    const auto payload = shard.Read(**open, record);
    REQUIRE_FALSE(payload);
    CHECK(payload.error().code == ErrorCode::kStale);
    CHECK(payload.error().message.find("@" + std::to_string(shard.boundaries[record])) != std::string::npos);
    CHECK(payload.error().message.find("record " + std::to_string(record)) != std::string::npos);
    CHECK(shard.Read(**open, record + 1).value() == shard.payloads[record + 1]);
  }
}

// Allows no further descriptor until the object dies.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const rlimit limit{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("a shard that cannot be opened for lack of descriptors is not called stale") {
  const Shard shard;
  const auto reopened_each_time = shard.Open({.io = IoMode::kPread, .keep_descriptor = false}).value();
  const auto held = shard.Open({.io = IoMode::kPread}).value();
  const NoMoreDescriptors limit;
  const auto open = shard.Open({.io = IoMode::kMmap});
  REQUIRE_FALSE(open);
  CHECK(open.error().code == ErrorCode::kIo);
  CHECK(open.error().message.find("Too many open files") != std::string::npos);
  const auto payload = shard.Read(*reopened_each_time, kMiddle);
  REQUIRE_FALSE(payload);
  CHECK(payload.error().code == ErrorCode::kIo);
  CHECK(shard.Read(*held, kMiddle).value() == shard.payloads[kMiddle]);
}

TEST_CASE("only a mapped shard has its bytes in memory") {
  const Shard shard;
  for (const OpenShard::Options& way : kWays) {
    const auto open = shard.Open(way).value();
    CHECK(open->mapped().empty() == !(way.io == IoMode::kMmap && way.may_map));
    CHECK(open->size() == shard.bytes.size());
    CHECK(open->framing() == shard.framing);
  }
}

}  // namespace
}  // namespace ofindex

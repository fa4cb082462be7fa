#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "index/walk/walker.h"
#include "tests/index/reference_walk.h"
#include "tests/support/files.h"

namespace ofindex {

/// The result of a ShardWalker: its blocks in order, and the damage between them.
struct WalkedShard {
  std::vector<std::vector<uint64_t>> blocks;
  std::vector<DamagedRange> damage;

  [[nodiscard]] Walk walk() const {
    Walk walk{.records = {}, .damage = damage};
    for (const std::vector<uint64_t>& boundaries : blocks) {
      for (size_t i = 1; i < boundaries.size(); ++i) walk.records.push_back({boundaries[i - 1], boundaries[i]});
    }
    return walk;
  }
};

/// Returns `bytes`, `n` times.
inline std::string Repeated(size_t n, const std::string& bytes) {
  std::string all;
  for (size_t i = 0; i < n; ++i) all += bytes;
  return all;
}

inline File OpenFile(const std::string& path) {
  auto file = File::OpenRead(path);
  REQUIRE_MESSAGE(file.has_value(), path);
  return std::move(*file);
}

/// Takes all blocks of `walker`. A failing walk ends the test.
inline WalkedShard WalkToEnd(ShardWalker& walker) {
  WalkedShard walked;
  std::vector<uint64_t> boundaries;
  for (;;) {
    const Result<bool> more = walker.NextBlock(boundaries);
    REQUIRE_MESSAGE(more.has_value(), more.error().message);
    if (!*more) break;
    REQUIRE(boundaries.size() >= 2);
    walked.blocks.push_back(boundaries);
  }
  walked.damage = walker.damage();
  return walked;
}

/// Walks the first `size` bytes of `file` to the end. A failing walk ends the test.
inline WalkedShard WalkShard(const File& file, uint64_t size, Framing framing, SpeculativeScan* scan = nullptr,
                             uint64_t segment_bytes = kNowhere) {
  const Progress progress;
  const FileBytes bytes(file, size);
  ShardWalker walker(bytes, framing, progress, segment_bytes);
  walker.Follow(scan);
  WalkedShard walked = WalkToEnd(walker);
  CHECK(walker.position() == size);
  return walked;
}

/// Walks a shard with these bytes, written to `path`.
inline Walk WalkBytes(const std::string& path, Framing framing, const std::string& bytes) {
  WriteFile(path, bytes);
  return WalkShard(OpenFile(path), bytes.size(), framing).walk();
}

}  // namespace ofindex

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
    for (const std::vector<uint64_t>& points : blocks) {
      for (size_t i = 1; i < points.size(); ++i) walk.records.push_back({points[i - 1], points[i]});
    }
    return walk;
  }
};

inline File OpenFile(const std::string& path) {
  auto file = File::OpenRead(path);
  REQUIRE_MESSAGE(file.has_value(), path);
  return std::move(*file);
}

/// Walks the first `size` bytes of `file` to the end. A failing walk ends the test.
inline WalkedShard WalkShard(const File& file, uint64_t size, Framing framing, SegmentScout* scout = nullptr) {
  const Progress progress;
  const FileBytes bytes(file, size);
  ShardWalker walker(bytes, framing, progress);
  walker.Follow(scout);
  WalkedShard walked;
  std::vector<uint64_t> points;
  for (;;) {
    const Result<bool> more = walker.NextBlock(points);
    REQUIRE_MESSAGE(more.has_value(), more.error().message);
    if (!*more) break;
    REQUIRE(points.size() >= 2);
    walked.blocks.push_back(points);
  }
  walked.damage = walker.damage();
  CHECK(walker.position() == size);
  return walked;
}

/// Walks a shard with these bytes, written to `path`.
inline Walk WalkBytes(const std::string& path, Framing framing, const std::string& bytes) {
  WriteFile(path, bytes);
  return WalkShard(OpenFile(path), bytes.size(), framing).walk();
}

}  // namespace ofindex

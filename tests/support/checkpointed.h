#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "mmap/inflate/checkpoint.h"
#include "mmap/inflate/inflater.h"
#include "tests/support/files.h"

namespace ofindex {

/// Checkpoints in memory.
class CheckpointList final : public Checkpoints {
 public:
  struct One {
    uint64_t position;
    uint64_t bit;
    std::vector<uint8_t> stored;
  };

  std::vector<One> list;

  [[nodiscard]] size_t size() const override { return list.size(); }
  [[nodiscard]] Result<Checkpoint> At(size_t i) const override {
    return Checkpoint{.position = list[i].position, .bit = list[i].bit, .stored = list[i].stored};
  }
};

/// The result of inflating a whole file, with a checkpoint at every block.
struct InflatedFile {
  std::string bytes;
  CheckpointList checkpoints;
  std::vector<StreamDamage> damage;
};

inline InflatedFile InflateAll(const std::string& path, Compression compression, size_t at_once = 1 << 16) {
  const File file = std::move(*File::OpenRead(path));
  Inflater inflater(file, file.Facts()->size, compression);
  InflatedFile all;
  std::vector<uint8_t> room(at_once);
  for (;;) {
    size_t got = 0;
    const auto halt = inflater.Read(room, /*to_blocks=*/true, got);
    REQUIRE(halt.has_value());
    all.bytes += AsText(ByteView(room).first(got));
    CHECK(inflater.position() == all.bytes.size());
    if (*halt == Inflater::Halt::kBlock) {
      all.checkpoints.list.push_back(
          {inflater.position(), inflater.bit(), StoreWindow(inflater.position(), inflater.bit(), inflater.Window())});
    }
    if (*halt == Inflater::Halt::kEnd) break;
  }
  all.damage = inflater.damage();
  return all;
}

}  // namespace ofindex

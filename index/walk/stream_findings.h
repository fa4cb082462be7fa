#pragma once

#include <cstdint>
#include <vector>

#include "index/catalog/damage.h"
#include "mmap/inflate/inflater.h"

namespace ofindex {

/// A checkpoint of a shard, with the memory of its window.
struct StoredCheckpoint {
  uint64_t position = 0;
  uint64_t bit = 0;
  std::vector<uint8_t> stored = {};
};

/// What inflating a whole shard has found.
struct StreamFindings {
  uint64_t inflated_bytes = 0;
  std::vector<StoredCheckpoint> checkpoints = {};
  std::vector<StreamDamage> damage = {};
};

/// What is damaged in a compressed shard of `file_bytes`: `walked`, which is of the inflated bytes, and what is wrong
/// with the stream itself, each with both places. A stream that ends too early, and the record that is torn by it, are
/// one damage. Ascending.
[[nodiscard]] std::vector<DamagedRange> DamageOf(const std::vector<DamagedRange>& walked, const StreamFindings& stream,
                                                 uint64_t file_bytes);

}  // namespace ofindex

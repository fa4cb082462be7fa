#pragma once

#include <cstdint>
#include <vector>

#include "index/catalog/damage.h"
#include "mmap/inflate/inflater.h"

namespace ofindex {

/// A checkpoint of a shard, with its window in memory.
struct StoredCheckpoint {
  uint64_t position = 0;
  uint64_t bit = 0;
  std::vector<uint8_t> stored = {};
};

/// Result of inflating a whole shard.
struct StreamFindings {
  uint64_t inflated_bytes = 0;
  std::vector<StoredCheckpoint> checkpoints = {};
  std::vector<StreamDamage> damage = {};
};

/// Returns the damage of a compressed shard of `file_bytes` bytes in ascending order: the ranges `walked`, which were
/// found in the inflated bytes, and the faults of the stream itself. Each range has its position in the inflated bytes
/// and in the file. If the stream ends too early, its end and the record that it cuts off are one range.
[[nodiscard]] std::vector<DamagedRange> DamageOf(const std::vector<DamagedRange>& walked, const StreamFindings& stream,
                                                 uint64_t file_bytes);

/// Sets the position in the file of ranges that were found in the inflated bytes, as DamageOf does. It depends on where
/// the stream has checkpoints and where the file ends.
void LocateInFile(const StreamFindings& stream, uint64_t file_bytes, std::vector<DamagedRange>& walked);

}  // namespace ofindex

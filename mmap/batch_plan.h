#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/sources/byte_source.h"

namespace ofindex {

class OpenShard;
class ReadPlanner;

/// The order in which the slow path copies the records of a batch: storage order, shard by shard. Designed for reuse:
/// its memory only grows. Not thread-safe.
class BatchPlan {
 public:
  /// Plans to read `ordinals` through `planner`, and makes their blocks ready. Sets ends[i] to the end of payload i in
  /// the concatenation of all payloads, in the order of `ordinals`. Errors: those of ReadPlanner; kLimit if the size
  /// exceeds 64 bits.
  [[nodiscard]] Result<void> Make(std::span<const uint64_t> ordinals, const ReadPlanner& planner,
                                  std::vector<uint64_t>& ends);

  /// Copies the payloads to `out`, concatenated; `ends` is the result of Make. If `cold`, requests the pages of all
  /// shards before it waits for the first. The shards must still be open. Errors: those of OpenShard::Read.
  [[nodiscard]] Result<void> Read(std::span<const uint64_t> ends, uint8_t* out, bool cold);

 private:
  // A requested record: its ordinal, and its position in the request.
  struct Wanted {
    uint64_t ordinal;
    uint64_t slot;
  };

  void Sort(std::span<const uint64_t> ordinals);
  [[nodiscard]] Result<void> FindPlaces(const OffsetMap& map);

  std::vector<Wanted> wanted_;      // in storage order
  std::vector<uint64_t> ordinals_;  // as wanted_: the ordinals
  std::vector<OffsetMap::Place> places_;
  std::vector<RecordRead> reads_;         // as wanted_: the reads
  std::vector<const OpenShard*> shards_;  // as wanted_: the shards
};

}  // namespace ofindex

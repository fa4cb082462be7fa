#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "mmap/offsets/offset_map.h"

// The holes of a map: ordinals in no block, whose records are gone.

namespace ofindex {

// Returns an error for record `ordinal`, which block `number` does not hold although the jump table leads to it: the
// record is gone if it lies between two adjacent blocks. Only checked entries can tell; otherwise a damaged jump would
// make a live record look gone.
tl::unexpected<Error> OffsetMap::Missing(uint64_t ordinal, uint64_t number) const {
  const auto in_hole = InHole(ordinal, number);
  if (!in_hole) return tl::unexpected(in_hole.error());
  return *in_hole ? Gone(ordinal) : Damaged(header_.jumps_at, "the jump table is damaged");
}

Result<bool> OffsetMap::InHole(uint64_t ordinal, uint64_t number) const {
  if (header_.live == header_.records) return false;
  if (header_.blocks == 0) return header_.live == 0;
  OFINDEX_ASSIGN(const uint64_t first, CheckedFirst(number));
  if (first > ordinal) return number == 0;
  if (number + 1 == header_.blocks) return true;
  OFINDEX_ASSIGN(const uint64_t next, CheckedFirst(number + 1));
  return next > ordinal;
}

// Returns the first record of a block, from an entry whose checksum holds and which equals that in the file.
Result<uint64_t> OffsetMap::CheckedFirst(uint64_t number) const {
  OFINDEX_ASSIGN(const CachedBlock* const cached, GetBlock(number));
  if (!cached->confirmed.load(std::memory_order_relaxed) && !Holds(*cached)) return Rewritten();
  return cached->block.first_record;
}

// Names the shard if the map's shards agree with its blocks.
tl::unexpected<Error> OffsetMap::Gone(uint64_t ordinal) const {
  const auto shard = WithMemory("the path of a shard", [&] { return ShardThatHeld(ordinal); });
  const bool known = shard && shard->gone && ordinal - shard->first_record < shard->records;
  return Fail(ErrorCode::kOutOfRange,
              StrCat("record ", ordinal, " is gone: its shard ", known ? Printable(shard->path) + " " : "",
                     "was removed or changed"),
              "restore the shard and run `ofindex update`; `ofindex info` lists what is gone");
}

// Returns the last shard that does not begin after the record: shards without records begin where the next one does.
Result<MapShard> OffsetMap::ShardThatHeld(uint64_t ordinal) const {
  uint64_t low = 0;
  uint64_t high = header_.shards;
  MapShard found;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    OFINDEX_ASSIGN(MapShard shard, ReadShard(middle));
    if (shard.first_record <= ordinal) {
      found = std::move(shard);
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return found;
}

}  // namespace ofindex

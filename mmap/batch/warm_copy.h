#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "mmap/batch/ready_blocks.h"

namespace ofindex {

/// Where a batch is copied to.
struct CopyTarget {
  std::span<uint8_t> bytes;         ///< room for the payloads, one after the other
  std::span<uint64_t> ends;         ///< of each payload in `bytes`; as many as are asked for
  std::span<uint64_t> shards_read;  ///< a bit per shard, set where a record was copied from it
};

/// Copies the payloads of `ordinals` in the order asked for, and compares each header with the index: one pass, in
/// which the packed offsets, the bytes, and the copies of different records overlap. Returns false if the caller must
/// take the careful way instead: a block is not ready, there is no room, a header differs, a file was cut under its
/// map. Afterwards the caller checks that the shards are still the files that were indexed, and that the map is
/// unchanged.
[[nodiscard]] bool CopyWarm(const ReadyBlocks& blocks, std::span<const uint64_t> ordinals, const CopyTarget& target);

/// How a record was found.
enum class WarmFind {
  kFailed,     ///< not found: take the careful way
  kInMap,      ///< found by the map: right only if the map is unchanged, which the caller checks afterwards
  kWithoutMap  ///< found, and right
};

/// Finds one record.
[[nodiscard]] WarmFind FindOneWarm(const ReadyBlocks& blocks, uint64_t ordinal, ReadyBlocks::Record& record);

/// The outcome of a copy.
enum class WarmCopy {
  kFailed,    ///< the record's header is another, or the file was cut under its map
  kCopied,    ///< copied; the caller checks if the file was cut: the part of its last page that was cut off reads as 0
  kSurelyAll  ///< copied, and the last byte of the record is not 0: then the file reached that far
};

/// Copies the payload of one record to `out`, which has room for it.
[[nodiscard]] WarmCopy CopyOneWarm(const ReadyBlocks::Record& record, uint8_t* out);

/// Finds one record to be viewed. Touches the shard only if the map is needed: then it looks at the record's header.
[[nodiscard]] WarmFind ViewOneWarm(const ReadyBlocks& blocks, uint64_t ordinal, ReadyBlocks::Record& record);

/// What CopyWarm does without copying: views[i] becomes a view of payload ordinals[i]. `unchanged` says whether a shard
/// is still the file that was indexed. Sets `in_map` if the map was needed. Returns how many were found before the
/// first one that is not ready, whose header is another, or whose shard has changed.
[[nodiscard]] size_t ViewWarm(const ReadyBlocks& blocks, std::span<const uint64_t> ordinals, std::span<ByteView> views,
                              const std::function<bool(uint32_t shard)>& unchanged, bool& in_map);

}  // namespace ofindex

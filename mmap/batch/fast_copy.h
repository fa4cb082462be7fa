#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "mmap/batch/hot_block_cache.h"

namespace ofindex {

/// The destination of a batch copy.
struct CopyTarget {
  std::span<uint8_t> bytes;         ///< room for the payloads, one after the other
  std::span<uint64_t> ends;         ///< end of each payload in `bytes`; one entry per ordinal
  std::span<uint64_t> shards_read;  ///< one bit per shard, set if a record was copied from it
};

/// Copies the payloads of `ordinals` in the order given, and compares each header with the index: one pass, in
/// which the reads of packed offsets, the reads of bytes and the copies of different records overlap. Returns
/// false if the caller must take the slow path instead: a block is not ready, there is no room, a header
/// differs, or a file was truncated under its map. Afterwards the caller checks that the shards are still the
/// indexed files, and that the map is unchanged.
[[nodiscard]] bool CopyFast(const HotBlockCache& blocks, std::span<const uint64_t> ordinals, const CopyTarget& target);

/// The outcome of locating a record.
enum class FastFind {
  kFailed,     ///< not found: take the slow path
  kInMap,      ///< found through the map; valid only if the map is unchanged, which the caller checks afterwards
  kWithoutMap  ///< found without the map; valid
};

/// Locates one record.
[[nodiscard]] FastFind FindOneFast(const HotBlockCache& blocks, uint64_t ordinal, HotBlockCache::Record& record);

/// The outcome of a copy.
enum class FastCopy {
  kFailed,   ///< the record's header differs, or the file was truncated under its map
  kCopied,   ///< copied, but the framed record ends in 0, as if the file were truncated: the caller checks the size
  kComplete  ///< copied, and the framed record does not end in 0, so the file was not truncated before its end
};

/// Copies the payload of one record to `out`, which has room for it.
[[nodiscard]] FastCopy CopyOneFast(const HotBlockCache::Record& record, uint8_t* out);

/// Locates one record for a view. Reads the record's header, to check it, only if the map is needed.
[[nodiscard]] FastFind ViewOneFast(const HotBlockCache& blocks, uint64_t ordinal, HotBlockCache::Record& record);

/// Does the same as CopyFast, but creates views instead of copies: views[i] becomes a view of record ordinals[i].
/// `unchanged` returns whether a shard is still the indexed file. Sets `in_map` if the map was needed. Returns the
/// number of views before the first record that is not ready, whose header differs, or whose shard has changed.
[[nodiscard]] size_t ViewFast(const HotBlockCache& blocks, std::span<const uint64_t> ordinals,
                              std::span<ByteView> views, const std::function<bool(uint32_t shard)>& unchanged,
                              bool& in_map);

}  // namespace ofindex

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/framing.h"

namespace ofindex {

/// A position past the end of any file.
inline constexpr uint64_t kNowhere = std::numeric_limits<uint64_t>::max();

/// Returns the size, in bytes, of the segments of an uncompressed shard of `size` bytes; kNowhere if all of it is one.
/// A block ends where the segment ends in which its first record begins. So a shard can be walked in parts, each of
/// whole segments, and has the same blocks as if it were walked at once. There are 8 to 16 segments, or more if they
/// would exceed 16 GiB. OFRecord has no checksum by which a walk could enter a shard anywhere but at its beginning.
[[nodiscard]] constexpr uint64_t SegmentBytes(Framing framing, uint64_t size) {
  constexpr uint64_t kLeastDivided = uint64_t{256} << 20;
  constexpr uint64_t kMost = uint64_t{16} << 30;
  if (framing != Framing::kTfRecord || size < kLeastDivided) return kNowhere;
  return std::min(kMost, std::bit_ceil(size / 16));
}

/// The same, but segments of `fixed` bytes unless that is 0: for tests with small shards.
[[nodiscard]] constexpr uint64_t SegmentBytes(Framing framing, uint64_t size, uint64_t fixed) {
  return fixed != 0 && framing == Framing::kTfRecord ? fixed : SegmentBytes(framing, size);
}

/// The position at which the walk of the bytes before a range ended.
struct WalkEntry {
  uint64_t position = 0;  ///< the first record after them begins here
  uint64_t tested = 0;    ///< bytes read to find records after gaps: the ranges of a shard share one budget

  bool operator==(const WalkEntry&) const = default;
};

/// The part of a shard that is walked: the records that begin in [begin, end). Both are multiples of the shard's
/// segments, or its ends; with `entry`, any position.
struct WalkRange {
  uint64_t begin = 0;
  uint64_t end = kNowhere;
  /// where the walk begins, if known; otherwise at the first sound header, which may be false
  std::optional<WalkEntry> entry = {};

  bool operator==(const WalkRange&) const = default;
};

/// The positions at which the walk of a range began and ended. A range was entered at a record if the walk of the bytes
/// before it ended there.
struct WalkedRange {
  uint64_t first = 0;   ///< where the first record begins; kNowhere if no header was found in the range
  uint64_t next = 0;    ///< where the first record after the range begins; not known if there is no `first`
  uint64_t tested = 0;  ///< bytes read to find records after gaps

  bool operator==(const WalkedRange&) const = default;
};

}  // namespace ofindex

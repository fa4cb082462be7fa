#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// Bytes of earlier output that deflate may refer to (RFC 1951).
inline constexpr size_t kDeflateWindow = 32768;

/// A point at which inflating a compressed shard can start: the beginning of a deflate block, and the window before it.
struct Checkpoint {
  uint64_t position = 0;  ///< offset in the inflated bytes at which the block's output begins
  uint64_t bit = 0;       ///< bit offset in the file; bit 8 * n is the lowest bit of byte n
  ByteView stored;        ///< the window, encoded by StoreWindow
};

/// Encodes the window before a checkpoint, compressed, with a checksum over everything: u64 XXH3 of position, bit and
/// the rest; u16 size of the window; the window, as a zstd frame if that is smaller.
[[nodiscard]] std::vector<uint8_t> StoreWindow(uint64_t position, uint64_t bit, ByteView window);

/// Returns a copy of the stored bytes of `checkpoint`; nullopt if they do not match their checksum. They may be in a
/// map whose file is truncated or rewritten meanwhile.
[[nodiscard]] std::optional<std::vector<uint8_t>> CopyOfCheckpoint(const Checkpoint& checkpoint);

/// Returns the window of `checkpoint`; nullopt if the window or the checkpoint does not match the checksum.
[[nodiscard]] std::optional<std::vector<uint8_t>> WindowOf(const Checkpoint& checkpoint);

/// The checkpoints of one shard, wherever they are stored, by ascending position; the first one
/// is at position 0. Thread-safe.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  [[nodiscard]] virtual size_t size() const = 0;

  /// Returns checkpoint `i`, which is less than size(). Valid while this object lives. Its
  /// content is untrusted. Errors: kIndex.
  [[nodiscard]] virtual Result<Checkpoint> At(size_t i) const = 0;
};

}  // namespace ofindex

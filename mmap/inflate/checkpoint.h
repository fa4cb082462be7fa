#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// Bytes of output that deflate may refer back to (RFC 1951).
inline constexpr size_t kDeflateWindow = 32768;

/// A place at which a compressed shard can be entered: the beginning of a deflate block, and what came before it.
struct Checkpoint {
  uint64_t position = 0;  ///< of the inflated bytes: where the block's output begins
  uint64_t bit = 0;       ///< of the file: bit 8 * n is the lowest one of byte n
  ByteView stored;        ///< the window, as StoreWindow made it
};

/// The window before a checkpoint, compressed, with a checksum of it all: u64 XXH3 of position, bit and what follows;
/// u16 size of the window; the window, as a zstd frame where that is smaller.
[[nodiscard]] std::vector<uint8_t> StoreWindow(uint64_t position, uint64_t bit, ByteView window);

/// The stored bytes of `checkpoint`, which may lie in a map whose file others cut or rewrite meanwhile; nullopt if they
/// are not what was stored.
[[nodiscard]] std::optional<std::vector<uint8_t>> CopyOfCheckpoint(const Checkpoint& checkpoint);

/// The window of `checkpoint`; nullopt if it, or the checkpoint, is not what was stored.
[[nodiscard]] std::optional<std::vector<uint8_t>> WindowOf(const Checkpoint& checkpoint);

/// The checkpoints of one shard, wherever they are kept, by ascending position; the first one is at position 0.
/// Thread-safe.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  [[nodiscard]] virtual size_t size() const = 0;

  /// Checkpoint `i`, less than size(). Valid while this object lives. What it says is to be taken for hostile. Errors:
  /// kIndex.
  [[nodiscard]] virtual Result<Checkpoint> At(size_t i) const = 0;
};

}  // namespace ofindex

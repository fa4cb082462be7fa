#pragma once

#include <cstdint>

namespace ofindex {

/// Bytes from which on a buffer is memory of its own from the system, and is kept for the next one when it is freed.
inline constexpr uint64_t kPooledBytes = uint64_t{64} << 10;

/// The most that is kept.
inline constexpr uint64_t kMostPooledBytes = uint64_t{256} << 20;

/// Large pieces of memory that were used and may be again: one pool in a process, of at most 32 pieces and 256 MiB.
/// Memory fresh from the system costs a page fault every 4 KiB: batches of 28 MB took 17 ms and more to decode with it,
/// and take 3 ms from the pool (measured, on a virtual machine). Thread-safe without locks, so that a fork leaves
/// nothing locked in the child.
class BufferPool {
 public:
  /// `capacity`, kPooledBytes at least, becomes what there is room for. Null if there is no memory.
  [[nodiscard]] static uint8_t* Take(uint64_t& capacity);

  /// Takes back what Take() gave. The pool keeps it, and gives up others if it has to.
  static void Give(uint8_t* data, uint64_t capacity);

  /// Bytes in the pool.
  [[nodiscard]] static uint64_t kept_bytes();
};

}  // namespace ofindex

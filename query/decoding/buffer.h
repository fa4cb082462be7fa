#pragma once

#include <cstdint>
#include <utility>

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

/// Bytes that grow, uninitialised, at an address that is a multiple of 64. Says so where there is no memory, and does
/// not throw. Large ones come from the buffer pool and go back to it: their pages need not be cleared anew. Moves, does
/// not copy; may be freed by any thread, and by a forked child.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { Free(); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  /// Null if there was never room for a byte.
  [[nodiscard]] uint8_t* data() { return data_; }
  [[nodiscard]] const uint8_t* data() const { return data_; }
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t capacity() const { return capacity_; }

  /// The same bytes as items of `T`.
  template <typename T>
  [[nodiscard]] const T* As() const {
    return reinterpret_cast<const T*>(data_);
  }

  /// Makes room for `capacity` bytes in all; what is there stays. False if there is no memory: then nothing changes.
  [[nodiscard]] bool Reserve(uint64_t capacity) { return capacity <= capacity_ || Grow(capacity); }

  /// Adds `n` bytes of no defined content, with room to spare. False if there is no memory: then nothing changes.
  [[nodiscard]] bool Extend(uint64_t n) {
    if (n > capacity_ - size_ && !GrowAmply(n)) return false;
    size_ += n;
    return true;
  }

  /// Goes back to `size` bytes, of which there are as many.
  void Shrink(uint64_t size) { size_ = size; }

 private:
  [[nodiscard]] bool Grow(uint64_t capacity);
  [[nodiscard]] bool GrowAmply(uint64_t n);
  void Free();

  uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
  uint64_t capacity_ = 0;
};

}  // namespace ofindex

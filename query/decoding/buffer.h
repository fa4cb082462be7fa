#pragma once

#include <cstdint>
#include <utility>

namespace ofindex {

/// Size from which a buffer has its own memory from the system, which is kept for the next buffer when it is freed.
inline constexpr uint64_t kPooledBytes = uint64_t{64} << 10;

/// Maximum bytes that the pool keeps.
inline constexpr uint64_t kMaxPooledBytes = uint64_t{256} << 20;

/// Large pieces of freed memory, kept for reuse: one pool per process, of at most 32 pieces and 256 MiB. Fresh memory
/// from the system costs a page fault every 4 KiB: batches of 28 MB took 17 ms and more to decode with it, and take 3
/// ms from the pool (measured on a virtual machine). Thread-safe without locks, so that a fork leaves nothing locked in
/// the child.
class BufferPool {
 public:
  /// Returns memory for at least `capacity` bytes, which is kPooledBytes or more, and sets `capacity` to its size. Null
  /// if there is no memory.
  [[nodiscard]] static uint8_t* Take(uint64_t& capacity);

  /// Returns memory from Take() to the pool, which frees other pieces if necessary.
  static void Give(uint8_t* data, uint64_t capacity);

  /// Bytes in the pool.
  [[nodiscard]] static uint64_t kept_bytes();
};

/// Growing uninitialized bytes, aligned to 64. Reports a lack of memory instead of throwing. Large buffers come from
/// the buffer pool and return to it, so that their pages need not be cleared again. Moves, does not copy; may be freed
/// by any thread, and by a forked child.
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

  /// Null if nothing was ever allocated.
  [[nodiscard]] uint8_t* data() { return data_; }
  [[nodiscard]] const uint8_t* data() const { return data_; }
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t capacity() const { return capacity_; }

  /// The same bytes as items of `T`.
  template <typename T>
  [[nodiscard]] const T* As() const {
    return reinterpret_cast<const T*>(data_);
  }

  /// Makes room for `capacity` bytes in all, keeping the content. Returns false and changes nothing if out of memory.
  [[nodiscard]] bool Reserve(uint64_t capacity) { return capacity <= capacity_ || Grow(capacity); }

  /// Appends `n` uninitialized bytes, with room to spare. Returns false, and changes nothing, if there is no memory.
  [[nodiscard]] bool Extend(uint64_t n) {
    if (n > capacity_ - size_ && !GrowAmply(n)) return false;
    size_ += n;
    return true;
  }

  /// Truncates to `size` bytes, at most the current size.
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

#pragma once

#include <cstdint>
#include <utility>

namespace ofindex {

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

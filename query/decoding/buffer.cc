#include "query/decoding/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "query/decoding/buffer_pool.h"

namespace ofindex {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kLeast = 1024;
constexpr uint64_t kMost = uint64_t{1} << 62;

constexpr uint64_t RoundUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

bool Buffer::GrowAmply(uint64_t n) {
  if (n > kMost - size_) return false;
  return Grow(std::max({size_ + n, capacity_ + capacity_ / 2, kLeast}));
}

bool Buffer::Grow(uint64_t capacity) {
  if (capacity > kMost) return false;
  // Before it is decided who owns it: Free() decides by what is kept.
  capacity = RoundUp(capacity, kAlignment);
  const bool pooled = capacity >= kPooledBytes;
  auto* const fresh =
      pooled ? BufferPool::Take(capacity) : static_cast<uint8_t*>(std::aligned_alloc(kAlignment, capacity));
  if (fresh == nullptr) return false;
  if (size_ != 0) std::memcpy(fresh, data_, size_);
  Free();
  data_ = fresh;
  capacity_ = capacity;
  return true;
}

void Buffer::Free() {
  if (capacity_ >= kPooledBytes) {
    BufferPool::Give(data_, capacity_);
  } else {
    std::free(data_);
  }
}

}  // namespace ofindex

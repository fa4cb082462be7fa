#include "query/decoding/buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/bytes.h"

namespace ofindex {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxWaste = 4;  // times what was asked for

// Rounds `n` up by at most a quarter, to a multiple of a large power of two, so that batches of similar size can reuse
// each other's memory. Untouched memory costs nothing.
constexpr uint64_t RoundUp(uint64_t n) {
  const uint64_t unit = std::max(kPage, std::bit_floor(n) / 4);
  return (n + unit - 1) / unit * unit;
}

// A piece in the pool has its capacity in its first eight bytes. The thread that swaps it out of its slot owns it.
std::array<std::atomic<uint8_t*>, 32> pool_slots{};
std::atomic<uint64_t> bytes_in_pool{0};

// Takes the piece in `slot`, and its capacity; null if it has none.
uint8_t* TakeFrom(std::atomic<uint8_t*>& slot, uint64_t& capacity) {
  uint8_t* const data = slot.exchange(nullptr, std::memory_order_acq_rel);
  if (data == nullptr) return nullptr;
  capacity = LoadLe64(data);
  bytes_in_pool.fetch_sub(capacity, std::memory_order_relaxed);
  return data;
}

// Frees the pieces of some slots, different ones at each call.
void MakeRoom(size_t count) {
  static std::atomic<size_t> next{0};
  for (size_t i = 0; i < count; ++i) {
    uint64_t capacity = 0;
    uint8_t* const data = TakeFrom(pool_slots[next++ % pool_slots.size()], capacity);
    if (data != nullptr) ::munmap(data, capacity);
  }
}

// Puts a piece into a slot. Returns false if there is no slot, or the pool would keep too much.
bool Keep(uint8_t* data, uint64_t capacity) {
  const uint64_t before = bytes_in_pool.fetch_add(capacity, std::memory_order_relaxed);
  if (before <= kMaxPooledBytes && capacity <= kMaxPooledBytes - before) {
    StoreLe64(data, capacity);
    for (auto& slot : pool_slots) {
      uint8_t* none = nullptr;
      if (slot.compare_exchange_strong(none, data, std::memory_order_acq_rel)) return true;
    }
  }
  bytes_in_pool.fetch_sub(capacity, std::memory_order_relaxed);
  return false;
}

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kMinCapacity = 1024;
constexpr uint64_t kMaxCapacity = uint64_t{1} << 62;

constexpr uint64_t RoundUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

uint8_t* BufferPool::Take(uint64_t& capacity) {
  for (auto& slot : pool_slots) {
    uint64_t there = 0;
    uint8_t* const data = TakeFrom(slot, there);
    if (data == nullptr) continue;
    if (there >= capacity && there / kMaxWaste <= capacity) {
      capacity = there;
      return data;
    }
    Give(data, there);
  }
  capacity = RoundUp(capacity);
  void* const fresh = ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return fresh == MAP_FAILED ? nullptr : static_cast<uint8_t*>(fresh);
}

void BufferPool::Give(uint8_t* data, uint64_t capacity) {
  if (capacity <= kMaxPooledBytes) {
    for (const size_t count : {size_t{0}, pool_slots.size() / 8, pool_slots.size()}) {
      MakeRoom(count);
      if (Keep(data, capacity)) return;
    }
  }
  ::munmap(data, capacity);
}

uint64_t BufferPool::kept_bytes() { return bytes_in_pool.load(std::memory_order_relaxed); }

bool Buffer::GrowAmply(uint64_t n) {
  if (n > kMaxCapacity - size_) return false;
  return Grow(std::max({size_ + n, capacity_ + capacity_ / 2, kMinCapacity}));
}

bool Buffer::Grow(uint64_t capacity) {
  if (capacity > kMaxCapacity) return false;
  // Round before choosing between pool and heap: Free() makes the same choice by the rounded capacity.
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

#include "mmap/files/kept_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ofindex {
namespace {

constexpr size_t kKeptRanges = 64;

constinit std::array<KeptPages, kKeptRanges> kept_ranges;

}  // namespace

KeptPages* KeptPages::Keep(uintptr_t begin, uintptr_t end) {
  for (KeptPages& entry : kept_ranges) {
    uintptr_t free = 0;
    if (!entry.begin_.compare_exchange_strong(free, begin, std::memory_order_acq_rel)) continue;
    entry.lost_.store(false, std::memory_order_relaxed);
    entry.end_.store(end, std::memory_order_release);
    return &entry;
  }
  return nullptr;
}

void KeptPages::Drop() {
  end_.store(0, std::memory_order_release);
  begin_.store(0, std::memory_order_release);
}

bool KeptPages::Replace(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (KeptPages& entry : kept_ranges) {
    const uintptr_t end = entry.end_.load(std::memory_order_acquire);
    if (at >= end || at < entry.begin_.load(std::memory_order_acquire)) continue;
    if (entry.end_.load(std::memory_order_acquire) != end) continue;  // another range took the entry meanwhile
    const int before = errno;
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    void* const zeros = ::mmap(reinterpret_cast<void*>(at / page * page), page, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    errno = before;
    if (zeros == MAP_FAILED) return false;
    entry.lost_.store(true, std::memory_order_release);
    return true;
  }
  return false;
}

}  // namespace ofindex

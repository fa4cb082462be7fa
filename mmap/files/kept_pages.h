#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ofindex {

/// A range of mapped pages that the fault handler keeps readable: a page that the file has lost, because it was
/// truncated or its disk failed, is replaced by zeros, and the range remembers it. Thread-safe.
///
/// The ranges lie in a table of fixed size, which the handler reads without locks.
class KeptPages {
 public:
  /// Keeps the pages at [begin, end), both multiples of the page size, until Drop(). Returns null if the table is full.
  [[nodiscard]] static KeptPages* Keep(uintptr_t begin, uintptr_t end);

  /// Returns whether a page was lost.
  [[nodiscard]] bool lost() const { return lost_.load(std::memory_order_acquire); }

  /// Frees the entry. Call it before the pages are unmapped.
  void Drop();

  /// Replaces the page at `address` by zeros and returns true if it lies in a kept range. Async-signal-safe.
  [[nodiscard]] static bool Replace(const void* address);

 private:
  std::atomic<uintptr_t> begin_{0};  // 0: the entry is free
  std::atomic<uintptr_t> end_{0};    // 0 while the entry is filled or freed
  std::atomic<bool> lost_{false};
};

}  // namespace ofindex

#pragma once

#include <atomic>
#include <cstdint>

namespace ofindex {

/// The bytes that the codes of dimensions may take. Thread-safe.
class CodeMemory {
 public:
  explicit CodeMemory(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Reserves `bytes`. Returns false, and reserves nothing, if they exceed the limit.
  [[nodiscard]] bool Reserve(uint64_t bytes) {
    uint64_t reserved = reserved_;
    do {
      if (bytes > max_bytes_ - reserved) return false;
    } while (!reserved_.compare_exchange_weak(reserved, reserved + bytes));
    return true;
  }

  void Release(uint64_t bytes) { reserved_ -= bytes; }

  [[nodiscard]] uint64_t reserved() const { return reserved_; }

 private:
  const uint64_t max_bytes_;
  std::atomic<uint64_t> reserved_{0};  // at most max_bytes_
};

}  // namespace ofindex

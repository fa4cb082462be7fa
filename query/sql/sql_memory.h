#pragma once

#include <cstdint>

namespace ofindex {

/// The memory that SQLite holds for one session, and its limit. SQLite itself has a single limit for the whole process:
/// a large statement of one session would end a small one of another. Used by one thread at a time.
class SqlMemory {
 public:
  SqlMemory() = default;
  SqlMemory(const SqlMemory&) = delete;
  SqlMemory& operator=(const SqlMemory&) = delete;

  /// Returns false if SQLite was in use before this library was loaded: then nothing is counted, and no limit holds.
  [[nodiscard]] static bool IsCounted();

  /// While it lives, SQLite's allocations and frees on this thread are counted in `memory`, which must outlive it.
  class Counting {
   public:
    explicit Counting(SqlMemory& memory);
    ~Counting();
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

   private:
    SqlMemory* const before_;
  };

  /// Limits the memory from now on, including what is already held. SQLite is refused an allocation that exceeds the
  /// limit, which ends its statement.
  void Bound(uint64_t bytes) {
    most_ = bytes;
    refused_ = false;
  }

  /// Returns true if an allocation of `bytes` bytes would be allowed now. For callers that can do without the memory.
  [[nodiscard]] bool HasRoom(uint64_t bytes) const { return used() <= most_ && bytes <= most_ - used(); }

  /// Returns true if an allocation was refused since the last call of Bound.
  [[nodiscard]] bool refused() const { return refused_; }

  /// Returns the bytes held.
  [[nodiscard]] uint64_t used() const { return used_ < 0 ? 0 : static_cast<uint64_t>(used_); }

 private:
  friend struct CountedAllocation;

  [[nodiscard]] bool Allows(uint64_t bytes);

  uint64_t most_ = UINT64_MAX;
  int64_t used_ = 0;
  bool refused_ = false;
};

}  // namespace ofindex

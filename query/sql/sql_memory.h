#pragma once

#include <cstdint>

namespace ofindex {

/// The memory that SQLite holds for one session, and a bound for it. SQLite itself has one bound for the whole
/// process, so that a large statement of one session would end a small one of another. Used by one thread at a time.
class SqlMemory {
 public:
  SqlMemory() = default;
  SqlMemory(const SqlMemory&) = delete;
  SqlMemory& operator=(const SqlMemory&) = delete;

  /// False if SQLite was in use before this library was loaded, and counts nothing: then no bound holds.
  [[nodiscard]] static bool IsCounted();

  /// While it lives, what SQLite allocates and frees on this thread is counted in `memory`, which must outlive it.
  class Counting {
   public:
    explicit Counting(SqlMemory& memory);
    ~Counting();
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

   private:
    SqlMemory* const before_;
  };

  /// Bounds the memory from now on, including what is already held. SQLite is refused an allocation that exceeds the
  /// bound, which ends its statement.
  void Bound(uint64_t bytes) {
    most_ = bytes;
    refused_ = false;
  }

  /// Returns true if an allocation of `bytes` would be allowed now, for callers that can do without it.
  [[nodiscard]] bool HasRoom(uint64_t bytes) const { return used() <= most_ && bytes <= most_ - used(); }

  /// Whether anything was refused since the last call of Bound.
  [[nodiscard]] bool refused() const { return refused_; }

  /// Bytes that are held.
  [[nodiscard]] uint64_t used() const { return used_ < 0 ? 0 : static_cast<uint64_t>(used_); }

 private:
  friend struct CountedAllocation;

  [[nodiscard]] bool Allows(uint64_t bytes);

  uint64_t most_ = UINT64_MAX;
  int64_t used_ = 0;
  bool refused_ = false;
};

}  // namespace ofindex

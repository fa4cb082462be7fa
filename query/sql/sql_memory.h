#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace ofindex {

/// The memory that SQLite holds for one session, and its limit. SQLite itself has a single limit for the whole process:
/// a large statement of one session would end a small one of another. Used by one thread at a time.
///
/// Allocations are also where a statement can be stopped between two calls of SQLite's progress handler: while large
/// values are copied, and while a statement is prepared, which SQLite 3.40 does without calling the handler. CTEs that
/// double with each definition are expanded while the statement is prepared.
class SqlMemory {
 public:
  /// Asks `may_continue` about once per MiB allocated; if it returns false, SQLite is refused the allocation, which
  /// ends its statement.
  explicit SqlMemory(std::function<bool()> may_continue) : may_go_on_(std::move(may_continue)) {}
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
    max_ = bytes;
    refused_ = false;
  }

  /// Returns true if an allocation of `bytes` bytes would be allowed now. For callers that can do without the memory.
  [[nodiscard]] bool HasRoom(uint64_t bytes) const { return used() <= max_ && bytes <= max_ - used(); }

  /// Counts `now` bytes held by others instead of `before`. Returns false, and changes nothing, if the limit forbids
  /// it.
  [[nodiscard]] bool Hold(uint64_t before, uint64_t now) {
    if (now > before && !HasRoom(now - before)) return false;
    used_ += static_cast<int64_t>(now) - static_cast<int64_t>(before);
    return true;
  }

  /// Returns true if an allocation was refused since the last call of Bound.
  [[nodiscard]] bool refused() const { return refused_; }

  /// Returns the bytes held.
  [[nodiscard]] uint64_t used() const { return used_ < 0 ? 0 : static_cast<uint64_t>(used_); }

 private:
  friend struct CountedAllocation;

  [[nodiscard]] bool Allows(uint64_t bytes);

  const std::function<bool()> may_go_on_;
  uint64_t max_ = UINT64_MAX;
  int64_t used_ = 0;
  uint64_t unasked_ = 0;  // bytes allocated since may_go_on_ was last asked
  bool refused_ = false;
};

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <functional>

#include "base/progress.h"
#include "base/result.h"

namespace ofindex {

/// The limits of a statement, for its tables to ask. A missing function sets no limit. A value type, used by the thread
/// that runs the statement.
struct WorkLimits {
  std::function<bool()> may_continue = nullptr;            ///< false: the work must end
  std::function<bool(uint64_t bytes)> has_room = nullptr;  ///< whether SQLite would allocate that much memory
  /// counts `now` bytes instead of `before` as memory of the statement; false: there is no room, and nothing changed
  std::function<bool(uint64_t before, uint64_t now)> hold = nullptr;

  /// Must be called every few milliseconds during long work. Errors: kInterrupted if the work must end.
  [[nodiscard]] Result<void> Check() const {
    if (may_continue && !may_continue()) return Interrupted();
    return {};
  }

  [[nodiscard]] bool HasRoom(uint64_t bytes) const { return !has_room || has_room(bytes); }
};

/// Memory that a scan holds besides SQLite's: all scans of a statement and SQLite share its limit. Not thread-safe; the
/// limits must outlive it.
class HeldMemory {
 public:
  explicit HeldMemory(const WorkLimits& limits) : limits_(&limits) {}
  ~HeldMemory() { static_cast<void>(Set(0)); }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  /// Holds `bytes` in all. Returns false if there is no room for them; then it holds what it held before.
  [[nodiscard]] bool Set(uint64_t bytes) {
    if (limits_->hold && !limits_->hold(bytes_, bytes)) return false;
    bytes_ = bytes;
    return true;
  }

 private:
  const WorkLimits* limits_;
  uint64_t bytes_ = 0;
};

}  // namespace ofindex

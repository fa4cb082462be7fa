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

  /// Must be called every few milliseconds during long work. Errors: kInterrupted if the work must end.
  [[nodiscard]] Result<void> Check() const {
    if (may_continue && !may_continue()) return Interrupted();
    return {};
  }

  [[nodiscard]] bool HasRoom(uint64_t bytes) const { return !has_room || has_room(bytes); }
};

}  // namespace ofindex

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "query/sql/sql_memory.h"

struct sqlite3;

namespace ofindex {

/// The limits of one statement. A statement that reaches a limit ends with kLimit, except for rows: rows beyond the
/// limit are left out, and the result says that it is truncated.
struct SqlLimits {
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;             ///< from the start of the statement
  std::optional<std::chrono::steady_clock::time_point> begin = std::nullopt;  ///< its start; nothing: now
  std::optional<uint64_t> rows = std::nullopt;
  uint64_t memory_bytes = uint64_t{1} << 30;  ///< that SQLite may hold for the session during the statement
  const std::atomic<bool>* cancel = nullptr;  ///< set by any thread: the statement ends with kInterrupted
};

/// Decides whether a statement may go on. SQLite asks it during execution, and so does long work outside SQLite. One
/// object per statement; used by the thread that runs the statement.
class StatementMonitor {
 public:
  /// `memory` is that of the session, and must outlive the monitor.
  StatementMonitor(const SqlLimits& limits, SqlMemory& memory);

  /// Returns true until a limit is reached or the statement is cancelled, and false from then on.
  [[nodiscard]] bool MayContinue();

  /// The reason to stop; nothing while the statement may go on.
  [[nodiscard]] const std::optional<Error>& reason() const { return reason_; }

  /// Makes the statements of `db` ask this monitor, which must outlive them or be replaced.
  void Watch(sqlite3* db);

 private:
  void CheckLimits();

  SqlLimits limits_;
  std::chrono::steady_clock::time_point begin_;
  SqlMemory& memory_;
  std::optional<Error> reason_;
};

}  // namespace ofindex

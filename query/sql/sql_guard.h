#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "query/sql/sql_memory.h"

struct sqlite3;

namespace ofindex {

/// What one statement may cost. A statement that reaches a limit ends with kLimit, except for rows: those after the
/// last are left out, and the rows say that they are truncated.
struct SqlLimits {
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;  ///< from the moment that the statement is given
  std::optional<uint64_t> rows = std::nullopt;
  uint64_t memory_bytes = uint64_t{1} << 30;  ///< that SQLite may hold for the session while the statement runs
  const std::atomic<bool>* cancel = nullptr;  ///< set by anyone: the statement ends with kInterrupted
};

/// Decides whether a statement may go on. SQLite asks it as it runs, and so does what takes long without SQLite. One
/// statement each; used by the thread that runs the statement.
class SqlGuard {
 public:
  /// `memory` is that of the session, and must outlive the guard.
  SqlGuard(const SqlLimits& limits, SqlMemory& memory);

  /// False once a limit was reached or the statement was cancelled; false ever after.
  [[nodiscard]] bool MayGoOn();

  /// Why it may not. Nothing as long as it may.
  [[nodiscard]] const std::optional<Error>& reason() const { return reason_; }

  /// Has the statements of `db` ask this guard, which must outlive them or be replaced.
  void Watch(sqlite3* db);

 private:
  void Look();

  SqlLimits limits_;
  std::chrono::steady_clock::time_point begin_;
  SqlMemory& memory_;
  std::optional<Error> reason_;
};

}  // namespace ofindex

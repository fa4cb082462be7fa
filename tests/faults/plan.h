#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ofindex::faults {

/// Kinds of calls, in the order of the counts in FAULTS_COUNTS. The last ones are allocations.
enum class Kind : size_t {
  kOpen,
  kClose,
  kRead,
  kMap,
  kStat,
  kList,
  kWrite,
  kSync,
  kTruncate,
  kRename,
  kLink,
  kUnlink,
  kMakeFolder,
  kRemoveFolder,
  kLock,
  kDuplicate,
  kMode,
  kNew,
  kSqlite,
  kLibrary,
};
inline constexpr const char* kKindNames[] = {"open", "close",    "read",   "map",  "stat",   "list",   "write",
                                             "sync", "truncate", "rename", "link", "unlink", "mkdir",  "rmdir",
                                             "lock", "dup",      "chmod",  "new",  "sqlite", "library"};

/// How a call fails: with this error number, or if that is 0, by reading or writing only half of the bytes.
using Fault = int;

/// Counts a call of `kind`. Returns how it has to fail, or nullopt if it must not. Counts nothing before main() begins,
/// after it ends, and while this thread is in the shim. Thread-safe.
[[nodiscard]] std::optional<Fault> Strike(Kind kind);

/// While one lives, nothing that its thread calls is counted.
class Uncounted {
 public:
  Uncounted();
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
  ~Uncounted();
};

/// Runs `call` unless it has to fail; it then returns `failed`, with errno set. `is_counted` is false for calls on
/// other files. A call that cannot read or write a part never fails with 0.
template <typename Result, typename Call>
Result Try(bool is_counted, Kind kind, Result failed, Call&& call) {
  if (is_counted) {
    if (const std::optional<Fault> fault = Strike(kind); fault && *fault != 0) {
      errno = *fault;
      return failed;
    }
  }
  return call();
}

}  // namespace ofindex::faults

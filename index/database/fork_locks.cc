#include "index/database/fork_locks.h"

#include <pthread.h>
#include <sqlite3.h>

#include <array>
#include <cstddef>

namespace ofindex::sqlite {
namespace {

// SQLite's process-wide locks, in the order in which SQLite takes one while it holds another: naming a temporary file
// needs random numbers, seeding them needs the default file system, and each of these needs memory.
constexpr std::array kLocks = {SQLITE_MUTEX_STATIC_VFS1, SQLITE_MUTEX_STATIC_VFS2, SQLITE_MUTEX_STATIC_VFS3,
                               SQLITE_MUTEX_STATIC_OPEN, SQLITE_MUTEX_STATIC_PRNG, SQLITE_MUTEX_STATIC_MAIN,
                               SQLITE_MUTEX_STATIC_LRU,  SQLITE_MUTEX_STATIC_PMEM, SQLITE_MUTEX_STATIC_MEM};

void LockAll() {
  for (const int lock : kLocks) sqlite3_mutex_enter(sqlite3_mutex_alloc(lock));
}

void UnlockAll() {
  for (size_t i = kLocks.size(); i > 0; --i) sqlite3_mutex_leave(sqlite3_mutex_alloc(kLocks[i - 1]));
}

}  // namespace

void HoldLocksAcrossForks() {
  static const int registered = ::pthread_atfork(LockAll, UnlockAll, UnlockAll);
  static_cast<void>(registered);
}

}  // namespace ofindex::sqlite

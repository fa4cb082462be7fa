#include "query/sql/sql_memory.h"

#include <sqlite3.h>

namespace ofindex {
namespace {

// SQLite allocates and fills as much in a few milliseconds at most.
constexpr uint64_t kBytesPerQuestion = 1 << 20;

// The account of this thread; null outside of sessions.
thread_local SqlMemory* counting_now = nullptr;

// SQLite's own allocator.
sqlite3_mem_methods sqlite_allocator;

int64_t SizeOf(void* bytes) { return bytes == nullptr ? 0 : sqlite_allocator.xSize(bytes); }

}  // namespace

// SQLite calls these functions under no lock of its own: each thread has its own account.
struct CountedAllocation {
  static void* Malloc(int bytes) {
    SqlMemory* const memory = counting_now;
    if (memory != nullptr && !memory->Allows(static_cast<uint64_t>(bytes))) return nullptr;
    void* const got = sqlite_allocator.xMalloc(bytes);
    if (memory != nullptr) memory->used_ += SizeOf(got);
    return got;
  }

  static void Free(void* bytes) {
    if (counting_now != nullptr) counting_now->used_ -= SizeOf(bytes);
    sqlite_allocator.xFree(bytes);
  }

  static void* Realloc(void* old, int bytes) {
    SqlMemory* const memory = counting_now;
    const int64_t before = SizeOf(old);
    if (memory != nullptr && bytes > before && !memory->Allows(static_cast<uint64_t>(bytes - before))) return nullptr;
    void* const got = sqlite_allocator.xRealloc(old, bytes);
    if (memory != nullptr && got != nullptr) memory->used_ += SizeOf(got) - before;
    return got;
  }

  // Makes SQLite use these functions, which it allows only before its first use. The command, the Python package and
  // libofindex.so have their own copies of SQLite; a program that links libofindex.a shares one copy with it.
  static bool Install() {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_allocator) != SQLITE_OK) return false;
    // Statistics that nobody reads would take a lock at each allocation, which a child might inherit locked.
    if (sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK) return false;
    sqlite3_mem_methods counting = sqlite_allocator;
    counting.xMalloc = Malloc;
    counting.xFree = Free;
    counting.xRealloc = Realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &counting) == SQLITE_OK;
  }
};

namespace {

const bool installed = CountedAllocation::Install();

}  // namespace

bool SqlMemory::IsCounted() { return installed; }

SqlMemory::Counting::Counting(SqlMemory& memory) : before_(std::exchange(counting_now, &memory)) {}

SqlMemory::Counting::~Counting() { counting_now = before_; }

bool SqlMemory::Allows(uint64_t bytes) {
  if (!HasRoom(bytes)) {
    refused_ = true;
    return false;
  }
  unasked_ += bytes;
  if (unasked_ < kBytesPerQuestion) return true;
  unasked_ = 0;
  return may_go_on_();
}

}  // namespace ofindex

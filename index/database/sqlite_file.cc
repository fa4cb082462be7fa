#include "index/database/sqlite_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "index/database/fork_locks.h"

// A SQLite file system (sqlite.org/vfs.html) with one file. Functions that do not concern files, such as time and
// random numbers, are those of the default file system.

namespace ofindex::sqlite {
namespace {

struct HeldFile : sqlite3_file {
  std::shared_ptr<const IndexFile> index;
};

HeldFile& Of(sqlite3_file* file) { return *static_cast<HeldFile*>(file); }

// The index that this thread is opening: SQLite opens a database file before sqlite3_open_v2 returns.
thread_local const std::shared_ptr<const IndexFile>* opening = nullptr;

int Close(sqlite3_file* file) {
  Of(file).index.~shared_ptr();
  return SQLITE_OK;
}

int ReadPage(const IndexFile& index, std::span<uint8_t> out, uint64_t offset) {
  const auto read = index.file().ReadAt(offset, out);
  if (!read) return SQLITE_IOERR_READ;
  const Result<void> unchanged = index.CheckUnchanged();
  if (!unchanged) return unchanged.error().code == ErrorCode::kStale ? SQLITE_IOERR_DATA : SQLITE_IOERR_FSTAT;
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(*read), out.end(), uint8_t{0});
  return *read == out.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int Read(sqlite3_file* file, void* out, int bytes, sqlite3_int64 offset) {
  const std::span page(static_cast<uint8_t*>(out), static_cast<size_t>(bytes));
  int code = SQLITE_IOERR_NOMEM;
  static_cast<void>(WithMemory("a page of an index", [&]() -> Result<void> {
    code = ReadPage(*Of(file).index, page, static_cast<uint64_t>(offset));
    return {};
  }));
  return code;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(Of(file).index->size());
  return SQLITE_OK;
}

// A file that everyone opens read-only needs no locks.
int Locked(sqlite3_file*, int) { return SQLITE_OK; }
int HasReservedLock(sqlite3_file*, int* has) {
  *has = 0;
  return SQLITE_OK;
}

constexpr sqlite3_io_methods MakeMethods() {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = Close;
  methods.xRead = Read;
  methods.xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; };
  methods.xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; };
  methods.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
  methods.xFileSize = FileSize;
  methods.xLock = Locked;
  methods.xUnlock = Locked;
  methods.xCheckReservedLock = HasReservedLock;
  methods.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
  methods.xSectorSize = [](sqlite3_file*) { return 4096; };
  methods.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; };
  return methods;
}
constexpr sqlite3_io_methods kMethods = MakeMethods();

int Open(sqlite3_vfs*, const char*, sqlite3_file* file, int flags, int* got) {
  file->pMethods = nullptr;
  if (opening == nullptr || (flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
  new (&Of(file).index) std::shared_ptr<const IndexFile>(*std::exchange(opening, nullptr));
  file->pMethods = &kMethods;
  if (got != nullptr) *got = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

int FullPathname(sqlite3_vfs*, const char* name, int room, char* out) {
  const size_t bytes = std::strlen(name) + 1;
  if (bytes > static_cast<size_t>(room)) return SQLITE_CANTOPEN;
  std::memcpy(out, name, bytes);
  return SQLITE_OK;
}

struct FileSystem {
  FileSystem() : name(StrCat("ofindex-", reinterpret_cast<uintptr_t>(this))), vfs(*sqlite3_vfs_find(nullptr)) {
    vfs.szOsFile = sizeof(HeldFile);
    vfs.pNext = nullptr;
    vfs.zName = name.c_str();
    vfs.xOpen = Open;
    vfs.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
    vfs.xAccess = [](sqlite3_vfs*, const char*, int, int* there) {
      *there = 0;
      return SQLITE_OK;
    };
    vfs.xFullPathname = FullPathname;
    registered = sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
  }

  const std::string name;  // differs between libraries that contain this code
  sqlite3_vfs vfs;
  bool registered;
};

}  // namespace

int OpenHeldFile(std::shared_ptr<const IndexFile> index, int flags, sqlite3** handle) {
  HoldLocksAcrossForks();
  if (sqlite3_vfs_find(nullptr) == nullptr) return SQLITE_NOMEM;  // SQLite had no memory to begin
  static FileSystem* const held = new FileSystem();               // never removed: connections may outlive main()
  if (!held->registered) return SQLITE_NOMEM;
  opening = &index;
  // An absolute path cannot be a special name of SQLite, such as ":memory:".
  const int result = sqlite3_open_v2(index->place().c_str(), handle, flags, held->name.c_str());
  opening = nullptr;
  return result;
}

}  // namespace ofindex::sqlite

#include "index/database/vacuum_files.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"

// A SQLite file system (sqlite.org/vfs.html) that differs from "unix-none" in the names of temporary files.

namespace ofindex::sqlite {
namespace {

thread_local VacuumFiles* vacuum = nullptr;

struct UnlockedFileSystem {
  UnlockedFileSystem()
      : base(sqlite3_vfs_find("unix-none")), name(StrCat("ofindex-", reinterpret_cast<uintptr_t>(this))) {
    if (base == nullptr) return;
    vfs = *base;
    vfs.pNext = nullptr;
    vfs.zName = name.c_str();
    vfs.pAppData = base;
    vfs.xOpen = [](sqlite3_vfs* self, const char* path, sqlite3_file* file, int flags, int* got) {
      auto* const unix_none = static_cast<sqlite3_vfs*>(self->pAppData);
      const bool is_temporary = path == nullptr && vacuum != nullptr;
      if (is_temporary) path = vacuum->NextName();
      if (is_temporary && path == nullptr) return SQLITE_NOMEM;
      return unix_none->xOpen(unix_none, path, file, flags, got);
    };
    registered = sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
  }

  sqlite3_vfs* const base;
  const std::string name;  // differs between libraries that contain this code
  sqlite3_vfs vfs{};
  bool registered = false;
};

}  // namespace

const char* FileSystemWithoutLocks() {
  if (sqlite3_vfs_find(nullptr) == nullptr) return nullptr;  // SQLite had no memory to begin
  static UnlockedFileSystem* const unlocked =
      new UnlockedFileSystem();  // never removed: connections may outlive main()
  return unlocked->registered ? unlocked->name.c_str() : nullptr;
}

VacuumFiles::VacuumFiles(std::string database) : database_(std::move(database)) { vacuum = this; }

VacuumFiles::~VacuumFiles() { vacuum = nullptr; }

const char* VacuumFiles::NextName() {
  const char* name = nullptr;
  static_cast<void>(WithMemory("a name", [&]() -> Result<void> {
    names_.push_back(StrCat(database_, "-vacuum-", names_.size() + 1) + std::string(2, '\0'));
    name = names_.back().c_str();
    ::unlink(name);  // left by a process that was killed before the file had lost its name
    return {};
  }));
  return name;
}

}  // namespace ofindex::sqlite

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults/journal.h"
#include "faults/plan.h"
#include "faults/watched.h"

// Calls that change folders.

namespace ofindex::faults {
namespace {

template <typename Words>
void Record(Journal& journal, int result, Words&& words) {
  const Uncounted inside;
  if (result == 0 && Journal::IsKept()) journal.Add(words());
}

int Rename(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const bool is_watched = IsWatched(from_folder, from) || IsWatched(to_folder, to);
  return Try(is_watched, Kind::kRename, -1, [&] {
    Journal journal;
    const auto result = static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
    Record(journal, is_watched ? result : -1, [&] {
      return "rename\t" + AbsolutePath(from_folder, from) + "\t" + AbsolutePath(to_folder, to) + "\t" +
             std::to_string(flags);
    });
    return result;
  });
}

int Link(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  const bool is_watched = IsWatched(to_folder, to);
  return Try(is_watched, Kind::kLink, -1, [&] {
    Journal journal;
    const auto result = static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
    Record(journal, is_watched ? result : -1,
           [&] { return "link\t" + AbsolutePath(from_folder, from) + "\t" + AbsolutePath(to_folder, to); });
    return result;
  });
}

int Unlink(int folder, const char* path, int flags) {
  const bool is_watched = IsWatched(folder, path);
  const bool is_folder = (flags & AT_REMOVEDIR) != 0;
  return Try(is_watched, is_folder ? Kind::kRemoveFolder : Kind::kUnlink, -1, [&] {
    Journal journal;
    const auto result = static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags));
    Record(journal, is_watched ? result : -1,
           [&] { return (is_folder ? "rmdir\t" : "unlink\t") + AbsolutePath(folder, path); });
    return result;
  });
}

std::string InodeAt(const char* path) {
  struct stat info {};
  return ::syscall(SYS_newfstatat, AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) == 0 ? std::to_string(info.st_ino) : "0";
}

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept { return Rename(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return Rename(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return Rename(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) noexcept { return Link(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return Link(from_folder, from, to_folder, to, flags);
}
int unlink(const char* path) noexcept { return Unlink(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) noexcept { return Unlink(folder, path, flags); }
int rmdir(const char* path) noexcept { return Unlink(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char* path, mode_t mode) noexcept {
  const bool is_watched = IsWatched(AT_FDCWD, path);
  return Try(is_watched, Kind::kMakeFolder, -1, [&] {
    Journal journal;
    const auto result = static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
    Record(journal, is_watched ? result : -1,
           [&] { return "mkdir\t" + InodeAt(path) + "\t" + AbsolutePath(AT_FDCWD, path); });
    return result;
  });
}

}  // extern "C"

}  // namespace ofindex::faults

#include "index/output/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"

namespace ofindex {

namespace fs = std::filesystem;

// Not by std::filesystem: libstdc++ ends the process if memory runs out while an iterator advances.
Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) return tl::unexpected(SystemError(folder, "cannot list", errno));
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr && errno != 0) return tl::unexpected(SystemError(folder, "cannot list", errno));
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end(), NaturalLess);
  return names;
}

Result<void> MakeFolders(const std::string& folder, std::vector<std::string>& made) {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path path = fs::absolute(folder, error); !error && !fs::exists(path, error); path = path.parent_path()) {
    if (path.has_filename()) missing.push_back(path);
  }
  for (; !error && !missing.empty(); missing.pop_back()) {
    if (!fs::create_directory(missing.back(), error)) continue;
    made.push_back(missing.back().string());
    // A folder that may not be listed cannot be synced.
    if (Result<void> synced = SyncDirectoryOf(made.back()); !synced && synced.error().system != EACCES) {
      return synced;
    }
  }
  if (error) return tl::unexpected(SystemError(folder, "cannot create the folder", error.value()));
  return {};
}

Result<void> CheckFolderOf(const std::string& path) {
  const std::string folder = FolderOf(path);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == EACCES) return tl::unexpected(SystemError(folder, "cannot list", errno));
  if (fd >= 0) ::close(fd);
  return {};
}

}  // namespace ofindex

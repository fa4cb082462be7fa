#include "index/output/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace ofindex {

namespace fs = std::filesystem;

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) return tl::unexpected(SystemError(folder, "cannot list", error.value()));
  std::sort(names.begin(), names.end(), NaturalLess);
  return names;
}

Result<void> CheckFolderOf(const std::string& path) {
  const std::string folder = FolderOf(path);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == EACCES) return tl::unexpected(SystemError(folder, "cannot list", errno));
  if (fd >= 0) ::close(fd);
  return {};
}

}  // namespace ofindex

#include "faults/watched.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "faults/plan.h"

namespace ofindex::faults {
namespace {

constexpr size_t kDescriptors = 65536;
std::array<std::atomic<bool>, kDescriptors> watched;

std::string FolderPath(int folder) {
  std::array<char, PATH_MAX> path{};
  const std::string link = folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder);
  const long n = ::syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), path.data(), path.size());
  return n < 0 ? std::string() : std::string(path.data(), static_cast<size_t>(n));
}

}  // namespace

std::string AbsolutePath(int folder, const char* path) {
  std::filesystem::path whole(path);
  if (whole.is_relative()) whole = FolderPath(folder) / whole;
  std::string text = whole.lexically_normal().string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

bool IsWatched(int folder, const char* path) {
  static const char* const root = std::getenv("FAULTS_FOLDER");
  if (root == nullptr) return false;
  const Uncounted inside;
  const int before = errno;
  const std::string text = AbsolutePath(folder, path);
  errno = before;
  const std::string_view whole(root);
  return text == whole || (text.starts_with(whole) && text[whole.size()] == '/');
}

bool IsWatched(int fd) { return fd >= 0 && static_cast<size_t>(fd) < kDescriptors && watched[static_cast<size_t>(fd)]; }

int Watch(int fd, bool is_watched) {
  if (fd >= 0 && static_cast<size_t>(fd) < kDescriptors) watched[static_cast<size_t>(fd)] = is_watched;
  return fd;
}

}  // namespace ofindex::faults

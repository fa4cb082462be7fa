#include "tools/prompt/history_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxHistoryEntries = 1000;
constexpr size_t kMaxEntryBytes = 10'000;
constexpr off_t kMaxHistoryBytes = 1 << 20;

// A descriptor of a regular file, which is closed with this object.
class HistoryDescriptor {
 public:
  HistoryDescriptor(const std::string& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, S_IRUSR | S_IWUSR)) {}
  ~HistoryDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  HistoryDescriptor(const HistoryDescriptor&) = delete;
  HistoryDescriptor& operator=(const HistoryDescriptor&) = delete;

  // Returns the size of the file; -1 if there is no such file.
  [[nodiscard]] off_t size() const {
    struct stat status {};
    return fd_ >= 0 && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : -1;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  const int fd_;
};

std::string StateFolder() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return state;
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? StrCat(std::string_view(home), "/.local/state") : "";
}

// Returns the last bytes of the file, at most kMaxHistoryBytes.
std::string ReadEnd(const std::string& path) {
  const HistoryDescriptor file(path, O_RDONLY);
  const off_t size = file.size();
  if (size <= 0) return "";
  const off_t begin = size > kMaxHistoryBytes ? size - kMaxHistoryBytes : 0;
  std::string text(static_cast<size_t>(size - begin), '\0');
  const ssize_t n = ::pread(file.get(), text.data(), text.size(), begin);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return text;
}

// Replaces the file by one that has only `entries`.
void Rewrite(const std::string& path, const std::vector<std::string>& entries) {
  const std::string draft = StrCat(path, ".", static_cast<int>(::getpid()));
  std::string text;
  for (const std::string& entry : entries) text += StrCat(entry, "\n");
  const HistoryDescriptor file(draft, O_WRONLY | O_CREAT | O_EXCL);
  if (file.size() != 0) return;
  const bool written = ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written || ::rename(draft.c_str(), path.c_str()) != 0) ::unlink(draft.c_str());
}

}  // namespace

HistoryFile::HistoryFile() {
  const std::string folder = StateFolder();
  if (!folder.empty()) path_ = StrCat(folder, "/ofindex/sql_history");
}

std::vector<std::string> HistoryFile::Load() const {
  std::vector<std::string> entries;
  const std::string text = ReadEnd(path_);
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    if (end > begin && end - begin <= kMaxEntryBytes) entries.push_back(Printable(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  const bool only_end = text.size() == size_t{kMaxHistoryBytes};
  if (only_end && !entries.empty()) entries.erase(entries.begin());  // its beginning was not read
  const bool much_longer = only_end || entries.size() > 2 * kMaxHistoryEntries;
  if (entries.size() > kMaxHistoryEntries) {
    entries.erase(entries.begin(), entries.end() - static_cast<ptrdiff_t>(kMaxHistoryEntries));
  }
  if (much_longer) Rewrite(path_, entries);
  return entries;
}

void HistoryFile::Append(const std::string& entry) const {
  if (path_.empty() || entry.size() > kMaxEntryBytes || entry.find('\n') != std::string::npos) return;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  std::error_code ignored;
  std::filesystem::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), S_IRWXU);
  const HistoryDescriptor file(path_, O_WRONLY | O_APPEND | O_CREAT);
  if (file.size() < 0) return;
  const std::string line = StrCat(entry, "\n");
  static_cast<void>(::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}

}  // namespace ofindex

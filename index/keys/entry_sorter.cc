#include "index/keys/entry_sorter.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <queue>

#include "base/fd_io.h"
#include "base/file.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kEntriesAtOnce = size_t{1} << 14;  // read from one run: 256 KiB

// Opens a new file that has no name, or no more.
int OpenUnnamed(const std::string& folder) {
  const int fd = OpenRetrying(folder.c_str(), O_TMPFILE | O_RDWR, 0600);
  if (fd >= 0) return fd;
  std::string path = folder + "/.ofindex-keys-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace

EntryFile::~EntryFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<uint64_t> EntryFile::Append(const std::vector<KeyEntry>& entries) {
  if (fd_ < 0) fd_ = OpenUnnamed(folder_);
  if (fd_ < 0) return tl::unexpected(SystemError(folder_, "cannot create a temporary file", errno));
  const ByteView bytes(reinterpret_cast<const uint8_t*>(entries.data()), entries.size() * sizeof(KeyEntry));
  if (!WriteFully(fd_, count_ * sizeof(KeyEntry), bytes)) {
    return tl::unexpected(SystemError(folder_, "cannot write a temporary file", errno));
  }
  const uint64_t first = count_;
  count_ += entries.size();
  return first;
}

Result<void> EntryFile::Read(uint64_t first, std::vector<KeyEntry>& entries) const {
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(entries.data()), entries.size() * sizeof(KeyEntry));
  size_t done = 0;
  if (ReadFully(fd_, first * sizeof(KeyEntry), bytes, done) && done == bytes.size()) return {};
  return tl::unexpected(SystemError(folder_, "cannot read a temporary file", errno));
}

Result<void> EntrySorter::Take(std::vector<KeyEntry>& entries) {
  if (entries.empty()) return {};
  std::sort(entries.begin(), entries.end());
  const uint64_t bytes = entries.size() * sizeof(KeyEntry);
  const std::lock_guard lock(mutex_);
  size_ += entries.size();
  Run run;
  if (bytes_in_memory_ + bytes <= memory_bytes_) {
    bytes_in_memory_ += bytes;
    run.entries = std::exchange(entries, {});
  } else {
    OFINDEX_ASSIGN(run.next_in_file, file_.Append(entries));
    run.left_in_file = entries.size();
    entries.clear();
  }
  runs_.push_back(std::move(run));
  return {};
}

// Reads the next entries of a run that has none left in memory. Returns false if there are no more.
Result<bool> EntrySorter::Refill(Run& run) const {
  if (run.at < run.entries.size()) return true;
  if (run.left_in_file == 0) return false;
  run.entries.resize(std::min<uint64_t>(run.left_in_file, kEntriesAtOnce));
  OFINDEX_TRY(file_.Read(run.next_in_file, run.entries));
  run.next_in_file += run.entries.size();
  run.left_in_file -= run.entries.size();
  run.at = 0;
  return true;
}

Result<void> EntrySorter::Merge(const std::function<Result<void>(const KeyEntry&)>& visit, const Progress& progress) {
  constexpr uint64_t kVisitsBetweenChecks = 1 << 16;
  using Head = std::pair<KeyEntry, size_t>;  // the next entry of a run, and the run
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto push = [&](size_t number) -> Result<void> {
    Run& run = runs_[number];
    OFINDEX_ASSIGN(const bool more, Refill(run));
    if (more) heads.emplace(run.entries[run.at++], number);
    return {};
  };
  for (size_t i = 0; i < runs_.size(); ++i) OFINDEX_TRY(push(i));
  for (uint64_t visited = 0; !heads.empty(); ++visited) {
    if (visited % kVisitsBetweenChecks == 0 && progress.cancel) return Interrupted();
    const auto [entry, number] = heads.top();
    heads.pop();
    OFINDEX_TRY(visit(entry));
    OFINDEX_TRY(push(number));
  }
  return {};
}

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/keys/key_writer.h"

namespace ofindex {

/// Entries in one file without a name, which goes away with this object.
class EntryFile {
 public:
  /// `folder` is where the file will be. It is created when the first entries are appended.
  explicit EntryFile(std::string folder) : folder_(std::move(folder)) {}
  ~EntryFile();
  EntryFile(const EntryFile&) = delete;
  EntryFile& operator=(const EntryFile&) = delete;

  /// Return the number of entries before this call; reads the entries from number `first`. Errors: kIo.
  [[nodiscard]] Result<uint64_t> Append(const std::vector<KeyEntry>& entries);
  [[nodiscard]] Result<void> Read(uint64_t first, std::vector<KeyEntry>& entries) const;

 private:
  const std::string folder_;
  int fd_ = -1;
  uint64_t count_ = 0;
};

/// Sorts any number of entries in bounded memory: runs of them are sorted as they come, kept in memory or, beyond a
/// limit, in a temporary file, and merged in the end.
class EntrySorter {
 public:
  /// Entries that a caller collects before it hands them over: 8 MiB.
  static constexpr size_t kRunEntries = size_t{1} << 19;
  static constexpr uint64_t kMemoryBytes = uint64_t{256} << 20;

  /// `folder` is where a temporary file may be.
  explicit EntrySorter(std::string folder, uint64_t memory_bytes = kMemoryBytes)
      : memory_bytes_(memory_bytes), file_(std::move(folder)) {}

  /// Sorts and takes `entries`, and leaves it empty. Thread-safe. Errors: kIo.
  [[nodiscard]] Result<void> Take(std::vector<KeyEntry>& entries);

  /// Returns the number of entries taken.
  [[nodiscard]] uint64_t size() const { return size_; }

  /// Calls `visit` for all entries in ascending order. Errors: those of `visit`; kIo; kInterrupted.
  [[nodiscard]] Result<void> Merge(const std::function<Result<void>(const KeyEntry&)>& visit, const Progress& progress);

 private:
  struct Run {
    std::vector<KeyEntry> entries;  // all of them, or those read last
    uint64_t next_in_file = 0;
    uint64_t left_in_file = 0;
    size_t at = 0;
  };

  [[nodiscard]] Result<bool> Refill(Run& run) const;

  const uint64_t memory_bytes_;
  std::mutex mutex_;
  EntryFile file_;
  std::vector<Run> runs_;
  uint64_t size_ = 0;
  uint64_t bytes_in_memory_ = 0;
};

}  // namespace ofindex

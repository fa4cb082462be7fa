#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// What the file system says of a file. Two equal values mean: the same inode, not written to in between (as far as
/// the file system's clock can tell; Linux 6.13 and later tell apart any two states that were looked at).
struct FileFacts {
  uint64_t size = 0;  ///< bytes
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  bool regular = false;

  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

/// Facts of the file at `path`, links followed. Errors: kIo, with the system's reason.
[[nodiscard]] Result<FileFacts> StatFile(const std::string& path);

/// Path of the working directory; empty if it has none.
[[nodiscard]] std::string WorkingFolder();

/// The path that names from anywhere what `path` names in the folder `anchor`, which is absolute. `path` itself if
/// `anchor` is empty.
[[nodiscard]] std::string PathFrom(const std::string& anchor, const std::string& path);

/// The error for a failed system call on `path`: "<path>: <what>: <reason of errno>".
[[nodiscard]] Error SystemError(std::string_view path, std::string_view what, int errno_value);

/// A file open for reading. Owns its descriptor; moves, does not copy. Thread-safe: reads name their offset.
class File {
 public:
  /// Opens a regular file, links followed. Never blocks on a FIFO, never becomes a terminal's owner, never leaks into
  /// a child program. Messages call it `shown`, or `path` without that. Errors: kIo, also for anything that is not a
  /// regular file.
  [[nodiscard]] static Result<File> OpenRead(const std::string& path, const std::string& shown = {});

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  [[nodiscard]] Result<FileFacts> Facts() const;

  /// Reads up to out.size() bytes from `offset`. Returns how many; fewer only where the file ends.
  /// Thread-safe. Errors: kIo.
  [[nodiscard]] Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const;

  /// True if the byte at `offset` can be read without waiting for the disk; false too where the system cannot tell.
  [[nodiscard]] bool IsCachedAt(uint64_t offset) const;

  /// Asks for `n` bytes from `offset` to be read in the background. Only a hint.
  void WillNeed(uint64_t offset, uint64_t n) const;

  /// What the next reads will look like, so that the kernel reads ahead, or does not. Only a hint.
  enum class Access { kSequential, kRandom };
  void Advise(Access access) const;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  File(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_ = -1;
  std::string path_;
};

}  // namespace ofindex

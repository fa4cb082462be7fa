#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// The facts by which a file is recognised as one seen before. The inode change time (ctime) cannot be set, so a
/// replacement is noticed even if it has the same size and mtime as the original file. The device is left out because
/// its number changes after a reboot or a mount.
struct FileState {
  uint64_t size = 0;  ///< bytes
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;
  uint64_t inode = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

/// Facts about a file, from the file system. If two values are equal, they describe the same inode, and it was not
/// written to in between, as far as the file system's clock can tell. (Linux 6.13 and later distinguish any two states
/// that were queried.)
struct FileFacts : FileState {
  uint64_t device = 0;
  bool regular = false;

  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

/// Returns the facts of the file at `path`, following links. Errors: kIo, with the system's reason.
[[nodiscard]] Result<FileFacts> StatFile(const std::string& path);

/// Returns the path of the working directory, or an empty string if there is none.
[[nodiscard]] std::string WorkingFolder();

/// Returns the folder of `path`, as a prefix to open files by: "a/b" -> "a", "b" -> ".".
[[nodiscard]] std::string FolderOf(const std::string& path);

/// Returns `path` resolved against the absolute folder `anchor`, so that it works from any working directory. Returns
/// `path` itself if it is absolute or `anchor` is empty.
[[nodiscard]] std::string PathFrom(const std::string& anchor, const std::string& path);

/// Returns the error for a failed system call on `path`: "<path>: <what>: <reason of errno>".
[[nodiscard]] Error SystemError(std::string_view path, std::string_view what, int errno_value);

/// Returns true if this error of a call on a path means that the path leads to no file that this process could read or
/// write: there is none, or a folder on the way is closed to it. Other errors say nothing about the file.
[[nodiscard]] bool IsOutOfReach(int errno_value);

/// Returns true if `error` is the system's, such as of a failing disk or for lack of memory, and says nothing about the
/// file that was looked at: what may be done only to some files must not be done to this one.
[[nodiscard]] bool SaysNothingOfFile(const Error& error);

/// Returns true if something is at `path`, be it a link that leads nowhere. Errors: kIo if that cannot be told.
[[nodiscard]] Result<bool> IsTaken(const std::string& path);

/// A file open for reading. Owns its descriptor; movable, not copyable. Thread-safe: each read has an explicit offset.
class File {
 public:
  /// Opens a regular file, following links. Never blocks on a FIFO, never acquires a controlling terminal, never leaks
  /// the descriptor into a child program. Messages use `shown`, or `path` if `shown` is empty. Errors: kIo, also if
  /// `path` is not a regular file.
  [[nodiscard]] static Result<File> OpenRead(const std::string& path, const std::string& shown = {});

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  [[nodiscard]] Result<FileFacts> Facts() const;

  /// Reads up to out.size() bytes from `offset`. Returns the number read, which is smaller only at the end of the file.
  /// Thread-safe. Errors: kIo.
  [[nodiscard]] Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const;

  /// Returns true if the byte at `offset` can be read without waiting for the disk; false if not, or if unknown.
  [[nodiscard]] bool IsCachedAt(uint64_t offset) const;

  /// Asks the kernel to read `n` bytes from `offset` in the background. Only a hint.
  void WillNeed(uint64_t offset, uint64_t n) const;

  /// The expected access pattern, which turns the kernel's read-ahead on or off. Only a hint.
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

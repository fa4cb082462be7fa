#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// A file written sequentially through a buffer. Owns its descriptor; movable, not copyable; not thread-safe. The
/// destructor does not flush: a file that was not flushed is considered abandoned.
class OutputFile {
 public:
  /// Creates `path`, or truncates it. Errors: kIo.
  [[nodiscard]] static Result<OutputFile> Create(const std::string& path);

  /// Writes to `fd`, an open, empty file, and takes ownership of it.
  OutputFile(int fd, std::string path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  [[nodiscard]] Result<void> Append(ByteView bytes);

  /// Appends the first `size` bytes of `file`, sharing them instead of copying if the file system can.
  /// Errors: kIo, also if the file is shorter.
  [[nodiscard]] Result<void> AppendFile(const File& file, uint64_t size);

  /// Overwrites bytes appended earlier.
  [[nodiscard]] Result<void> WriteAt(uint64_t offset, ByteView bytes);

  /// Passes the buffer to the system. Errors: kIo, including a full disk.
  [[nodiscard]] Result<void> Flush();

  /// Flushes, and returns once the bytes are on disk.
  [[nodiscard]] Result<void> Sync();

  /// Returns the number of bytes appended so far.
  [[nodiscard]] uint64_t size() const { return flushed_ + buffer_.size(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] Result<void> WriteAll(uint64_t offset, ByteView bytes);

  int fd_ = -1;
  std::string path_;
  std::vector<uint8_t> buffer_;
  uint64_t flushed_ = 0;
};

/// Syncs the directory of `path`, so that a rename in it survives a power failure.
[[nodiscard]] Result<void> SyncDirectoryOf(const std::string& path);

}  // namespace ofindex

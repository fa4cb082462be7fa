#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// A file being written from its beginning to its end, through a buffer. Owns its descriptor; moves, does not copy;
/// not thread-safe. What is not flushed when the object dies is lost: it stands for a file that was given up.
class OutputFile {
 public:
  /// Creates or empties `path`. Errors: kIo.
  [[nodiscard]] static Result<OutputFile> Create(const std::string& path);

  /// Writes to `fd`, an open file that is empty, and which this object then owns.
  OutputFile(int fd, std::string path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  [[nodiscard]] Result<void> Append(ByteView bytes);

  /// Appends the first `size` bytes of `file`: without copying them, where the file system can share them.
  /// Errors: kIo, also where the file is shorter.
  [[nodiscard]] Result<void> AppendFile(const File& file, uint64_t size);

  /// Overwrites bytes that were appended before.
  [[nodiscard]] Result<void> WriteAt(uint64_t offset, ByteView bytes);

  /// Hands the buffer to the system. Errors: kIo, a full disk among them.
  [[nodiscard]] Result<void> Flush();

  /// Flushes, and returns once the bytes are on the disk.
  [[nodiscard]] Result<void> Sync();

  /// Bytes appended so far.
  [[nodiscard]] uint64_t size() const { return flushed_ + buffer_.size(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] Result<void> WriteAll(uint64_t offset, ByteView bytes);

  int fd_ = -1;
  std::string path_;
  std::vector<uint8_t> buffer_;
  uint64_t flushed_ = 0;
};

/// fsync of the directory that `path` is in, so that a rename in it survives a power cut.
[[nodiscard]] Result<void> SyncDirectoryOf(const std::string& path);

}  // namespace ofindex

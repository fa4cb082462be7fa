#include "base/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/fd_io.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;

}  // namespace

Result<OutputFile> OutputFile::Create(const std::string& path) {
  const int fd = OpenRetrying(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) return tl::unexpected(SystemError(path, "cannot create", errno));
  return OutputFile(fd, path);
}

OutputFile::OutputFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      flushed_(other.flushed_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(buffer_, other.buffer_);
  std::swap(flushed_, other.flushed_);
  return *this;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> OutputFile::Append(ByteView bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    OFINDEX_TRY(Flush());
    if (bytes.size() > kBufferBytes) {
      OFINDEX_TRY(WriteAll(flushed_, bytes));
      flushed_ += bytes.size();
      return {};
    }
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> OutputFile::AppendFile(const File& file, uint64_t size) {
  OFINDEX_TRY(Flush());
  uint64_t done = 0;
  while (done < size) {
    auto from = static_cast<off_t>(done);
    auto to = static_cast<off_t>(flushed_);
    const ssize_t n = ::copy_file_range(file.fd(), &from, fd_, &to, size - done, 0);
    if (n <= 0) break;  // at the end, or unsupported between these file systems: the rest is copied below
    done += static_cast<uint64_t>(n);
    flushed_ += static_cast<uint64_t>(n);
  }
  std::vector<uint8_t> piece(std::min<uint64_t>(kBufferBytes, size - done));
  while (done < size) {
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(piece.size(), size - done));
    OFINDEX_ASSIGN(const size_t n, file.ReadAt(done, std::span(piece).first(wanted)));
    if (n == 0) {
      return Fail(ErrorCode::kIo, StrCat(Printable(file.path()), ": the file shrinks while it is copied"),
                  "run it again when no other program writes to the file");
    }
    OFINDEX_TRY(Append(ByteView(piece).first(n)));
    done += n;
  }
  return {};
}

Result<void> OutputFile::WriteAt(uint64_t offset, ByteView bytes) {
  OFINDEX_TRY(Flush());
  return WriteAll(offset, bytes);
}

Result<void> OutputFile::Flush() {
  OFINDEX_TRY(WriteAll(flushed_, buffer_));
  flushed_ += buffer_.size();
  buffer_.clear();
  return {};
}

Result<void> OutputFile::Sync() {
  OFINDEX_TRY(Flush());
  if (::fsync(fd_) != 0) return tl::unexpected(SystemError(path_, "cannot sync", errno));
  return {};
}

Result<void> OutputFile::WriteAll(uint64_t offset, ByteView bytes) {
  if (WriteFully(fd_, offset, bytes)) return {};
  return tl::unexpected(SystemError(path_, "cannot write", errno));
}

Result<void> SyncDirectoryOf(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  const int fd = OpenRetrying(directory.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd < 0) return tl::unexpected(SystemError(directory, "cannot open", errno));
  const int result = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  // Some network file systems cannot sync a directory and return EINVAL: on these, the rename alone must suffice.
  if (result != 0 && error != EINVAL) return tl::unexpected(SystemError(directory, "cannot sync", error));
  return {};
}

}  // namespace ofindex

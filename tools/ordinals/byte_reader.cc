#include "tools/ordinals/byte_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/progress.h"

namespace ofindex {
namespace {

constexpr size_t kReaderBytes = size_t{64} << 10;

}  // namespace

ByteReader::ByteReader(int fd, std::string name, const std::atomic<bool>& cancel)
    : fd_(fd), name_(std::move(name)), cancel_(&cancel), buffer_(kReaderBytes) {}

Result<ByteReader> ByteReader::Open(const std::string& path, const std::atomic<bool>& cancel) {
  if (path == "-") return ByteReader(STDIN_FILENO, "standard input", cancel);
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);  // a FIFO waits for its writer
    if (fd >= 0) return ByteReader(fd, path, cancel);
    if (errno != EINTR) return tl::unexpected(SystemError(path, "cannot open the list of ordinals", errno));
    if (cancel) return Interrupted();
  }
}

ByteReader::ByteReader(ByteReader&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      cancel_(other.cancel_),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      at_(other.at_),
      size_(other.size_),
      line_(other.line_),
      ended_(other.ended_) {}

ByteReader::~ByteReader() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

Result<void> ByteReader::Fill() {
  begin_ += size_;
  at_ = size_ = 0;
  for (;;) {
    if (*cancel_) return Interrupted();
    const ssize_t n = ::read(fd_, buffer_.data(), buffer_.size());
    if (n >= 0) {
      size_ = static_cast<size_t>(n);
      ended_ = n == 0;
      return {};
    }
    if (errno != EINTR) return tl::unexpected(SystemError(name_, "cannot read the list of ordinals", errno));
  }
}

}  // namespace ofindex

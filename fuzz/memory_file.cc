#include "fuzz/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "fuzz/expect.h"

namespace ofindex {

MemoryFile::MemoryFile(ByteView bytes) : fd_(::memfd_create("input", MFD_CLOEXEC)) {
  Expect(fd_ >= 0, "no memory for a file");
  path_ = StrCat("/proc/self/fd/", fd_);
  Overwrite(0, bytes);
}

MemoryFile::~MemoryFile() { ::close(fd_); }

File MemoryFile::Open() const {
  Result<File> file = File::OpenRead(path_);
  Expect(file.has_value(), "a file in memory cannot be opened");
  return std::move(*file);
}

void MemoryFile::Overwrite(uint64_t at, ByteView bytes) const {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    Expect(written > 0, "no memory for a file of ", bytes.size(), " bytes");
    done += static_cast<size_t>(written);
  }
}

void MemoryFile::CutTo(uint64_t size) const {
  Expect(::ftruncate(fd_, static_cast<off_t>(size)) == 0, "a file in memory cannot be cut off");
}

void WriteFileAt(const std::string& path, ByteView bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(AsText(bytes).data(), std::ssize(bytes));
  Expect(file.flush().good(), "a file cannot be written: ", path);
}

void BecomeStandardInput(const MemoryFile& file) {
  const int fd = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
  Expect(fd >= 0 && ::dup2(fd, STDIN_FILENO) == STDIN_FILENO, "standard input cannot be replaced");
  ::close(fd);
}

std::vector<uint8_t> BytesWritten(const std::function<Result<void>(OutputFile)>& write) {
  const MemoryFile memory({});
  const int fd = ::open(memory.path().c_str(), O_RDWR | O_CLOEXEC);
  Expect(fd >= 0, "a file in memory cannot be opened");
  const Result<void> written = write(OutputFile(fd, "input"));
  Expect(written.has_value(), "a file in memory cannot be written: ", written ? "" : written.error().message);
  const File file = memory.Open();
  std::vector<uint8_t> bytes(file.Facts()->size);
  Expect(file.ReadAt(0, bytes) == bytes.size(), "a file in memory cannot be read");
  return bytes;
}

}  // namespace ofindex

#include "tests/support/files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace ofindex {
namespace {

// Writes `bytes` at `offset` of `path`, opened with `flags`.
void WriteWith(int flags, const std::string& path, uint64_t offset, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  REQUIRE_MESSAGE(fd >= 0, "cannot open ", path);
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    REQUIRE_MESSAGE(n > 0, "cannot write ", path);
    offset += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  REQUIRE(::close(fd) == 0);
}

}  // namespace

void WriteFile(const std::string& path, std::string_view bytes) { WriteWith(O_CREAT | O_TRUNC, path, 0, bytes); }

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), "cannot open ", path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void AppendTo(const std::string& path, std::string_view bytes) {
  WriteWith(0, path, std::filesystem::file_size(path), bytes);
}

void OverwriteAt(const std::string& path, uint64_t offset, std::string_view bytes) {
  WriteWith(0, path, offset, bytes);
}

void TruncateTo(const std::string& path, uint64_t size) {
  REQUIRE(::truncate(path.c_str(), static_cast<off_t>(size)) == 0);
}

void FlipBit(const std::string& path, uint64_t offset, int bit) {
  const std::string bytes = ReadFile(path);
  OverwriteAt(path, offset, std::string_view(WithFlippedBit(bytes, offset, bit)).substr(offset, 1));
}

std::string WithFlippedBit(std::string bytes, uint64_t offset, int bit) {
  bytes.at(offset) = static_cast<char>(bytes.at(offset) ^ (1 << bit));
  return bytes;
}

void ReplaceFile(const std::string& path, std::string_view bytes) {
  const std::string beside = path + ".new";
  WriteFile(beside, bytes);
  REQUIRE(std::rename(beside.c_str(), path.c_str()) == 0);
}

void WaitForNextMtime() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

void SetMtime(const std::string& path, int64_t mtime_ns) {
  const timespec mtime{.tv_sec = mtime_ns / 1'000'000'000, .tv_nsec = mtime_ns % 1'000'000'000};
  const std::array<timespec, 2> times = {mtime, mtime};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) == 0);
}

}  // namespace ofindex

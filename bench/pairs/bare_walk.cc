#include "bench/pairs/bare_walk.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/bytes.h"
#include "base/threads.h"

namespace ofindex {
namespace {

constexpr uint64_t kFraming = 16;
constexpr uint64_t kHeader = 12;
constexpr uint64_t kBufferBytes = 256 << 10;

uint64_t WalkShard(int fd) {
  std::vector<uint8_t> buffer(kBufferBytes);
  uint64_t records = 0;
  uint64_t begin = 0;
  for (;;) {
    const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(begin));
    if (n < static_cast<ssize_t>(kHeader)) return records;
    uint64_t at = 0;
    for (; at + kHeader <= static_cast<uint64_t>(n); ++records) at += LoadLe64(buffer.data() + at) + kFraming;
    begin += at;
  }
}

uint64_t HopShard(int fd) {
  static_cast<void>(::posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM));
  std::array<uint8_t, kHeader> header;
  uint64_t records = 0;
  uint64_t at = 0;
  while (::pread(fd, header.data(), header.size(), static_cast<off_t>(at)) == static_cast<ssize_t>(kHeader)) {
    at += LoadLe64(header.data()) + kFraming;
    ++records;
  }
  return records;
}

template <typename OneShard>
Result<uint64_t> OverShards(const std::vector<std::string>& shards, unsigned threads, const OneShard& one_shard) {
  std::atomic<size_t> next{0};
  std::atomic<uint64_t> records{0};
  std::atomic<bool> failed{false};
  RunOnThreads(std::min(threads, static_cast<unsigned>(shards.size())), [&](unsigned) {
    for (size_t i = next++; i < shards.size(); i = next++) {
      const int fd = ::open(shards[i].c_str(), O_RDONLY | O_CLOEXEC);
      if (fd < 0) failed = true;
      if (fd >= 0) records += one_shard(fd);
      if (fd >= 0) ::close(fd);
    }
  });
  if (failed) return Fail(ErrorCode::kIo, "a shard cannot be opened");
  return records;
}

}  // namespace

Result<uint64_t> BareWalk(const std::vector<std::string>& shards, unsigned threads) {
  return OverShards(shards, threads, WalkShard);
}

Result<uint64_t> BareHop(const std::vector<std::string>& shards, unsigned chains) {
  return OverShards(shards, chains, HopShard);
}

}  // namespace ofindex

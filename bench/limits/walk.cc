#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "bench/limits/commands.h"
#include "bench/limits/shards.h"

namespace limits {
namespace {

constexpr uint64_t kHeader = 12;   // length and its checksum
constexpr uint64_t kFraming = 16;  // header, and the checksum of the payload
constexpr size_t kBuffer = 256 << 10;

uint64_t LengthAt(const uint8_t* bytes) {
  uint64_t length;
  std::memcpy(&length, bytes, sizeof length);
  return length;
}

// Counts the records of a shard by following their lengths through a buffer.
uint64_t WalkShard(int file) {
  std::vector<uint8_t> buffer(kBuffer + kHeader);
  uint64_t records = 0;
  uint64_t next = 0;  // position of the next header in the buffer
  uint64_t kept = 0;  // bytes of a header that the last piece did not complete
  while (true) {
    const ssize_t got = read(file, buffer.data() + kept, kBuffer);
    if (got <= 0) return records;
    const uint64_t end = kept + static_cast<uint64_t>(got);
    while (next + kHeader <= end) {
      next += LengthAt(buffer.data() + next) + kFraming;
      ++records;
    }
    kept = next < end ? end - next : 0;
    std::memmove(buffer.data(), buffer.data() + end - kept, kept);
    next -= end - kept;
  }
}

// Counts the records of a shard by reading their headers alone.
uint64_t HopShard(int file) {
  uint64_t records = 0;
  uint8_t header[kHeader];
  for (off_t at = 0; pread(file, header, sizeof header, at) == sizeof header; ++records) {
    at += static_cast<off_t>(LengthAt(header) + kFraming);
  }
  return records;
}

int CountIn(Words words, unsigned at_once, const std::function<uint64_t(int)>& count) {
  const std::vector<ShardPaths> shards = ShardsOf(words[0]);
  std::atomic<size_t> next = 0;
  std::atomic<uint64_t> records = 0;
  const auto take = [&] {
    for (size_t i; (i = next.fetch_add(1)) < shards.size();) {
      const int file = open(shards[i].shard.c_str(), O_RDONLY | O_CLOEXEC);
      if (file < 0) Fail(shards[i].shard);
      records += count(file);
      close(file);
    }
  };
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < at_once; ++i) threads.emplace_back(take);
  for (std::thread& thread : threads) thread.join();
  Print(records, std::chrono::steady_clock::now() - begin, {records});
  return 0;
}

}  // namespace

int Walk(Words words) {
  if (words.size() != 1) return 2;
  return CountIn(words, std::thread::hardware_concurrency(), WalkShard);
}

int Hop(Words words) {
  if (words.size() != 2) return 2;
  return CountIn(words, static_cast<unsigned>(std::strtoul(words[1], nullptr, 10)), HopShard);
}

}  // namespace limits

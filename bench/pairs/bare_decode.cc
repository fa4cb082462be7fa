#include "bench/pairs/bare_decode.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "base/threads.h"

namespace ofindex {
namespace {

constexpr uint64_t kHeader = 12;
constexpr uint64_t kFooter = 4;
constexpr uint64_t kBufferBytes = 256 << 10;

uint64_t TakeVarint(const uint8_t*& p) {
  uint64_t value = *p & 0x7f;
  for (unsigned shift = 7; (*p++ & 0x80) != 0; shift += 7) value |= uint64_t{*p & 0x7fU} << shift;
  return value;
}

// Skips a one-byte tag and reads a length.
uint64_t TakeLength(const uint8_t*& p) {
  ++p;
  return TakeVarint(p);
}

// Skips from the Feature at `p` to its value: over the tags and lengths of the Feature, the list and the packed values.
const uint8_t* ValueIn(const uint8_t* p) {
  TakeLength(p);
  TakeLength(p);
  TakeLength(p);
  return p;
}

int64_t Int64In(const uint8_t* feature) {
  const uint8_t* p = ValueIn(feature);
  return static_cast<int64_t>(TakeVarint(p));
}

float FloatIn(const uint8_t* feature) {
  float value;
  std::memcpy(&value, ValueIn(feature), sizeof value);
  return value;
}

// `feature` points to the tag of the entry's Feature.
void ExtractEntry(std::string_view name, const uint8_t* feature, FourColumns& columns) {
  if (name == "label") columns.label.push_back(Int64In(feature));
  if (name == "height") columns.height.push_back(Int64In(feature));
  if (name == "width") columns.width.push_back(Int64In(feature));
  if (name == "score") columns.score.push_back(FloatIn(feature));
}

void ExtractExample(const uint8_t* p, FourColumns& columns) {
  const uint64_t features = TakeLength(p);
  for (const uint8_t* const end = p + features; p < end;) {
    const uint64_t entry_bytes = TakeLength(p);
    const uint8_t* const next = p + entry_bytes;
    const uint64_t name_bytes = TakeLength(p);
    ExtractEntry({reinterpret_cast<const char*>(p), name_bytes}, p + name_bytes, columns);
    p = next;
  }
}

FourColumns ExtractShard(int fd) {
  std::vector<uint8_t> buffer(kBufferBytes);
  FourColumns columns;
  uint64_t begin = 0;
  for (;;) {
    const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(begin));
    if (n < static_cast<ssize_t>(kHeader)) return columns;
    uint64_t at = 0;
    while (at + kHeader <= static_cast<uint64_t>(n)) {
      const uint64_t next = at + kHeader + LoadLe64(buffer.data() + at) + kFooter;
      if (next > static_cast<uint64_t>(n)) break;
      ExtractExample(buffer.data() + at + kHeader, columns);
      at = next;
    }
    begin += at;
  }
}

}  // namespace

Result<std::vector<FourColumns>> BareDecode(const std::vector<std::string>& shards, unsigned threads) {
  std::vector<FourColumns> columns(shards.size());
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  RunOnThreads(std::min(threads, static_cast<unsigned>(shards.size())), [&](unsigned) {
    for (size_t i = next++; i < shards.size(); i = next++) {
      const int fd = ::open(shards[i].c_str(), O_RDONLY | O_CLOEXEC);
      if (fd < 0) failed = true;
      if (fd >= 0) columns[i] = ExtractShard(fd);
      if (fd >= 0) ::close(fd);
    }
  });
  if (failed) return Fail(ErrorCode::kIo, "a shard cannot be opened");
  return columns;
}

}  // namespace ofindex

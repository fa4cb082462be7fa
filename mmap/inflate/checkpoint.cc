#include "mmap/inflate/checkpoint.h"

#include <cstring>

#include "base/checksum.h"
#include "base/zstd.h"
#include "mmap/files/fault_guard.h"

namespace ofindex {
namespace {

constexpr int kLevel = 3;
constexpr size_t kChecksumBytes = 8;
constexpr size_t kHeadBytes = kChecksumBytes + 2;

uint64_t ChecksumOf(uint64_t position, uint64_t bit, ByteView rest) {
  Xxh3Stream hash;
  hash.Add(position);
  hash.Add(bit);
  hash.Add(rest);
  return hash.Digest64();
}

}  // namespace

std::vector<uint8_t> StoreWindow(uint64_t position, uint64_t bit, ByteView window) {
  std::vector<uint8_t> stored(kHeadBytes);
  stored[kChecksumBytes] = static_cast<uint8_t>(window.size());
  stored[kChecksumBytes + 1] = static_cast<uint8_t>(window.size() >> 8);
  if (!window.empty()) {
    const std::vector<uint8_t> frame = ZstdCompress(window, kLevel, window.size() - 1);
    const ByteView kept = frame.empty() ? window : ByteView(frame);
    stored.insert(stored.end(), kept.begin(), kept.end());
  }
  StoreLe64(stored.data(), ChecksumOf(position, bit, ByteView(stored).subspan(kChecksumBytes)));
  return stored;
}

std::optional<std::vector<uint8_t>> CopyOfCheckpoint(const Checkpoint& checkpoint) {
  if (checkpoint.stored.size() < kHeadBytes || checkpoint.stored.size() > kHeadBytes + kDeflateWindow) {
    return std::nullopt;
  }
  std::vector<uint8_t> stored(checkpoint.stored.size());
  const auto copy = [&] { std::memcpy(stored.data(), checkpoint.stored.data(), stored.size()); };
  if (!FaultGuard::Run(copy)) return std::nullopt;
  const uint64_t checksum = ChecksumOf(checkpoint.position, checkpoint.bit, ByteView(stored).subspan(kChecksumBytes));
  if (LoadLe64(stored.data()) != checksum) return std::nullopt;
  return stored;
}

std::optional<std::vector<uint8_t>> WindowOf(const Checkpoint& checkpoint) {
  const auto copied = CopyOfCheckpoint(checkpoint);
  if (!copied) return std::nullopt;
  const ByteView stored(*copied);
  const size_t size = LoadLe16(stored.data() + kChecksumBytes);
  const ByteView kept = stored.subspan(kHeadBytes);
  if (size > kDeflateWindow || kept.size() > size) return std::nullopt;
  if (kept.size() == size) return std::vector<uint8_t>(kept.begin(), kept.end());
  std::vector<uint8_t> window(size);
  if (!ZstdDecompress(kept, window)) return std::nullopt;
  return window;
}

}  // namespace ofindex

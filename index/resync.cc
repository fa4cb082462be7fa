#include "index/resync.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/framing.h"

namespace ofindex {
namespace {

// A search reads little at first, because most gaps are short, and a file may have very many.
constexpr uint64_t kFirstScanBytes = 4 << 10;
constexpr uint64_t kScanBytes = 256 << 10;
constexpr uint64_t kHeader = HeaderBytes(Framing::kTfRecord);
constexpr uint64_t kOverhead = FramingBytes(Framing::kTfRecord);

bool IsHeader(const uint8_t* bytes, uint64_t at, uint64_t size) {
  const uint64_t length = LoadLe64(bytes);
  return length <= size && Fits(at, length + kOverhead, size) && LengthCrcHolds(bytes);
}

}  // namespace

Result<std::optional<uint64_t>> FindHeader(const File& file, uint64_t size, uint64_t begin, uint64_t end) {
  std::vector<uint8_t> buffer;
  uint64_t scan_bytes = kFirstScanBytes;
  while (begin < end && Fits(begin, kOverhead, size)) {
    buffer.resize(std::min(scan_bytes, size - begin));
    OFINDEX_ASSIGN(const size_t got, file.ReadAt(begin, buffer));
    if (got < kHeader) return std::nullopt;
    const uint64_t positions = std::min<uint64_t>(got - kHeader + 1, end - begin);
    for (uint64_t i = 0; i < positions; ++i) {
      if (IsHeader(buffer.data() + i, begin + i, size)) return begin + i;
    }
    begin += positions;
    scan_bytes = std::min(2 * scan_bytes, kScanBytes);
  }
  return std::nullopt;
}

Result<Resync> FindRecord(const File& file, uint64_t size, uint64_t begin, uint64_t& budget) {
  for (uint64_t at = begin;;) {
    OFINDEX_ASSIGN(const std::optional<uint64_t> candidate, FindHeader(file, size, at, size));
    if (!candidate) return Resync{};
    std::array<uint8_t, kLengthBytes> length_bytes;
    OFINDEX_ASSIGN(const size_t got, file.ReadAt(*candidate, length_bytes));
    const uint64_t length = got == kLengthBytes ? LoadLe64(length_bytes.data()) : size;
    if (length > budget) return Resync{.found = std::nullopt, .gave_up = true};
    budget -= length;
    OFINDEX_ASSIGN(const bool holds, PayloadCrcHolds(file, *candidate, length));
    if (holds) return Resync{.found = candidate, .gave_up = false};
    at = *candidate + 1;
  }
}

Result<bool> PayloadCrcHolds(const File& file, uint64_t begin, uint64_t length) {
  std::vector<uint8_t> buffer(std::min(length + FooterBytes(Framing::kTfRecord), kScanBytes));
  uint32_t crc = 0;
  for (uint64_t done = 0; done < length;) {
    const std::span<uint8_t> part = std::span(buffer).first(std::min<uint64_t>(length - done, buffer.size()));
    OFINDEX_ASSIGN(const size_t got, file.ReadAt(begin + kHeader + done, part));
    if (got != part.size()) return false;
    crc = Crc32c(part, crc);
    done += got;
  }
  std::array<uint8_t, 4> footer;
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(begin + kHeader + length, footer));
  return got == footer.size() && LoadLe32(footer.data()) == MaskCrc(crc);
}

}  // namespace ofindex

#include "base/fingerprint.h"

#include <array>
#include <vector>

#include "base/checksum.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint64_t kWholeUpTo = 64 << 10;
constexpr uint64_t kEdgeBytes = 16 << 10;
constexpr uint64_t kPageBytes = 4 << 10;
constexpr uint64_t kPages = 8;

Result<void> AddRange(const File& file, uint64_t offset, std::span<uint8_t> buffer, Xxh3Stream& hash) {
  OFINDEX_ASSIGN(const size_t n, file.ReadAt(offset, buffer));
  if (n != buffer.size()) {
    return Fail(ErrorCode::kStale, StrCat(Printable(file.path()), "@", offset + n, ": the file ends early; expected ",
                                          buffer.size() - n, " bytes more"));
  }
  hash.Add(ByteView(buffer));
  return {};
}

}  // namespace

Result<uint64_t> Fingerprint(const File& file, uint64_t size) {
  Xxh3Stream hash;
  hash.Add(size);
  if (size <= kWholeUpTo) {
    std::vector<uint8_t> whole(size);
    OFINDEX_TRY(AddRange(file, 0, whole, hash));
    return hash.Digest64();
  }
  std::array<uint8_t, kEdgeBytes> buffer;
  OFINDEX_TRY(AddRange(file, 0, buffer, hash));
  const uint64_t middle = size - 2 * kEdgeBytes;
  for (uint64_t i = 0; i < kPages; ++i) {
    // Whole pages of the file, so that each costs one page of a cold disk.
    const uint64_t offset = (kEdgeBytes + middle / (kPages + 1) * (i + 1)) / kPageBytes * kPageBytes;
    OFINDEX_TRY(AddRange(file, offset, std::span(buffer).first(kPageBytes), hash));
  }
  OFINDEX_TRY(AddRange(file, size - kEdgeBytes, buffer, hash));
  return hash.Digest64();
}

}  // namespace ofindex

#include "proto/wire/varint.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ofindex {
namespace {

constexpr uint64_t kLastOfVarint = 0x8080'8080'8080'8080;  // clear in a varint's last byte, set in the others
constexpr int kMaxLeading = kMaxVarintBytes - 1;           // bytes of a varint before its last

/// Returns the number of set bits in `marks`, which may only be the top bits of bytes. A multiplication adds up the
/// bytes.
[[nodiscard]] uint64_t CountMarks(uint64_t marks) { return ((marks >> 7) * 0x0101'0101'0101'0101) >> 56; }

/// Reads the varint at the front of `bytes` to `*to`, byte by byte. Returns its size, or 0 if it is cut or too long.
[[nodiscard]] size_t ReadOneVarint(ByteView bytes, int64_t* to) {
  uint64_t value = 0;
  const size_t size = TakeVarint(bytes.first(std::min(bytes.size(), kMaxVarintBytes)), &value);
  *to = static_cast<int64_t>(value);
  return size;
}

}  // namespace

uint64_t CountVarints(ByteView chunk) {
  uint64_t count = 0;
  int leading = 0;  // bytes since the end of the last varint
  for (size_t at = 0; at < chunk.size(); at += 8) {
    uint64_t word = 0;  // zero bytes past the end look like one-byte varints, which are subtracted below
    const size_t size = chunk.size() - at < 8 ? chunk.size() - at : 8;
    std::memcpy(&word, chunk.data() + at, size);
    const uint64_t ends = ~word & kLastOfVarint;
    if (ends == 0) {
      leading += 8;
      if (leading > kMaxLeading) return 0;
      continue;
    }
    if (leading + std::countr_zero(ends) / 8 > kMaxLeading) return 0;
    leading = std::countl_zero(ends) / 8;
    count += CountMarks(ends) - (8 - size);
  }
  return !chunk.empty() && chunk.back() < 0x80 ? count : 0;
}

std::optional<size_t> ReadVarints(ByteView chunk, int64_t* to) {
  const int64_t* const begin = to;
  const uint8_t* p = chunk.data();
  const uint8_t* const end = p + chunk.size();
  while (end - p >= 8) {
    const uint64_t word = LoadLe64(p);
    const uint64_t ends = ~word & kLastOfVarint;
    if (ends == kLastOfVarint) {
      for (int i = 0; i < 8; ++i) to[i] = p[i];
      to += 8;
      p += 8;
    } else if (ends != 0) {
      // The same work for varints of any size, which no branch predictor could guess.
      *to++ = static_cast<int64_t>(JoinSevens(word & (ends ^ (ends - 1)) & ~kLastOfVarint));
      p += std::countr_zero(ends) / 8 + 1;
    } else {
      const size_t size = ReadOneVarint({p, end}, to++);
      if (size == 0) return std::nullopt;
      p += size;
    }
  }
  while (p != end) {
    const size_t size = ReadOneVarint({p, end}, to++);
    if (size == 0) return std::nullopt;
    p += size;
  }
  return static_cast<size_t>(to - begin);
}

}  // namespace ofindex

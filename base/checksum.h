#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/bytes.h"

namespace ofindex {

/// Returns the CRC-32C (Castagnoli) of `bytes`, continuing from `crc`, the CRC of the preceding bytes (0 at the start).
[[nodiscard]] uint32_t Crc32c(ByteView bytes, uint32_t crc = 0);

/// Returns the CRC-32C of the eight little-endian bytes of `value`, as in a TFRecord header. Inlined because it is on
/// the hot path of the walk, where a call into the library costs more than the checksum itself.
[[nodiscard]] uint32_t Crc32cOf(uint64_t value);

/// Masks a CRC as TFRecord does before storing it (tsl/lib/hash/crc32c.h): rotates it right by 15 bits and adds a
/// constant, so that a CRC can safely be computed over bytes that contain CRCs.
[[nodiscard]] constexpr uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8U; }

/// Returns the 64-bit XXH3 of `bytes`.
[[nodiscard]] uint64_t Xxh3(ByteView bytes);

/// Returns the 64-bit XXH3 of `bytes` for `seed`. With a seed that nobody knows, nobody can choose bytes that collide.
[[nodiscard]] uint64_t Xxh3(ByteView bytes, uint64_t seed);

/// A 128-bit XXH3 in the library's canonical (big-endian) byte order.
using Digest128 = std::array<uint8_t, 16>;

/// A streaming XXH3. Not thread-safe; movable, not copyable.
class Xxh3Stream {
 public:
  Xxh3Stream();
  ~Xxh3Stream();
  Xxh3Stream(Xxh3Stream&&) noexcept;
  Xxh3Stream& operator=(Xxh3Stream&&) noexcept;

  void Add(ByteView bytes);
  void Add(uint64_t value);

  /// Returns the digest of all bytes so far; more may follow.
  [[nodiscard]] uint64_t Digest64() const;
  [[nodiscard]] Digest128 Digest() const;

  void Reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

#if defined(__x86_64__)

namespace checksum_internal {
extern const bool kHasCrc32Instruction;
[[nodiscard]] uint32_t Crc32cOfPortable(uint64_t value);
}  // namespace checksum_internal

inline uint32_t Crc32cOf(uint64_t value) {
  if (!checksum_internal::kHasCrc32Instruction) return checksum_internal::Crc32cOfPortable(value);
  uint64_t crc = 0xffffffffU;
  asm("crc32q %1, %0" : "+r"(crc) : "rm"(value));
  return ~static_cast<uint32_t>(crc);
}

#else

inline uint32_t Crc32cOf(uint64_t value) {
  return Crc32c(ByteView(reinterpret_cast<const uint8_t*>(&value), sizeof value));
}

#endif

}  // namespace ofindex

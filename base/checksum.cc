#include "base/checksum.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#define XXH_STATIC_LINKING_ONLY  // XXH3_state_t by value, inside State
#include <xxhash.h>

namespace ofindex {

uint32_t Crc32c(ByteView bytes, uint32_t crc) {
  constexpr size_t kMaxPerCall = size_t{1} << 30;  // the library counts in int
  uint32_t state = ~crc;
  while (!bytes.empty()) {
    const size_t n = std::min(bytes.size(), kMaxPerCall);
    // The library takes a mutable pointer but only reads through it (isa-l/crc.h).
    state = crc32_iscsi(const_cast<unsigned char*>(bytes.data()), static_cast<int>(n), state);
    bytes = bytes.subspan(n);
  }
  return ~state;
}

#if defined(__x86_64__)
namespace checksum_internal {

const bool kHasCrc32Instruction = __builtin_cpu_supports("sse4.2") != 0;

uint32_t Crc32cOfPortable(uint64_t value) {
  return Crc32c(ByteView(reinterpret_cast<const uint8_t*>(&value), sizeof value));
}

}  // namespace checksum_internal
#endif

uint64_t Xxh3(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint64_t Xxh3(ByteView bytes, uint64_t seed) { return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed); }

struct Xxh3Stream::State {
  XXH3_state_t xxh;
};

Xxh3Stream::Xxh3Stream() : state_(std::make_unique<State>()) { Reset(); }
Xxh3Stream::~Xxh3Stream() = default;
Xxh3Stream::Xxh3Stream(Xxh3Stream&&) noexcept = default;
Xxh3Stream& Xxh3Stream::operator=(Xxh3Stream&&) noexcept = default;

void Xxh3Stream::Add(ByteView bytes) {
  // 64 and 128 bits share one state and the same update; only the digest differs (xxhash.h).
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

void Xxh3Stream::Add(uint64_t value) { Add(ByteView(reinterpret_cast<const uint8_t*>(&value), sizeof value)); }

uint64_t Xxh3Stream::Digest64() const { return XXH3_64bits_digest(&state_->xxh); }

Digest128 Xxh3Stream::Digest() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->xxh));
  Digest128 digest;
  std::copy_n(canonical.digest, digest.size(), digest.begin());
  return digest;
}

void Xxh3Stream::Reset() { XXH3_128bits_reset(&state_->xxh); }

}  // namespace ofindex

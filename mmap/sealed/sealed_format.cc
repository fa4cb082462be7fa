#include "mmap/sealed/sealed_format.h"

#include <cstring>

#include "base/bytes.h"

namespace ofindex {
namespace {

constexpr size_t kSectionsAt = 80;
constexpr size_t kChecksumAt = kSealedHeaderBytes - 8;
static_assert(kSectionsAt + 16 * kMaxSealedSections <= kChecksumAt);

}  // namespace

void SealedHeader::Encode(std::string_view magic, uint8_t* out) const {
  std::memset(out, 0, kSealedHeaderBytes);
  std::memcpy(out, magic.data(), 8);
  StoreLe32(out + 8, version);
  StoreLe32(out + 12, sections);
  std::memcpy(out + 16, origin.id.data(), origin.id.size());
  StoreLe64(out + 32, origin.binding);
  StoreLe64(out + 40, origin.generation);
  StoreLe64(out + 48, file_bytes);
  StoreLe64(out + 56, body_bytes);
  StoreLe64(out + 64, roots_hash);
  for (size_t i = 0; i < kMaxSealedSections; ++i) {
    StoreLe64(out + kSectionsAt + 16 * i, section[i].at);
    StoreLe64(out + kSectionsAt + 16 * i + 8, section[i].bytes);
  }
  StoreLe64(out + kChecksumAt, Xxh3(ByteView(out, kChecksumAt)));
}

bool SealedHeader::Decode(std::string_view magic, const uint8_t* in) {
  if (std::memcmp(in, magic.data(), 8) != 0) return false;
  if (LoadLe64(in + kChecksumAt) != Xxh3(ByteView(in, kChecksumAt))) return false;
  version = LoadLe32(in + 8);
  sections = LoadLe32(in + 12);
  std::memcpy(origin.id.data(), in + 16, origin.id.size());
  origin.binding = LoadLe64(in + 32);
  origin.generation = LoadLe64(in + 40);
  file_bytes = LoadLe64(in + 48);
  body_bytes = LoadLe64(in + 56);
  roots_hash = LoadLe64(in + 64);
  for (size_t i = 0; i < kMaxSealedSections; ++i) {
    section[i].at = LoadLe64(in + kSectionsAt + 16 * i);
    section[i].bytes = LoadLe64(in + kSectionsAt + 16 * i + 8);
  }
  return true;
}

bool SealedHeader::Sound() const {
  if (sections > kMaxSealedSections || !Fits(kSealedHeaderBytes, body_bytes, file_bytes)) return false;
  // The counts of blocks are far below the size of the body, so the sums cannot wrap.
  const uint64_t rest = file_bytes - kSealedHeaderBytes - body_bytes;
  if (rest != 8 * (blocks() + check_blocks())) return false;
  for (uint32_t i = 0; i < sections; ++i) {
    if (section[i].at < kSealedHeaderBytes || section[i].at % kSealedAlignment != 0 ||
        !Fits(section[i].at, section[i].bytes, checks_at())) {
      return false;
    }
  }
  return true;
}

}  // namespace ofindex

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/checksum.h"
#include "base/result.h"

namespace ofindex {

// The bytes of a sealed file, which lies next to an index and is derived from it (docs/index_format.md):
//
//   header    256 bytes, checksummed, read at open
//   body      the sections, each at a multiple of 64 bytes
//   checks    u64 per 16 KiB of the body: their XXH3; compared when these bytes are first used
//   roots     u64 per 16 KiB of the checks: their XXH3; read at open, and covered by the header
//
// So opening costs the same for any size (8 bytes are read for each 32 MiB), a lookup reads little more than it needs,
// and a flipped bit in any part is noticed before the part is used.

inline constexpr uint64_t kSealedHeaderBytes = 256;
inline constexpr uint64_t kSealedBlockBytes = uint64_t{16} << 10;
inline constexpr uint64_t kSealedAlignment = 64;
inline constexpr size_t kMaxSealedSections = 10;

/// A kind of sealed file.
struct SealedKind {
  std::string_view magic;  ///< 8 bytes
  uint32_t version = 1;    ///< of the sections' format
  const char* noun = "";   ///< in messages, such as "a key"
  Hint hint = {};          ///< how to make the file again
};

/// The build of an index that a file was derived from.
struct IndexOrigin {
  Digest128 id{};           ///< of the dataset
  uint64_t binding = 0;     ///< identity of the index file: differs for another build's index (IdentityOf)
  uint64_t generation = 0;  ///< of the index

  friend bool operator==(const IndexOrigin&, const IndexOrigin&) = default;
};

/// A section of a sealed file.
struct SealedSection {
  uint64_t at = 0;  ///< offset in the file
  uint64_t bytes = 0;
};

/// The header of a sealed file.
struct SealedHeader {
  uint32_t version = 0;
  IndexOrigin origin;
  uint64_t file_bytes = 0;
  uint64_t body_bytes = 0;  ///< of the sections, from the end of the header
  uint64_t roots_hash = 0;
  uint32_t sections = 0;
  std::array<SealedSection, kMaxSealedSections> section{};

  /// Return how many blocks the body and the checks have, and where the checks and the roots begin.
  [[nodiscard]] uint64_t blocks() const { return Blocks(body_bytes); }
  [[nodiscard]] uint64_t check_blocks() const { return Blocks(blocks() * 8); }
  [[nodiscard]] uint64_t checks_at() const { return kSealedHeaderBytes + body_bytes; }
  [[nodiscard]] uint64_t roots_at() const { return checks_at() + blocks() * 8; }

  void Encode(std::string_view magic, uint8_t* out) const;

  /// Returns false if the bytes are not a header with this magic, or were changed.
  [[nodiscard]] bool Decode(std::string_view magic, const uint8_t* in);

  /// Returns true if all parts lie in the file, whose size is `file_bytes`, and nothing follows them.
  [[nodiscard]] bool Sound() const;

 private:
  [[nodiscard]] static uint64_t Blocks(uint64_t bytes) {
    return bytes / kSealedBlockBytes + (bytes % kSealedBlockBytes != 0 ? 1 : 0);
  }
};

}  // namespace ofindex

#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/record.h"

namespace ofindex {

// The bytes around a payload (docs/record_formats.md):
//
//   TFRecord  u64 length | u32 masked CRC32C of the length bytes | payload | u32 masked CRC32C of the payload
//   OFRecord  u64 length | payload

inline constexpr uint64_t kLengthBytes = 8;
inline constexpr uint64_t kMaxHeaderBytes = 12;

[[nodiscard]] constexpr uint64_t HeaderBytes(Framing framing) { return framing == Framing::kTfRecord ? 12 : 8; }
[[nodiscard]] constexpr uint64_t FooterBytes(Framing framing) { return framing == Framing::kTfRecord ? 4 : 0; }

/// Returns the bytes of framing in a record: its size in the file minus its payload.
[[nodiscard]] constexpr uint64_t FramingBytes(Framing framing) { return HeaderBytes(framing) + FooterBytes(framing); }

/// Returns true if the 12-byte header at `header` has the right checksum for its length.
[[nodiscard]] inline bool LengthCrcHolds(const uint8_t* header) {
  return MaskCrc(Crc32cOf(LoadLe64(header))) == LoadLe32(header + kLengthBytes);
}

/// Writes the header of a record of `length` payload bytes, HeaderBytes(framing) bytes long, to `out`.
inline void EncodeHeader(Framing framing, uint64_t length, uint8_t* out) {
  StoreLe64(out, length);
  if (framing == Framing::kTfRecord) StoreLe32(out + kLengthBytes, MaskCrc(Crc32cOf(length)));
}

}  // namespace ofindex

#include "mmap/inflate/member_header.h"

#include "mmap/inflate/compression_header.h"

namespace ofindex {
namespace {

// RFC 1952, 2.3: the flags of a member's header.
constexpr uint8_t kHeaderCrc = 2;
constexpr uint8_t kExtraField = 4;
constexpr uint8_t kFileName = 8;
constexpr uint8_t kComment = 16;
constexpr uint8_t kReservedFlags = 0xe0;

// Skips a text that ends with a zero byte; false if the file ends first.
Result<bool> SkipText(InputBytes& input) {
  for (;;) {
    OFINDEX_ASSIGN(const std::optional<uint8_t> byte, input.TakeByte());
    if (!byte) return false;
    if (*byte == 0) return true;
  }
}

// Skips an extra field: its length, and that many bytes.
Result<bool> SkipExtra(InputBytes& input) {
  OFINDEX_ASSIGN(const std::optional<uint64_t> length, input.TakeNumber(2));
  if (!length) return false;
  for (uint64_t i = 0; i < *length; ++i) {
    OFINDEX_ASSIGN(const std::optional<uint8_t> byte, input.TakeByte());
    if (!byte) return false;
  }
  return true;
}

Result<bool> SkipFields(uint8_t flags, InputBytes& input) {
  if (flags & kExtraField) {
    OFINDEX_ASSIGN(const bool whole, SkipExtra(input));
    if (!whole) return false;
  }
  for (const uint8_t text : {kFileName, kComment}) {
    if ((flags & text) == 0) continue;
    OFINDEX_ASSIGN(const bool whole, SkipText(input));
    if (!whole) return false;
  }
  if ((flags & kHeaderCrc) == 0) return true;
  OFINDEX_ASSIGN(const std::optional<uint64_t> crc, input.TakeNumber(2));
  return crc.has_value();
}

Result<MemberHeader> TakeGzipHeader(InputBytes& input) {
  for (const uint8_t expected : kGzipMagic) {
    OFINDEX_ASSIGN(const std::optional<uint8_t> byte, input.TakeByte());
    if (!byte) return MemberHeader::kTruncated;
    if (*byte != expected) return MemberHeader::kOther;
  }
  OFINDEX_ASSIGN(const std::optional<uint64_t> rest, input.TakeNumber(7));  // flags, time, extra flags, system
  if (!rest) return MemberHeader::kTruncated;
  const auto flags = static_cast<uint8_t>(*rest);
  if ((flags & kReservedFlags) != 0) return MemberHeader::kOther;
  OFINDEX_ASSIGN(const bool whole, SkipFields(flags, input));
  return whole ? MemberHeader::kSound : MemberHeader::kTruncated;
}

}  // namespace

Result<MemberHeader> TakeHeader(Compression compression, InputBytes& input) {
  if (compression == Compression::kGzip) return TakeGzipHeader(input);
  if (compression != Compression::kZlib) return MemberHeader::kSound;
  OFINDEX_ASSIGN(const std::optional<uint64_t> head, input.TakeNumber(2));
  if (!head) return MemberHeader::kTruncated;
  const bool sound = IsZlibHeader(*head & 255, static_cast<unsigned>(*head >> 8));
  return sound ? MemberHeader::kSound : MemberHeader::kOther;
}

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "proto/wire/varint.h"

namespace ofindex {

/// Maximum nesting depth of messages and groups below the outermost message: protobuf's default recursion limit.
inline constexpr int kMaxMessageDepth = 100;

/// Maximum size in bytes of a message: protobuf counts in int.
inline constexpr uint64_t kMaxMessageBytes = 0x7fff'ffff;

/// The wire type of a field. The values are protobuf's.
enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,  ///< closes a group; never the type of a field
  kFixed32 = 5,
};

/// One field of a message.
struct WireField {
  uint32_t number = 0;  ///< in [1, 2^29)
  WireType type = WireType::kVarint;
  uint64_t value = 0;   ///< for kVarint, kFixed64 and kFixed32: the bits as encoded
  ByteView bytes = {};  ///< for kBytes: the content; for kGroup: everything between its two tags; a view of the payload
};

/// The reason why bytes are not a valid message.
enum class WireFault : uint8_t {
  kNone,
  kTornVarint,
  kLongVarint,
  kLongTag,
  kLongLength,
  kFieldNumber,
  kWireType,
  kPastEnd,
  kTornFixed,
  kUnbalancedGroup,
  kTooDeep,
  kPackedSize,
};

/// Returns the stable wording of `fault`, for error messages.
[[nodiscard]] constexpr std::string_view Name(WireFault fault) {
  switch (fault) {
    case WireFault::kNone: return "well-formed";
    case WireFault::kTornVarint: return "torn varint";
    case WireFault::kLongVarint: return "varint over 10 bytes";
    case WireFault::kLongTag: return "tag over 5 bytes";
    case WireFault::kLongLength: return "length over 5 bytes";
    case WireFault::kFieldNumber: return "field number 0";
    case WireFault::kWireType: return "wire type 6 or 7";
    case WireFault::kPastEnd: return "length past the end of the message";
    case WireFault::kTornFixed: return "torn fixed-size value";
    case WireFault::kUnbalancedGroup: return "unbalanced group";
    case WireFault::kTooDeep: return "nested over 100 deep";
    case WireFault::kPackedSize: return "packed length not a multiple of the value size";
  }
  return "unknown";
}

/// The first fault in a payload; kNone if none was found yet.
struct Malformed {
  WireFault fault = WireFault::kNone;
  uint64_t offset = 0;  ///< byte of the payload at which the faulty tag, length, value or group begins
};

/// Returns "payload@12: malformed message: torn varint".
[[nodiscard]] std::string Describe(const Malformed& malformed);

/// A cursor over the fields of one protobuf message, in wire order. Allocates nothing, does not recurse, and accepts
/// exactly what libprotobuf 3.21 accepts: varints of at most 10 bytes (bits above 64 dropped), tags and lengths of at
/// most 5 bytes (tag bits above 32 dropped, so no field number is too large), groups closed by the number that opened
/// them. Cheap to copy; copies advance independently. Views its payload, which must outlive it.
class WireReader {
 public:
  /// Reads `payload`, an outermost message. Faults in it, or in messages nested in it, are stored in `*malformed`,
  /// which must outlive this reader and the readers nested in it.
  WireReader(ByteView payload, Malformed* malformed)
      : at_(payload.data()), end_(at_ + payload.size()), origin_(at_), malformed_(malformed) {}

  /// Returns a reader of the message in `bytes`, a field of this message.
  [[nodiscard]] WireReader Nested(ByteView bytes) const {
    WireReader nested(bytes, *this, depth_ + 1);
    if (nested.depth_ > kMaxMessageDepth) nested.Fail(WireFault::kTooDeep, nested.at_);
    return nested;
  }

  /// Returns a reader of the values in `bytes`, a packed field of this message; see NextVarint().
  [[nodiscard]] WireReader Packed(ByteView bytes) const { return {bytes, *this, depth_}; }

  /// Reads the next field and moves past it. Checks the content of groups, but does not read the content of bytes
  /// fields. Returns false at the end of the message, and always after a fault; ok() distinguishes the two.
  [[nodiscard]] bool Next(WireField* field);

  /// Reads the next value of a packed list of varints. Returns false as Next() does.
  [[nodiscard]] bool NextVarint(uint64_t* value) { return at_ != end_ && ReadVarint(value); }

  /// Records `fault` at the first byte of `where`, which lies in the payload, and ends this reader. Returns false.
  bool Reject(WireFault fault, ByteView where) { return Fail(fault, where.data()); }

  /// Returns the bytes not read yet.
  [[nodiscard]] ByteView rest() const { return {at_, end_}; }

  /// Returns false once this payload, or any message in it that was read, is found malformed.
  [[nodiscard]] bool ok() const { return malformed_->fault == WireFault::kNone; }

 private:
  WireReader(ByteView bytes, const WireReader& outer, int depth)
      : at_(bytes.data()),
        end_(at_ + bytes.size()),
        origin_(outer.origin_),
        malformed_(outer.malformed_),
        depth_(depth) {}

  [[nodiscard]] bool ReadTag(uint32_t* tag);
  [[nodiscard]] bool ReadScalar(const uint8_t* tag_begin, WireField* field);
  [[nodiscard]] bool ReadVarint(uint64_t* value);
  [[nodiscard]] bool ReadLength(uint64_t* length);
  [[nodiscard]] bool ReadLongVarint(uint64_t max_bytes, WireFault too_long, uint64_t* value);
  [[nodiscard]] bool ReadFixed(uint64_t size, WireField* field);
  [[nodiscard]] bool ReadBytes(WireField* field);
  [[nodiscard]] bool SkipGroup(const uint8_t* tag_begin, WireField* field);
  bool Fail(WireFault fault, const uint8_t* where);

  [[nodiscard]] uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }

  const uint8_t* at_;
  const uint8_t* end_;
  const uint8_t* origin_;
  Malformed* malformed_;
  int depth_ = 0;
};

// Most tags, lengths and values take one byte, and lengths of whole records often two. These cases are handled inline;
// all others are in wire.cc.

inline bool WireReader::ReadVarint(uint64_t* value) {
  if (at_ != end_ && *at_ < 0x80) {
    *value = *at_++;
    return true;
  }
  return ReadLongVarint(kMaxVarintBytes, WireFault::kLongVarint, value);
}

inline bool WireReader::ReadLength(uint64_t* length) {
  if (at_ != end_ && *at_ < 0x80) {
    *length = *at_++;
    return true;
  }
  if (left() >= 2 && at_[1] < 0x80) {
    *length = (at_[0] & 0x7fU) | uint64_t{at_[1]} << 7;
    at_ += 2;
    return true;
  }
  return ReadLongVarint(5, WireFault::kLongLength, length);
}

inline bool WireReader::ReadTag(uint32_t* tag) {
  const uint8_t* begin = at_;
  uint64_t value = 0;
  if (*at_ < 0x80) {
    value = *at_++;
  } else if (!ReadLongVarint(5, WireFault::kLongTag, &value)) {
    return false;
  }
  *tag = static_cast<uint32_t>(value);
  return *tag >= 8 || Fail(WireFault::kFieldNumber, begin);
}

inline bool WireReader::ReadBytes(WireField* field) {
  const uint8_t* begin = at_;
  uint64_t length = 0;
  if (!ReadLength(&length)) return false;
  if (length > left()) return Fail(WireFault::kPastEnd, begin);
  field->bytes = {at_, static_cast<size_t>(length)};
  at_ += length;
  return true;
}

inline bool WireReader::Next(WireField* field) {
  if (at_ == end_) return false;
  const uint8_t* begin = at_;
  uint32_t tag = 0;
  if (!ReadTag(&tag)) return false;
  field->number = tag >> 3;
  field->type = static_cast<WireType>(tag & 7);
  if (field->type == WireType::kBytes) return ReadBytes(field);
  if (field->type == WireType::kGroup) return SkipGroup(begin, field);
  return ReadScalar(begin, field);
}

}  // namespace ofindex

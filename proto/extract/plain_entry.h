#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/record.h"
#include "proto/features.h"
#include "proto/wire/varint.h"

namespace ofindex {

/// A map entry of a feature in the usual encoding: first a name and then a Feature of one kind, whose list has exactly
/// one value, packed if it is a number.
struct PlainEntry {
  ByteView name = {};
  FeatureKind kind = FeatureKind::kNone;
  ByteView value = {};  ///< as encoded
  uint64_t bits = 0;    ///< for a number: as in ExtractedFeature
  uint32_t size = 0;    ///< bytes of the entry, including its tag and length
};

/// The kind that each field number below 16 sets, as returned by KindOfField().
using PlainKinds = std::array<FeatureKind, 16>;

[[nodiscard]] constexpr PlainKinds PlainKindsOf(PayloadKind payload) {
  PlainKinds kinds = {};
  for (uint32_t number = 1; number < kinds.size(); ++number) kinds[number] = KindOfField(payload, number);
  return kinds;
}

inline constexpr std::array<PlainKinds, 2> kPlainKinds = {PlainKindsOf(PayloadKind::kExample),
                                                          PlainKindsOf(PayloadKind::kOfRecord)};

/// Sets `bits` to the integer in the `size` bytes at `p`, if they are exactly one packed varint; returns false
/// otherwise. All bytes before `end` must be readable, because eight are read at once: this takes the same time for
/// varints of any width, and no branch predictor could guess the width.
[[nodiscard]] inline bool ReadPlainVarint(const uint8_t* p, uint64_t size, const uint8_t* end, uint64_t& bits) {
  constexpr uint64_t kGoesOn = 0x8080'8080'8080'8080;
  // Most integers are small: the same with half as many bytes is faster still.
  if (size <= 4 && end - p >= 4) {
    constexpr uint32_t kShortGoesOn = 0x8080'8080;
    const uint32_t shift = 32 - 8 * static_cast<uint32_t>(size);
    const uint32_t word = LoadLe32(p) << shift;
    const uint32_t sevens = (word & ~kShortGoesOn) >> shift;
    const uint32_t pairs = (sevens & 0x007f'007f) | (sevens & 0x7f00'7f00) >> 1;
    bits = (pairs & 0x3fff) | pairs >> 16 << 14;
    return (word & kShortGoesOn) == (kShortGoesOn >> 8) >> shift << shift;
  }
  if (size <= 8 && end - p >= 8) {
    const uint64_t shift = 64 - 8 * size;
    const uint64_t word = LoadLe64(p) << shift;
    bits = JoinSevens((word & ~kGoesOn) >> shift);
    return (word & kGoesOn) == (kGoesOn >> 8) >> shift << shift;
  }
  if (size > 10) return false;
  bits = 0;
  const uint64_t last = size - 1;
  for (uint64_t i = 0; i < last; ++i) {
    if (p[i] < 0x80) return false;
    bits |= uint64_t{p[i] & 0x7fU} << (7 * i);
  }
  bits |= uint64_t{p[last]} << (7 * last);
  return p[last] < 0x80;
}

/// Sets `bits` to the single number of kind `kind` in the `size` bytes at `p`; `size` is at least 1. Returns false if
/// these bytes are not exactly one number. All bytes before `end` must be readable.
[[nodiscard]] inline bool ReadPlainNumber(FeatureKind kind, const uint8_t* p, uint64_t size, const uint8_t* end,
                                          uint64_t& bits) {
  switch (kind) {
    case FeatureKind::kInt64: return ReadPlainVarint(p, size, end, bits);
    case FeatureKind::kInt32:
      if (!ReadPlainVarint(p, size, end, bits)) return false;
      bits = static_cast<uint64_t>(static_cast<int32_t>(bits));
      return true;
    case FeatureKind::kFloat:
      if (size != 4) return false;
      bits = LoadLe32(p);
      return true;
    case FeatureKind::kDouble:
      if (size != 8) return false;
      bits = LoadLe64(p);
      return true;
    default: return false;
  }
}

/// Reads the entry that begins at `p`, in bytes that end at `end`, if it is plain and all its lengths are below 128.
/// Returns false otherwise; the general reader must then read it. Because the one-byte lengths must add up to the
/// length of the entry, only they and the tags need to be checked.
[[nodiscard]] inline bool ReadPlainEntry(const uint8_t* p, const uint8_t* end, const PlainKinds& kinds,
                                         PlainEntry& entry) {
  constexpr uint32_t kBytesOf1 = 1 << 3 | 2;  // tag of field 1: entry, key, and value of a list
  constexpr uint32_t kBytesOf2 = 2 << 3 | 2;  // tag of the entry's value
  constexpr uint32_t kMin = 9;                // bytes of an entry with empty name and value
  const auto left = static_cast<uint64_t>(end - p);
  if (left < kMin + 2) return false;
  const uint32_t begin = LoadLe32(p);  // tag and length of the entry, tag and length of its name
  const uint32_t size = begin >> 8 & 0xff;
  const uint32_t name_size = begin >> 24;
  if ((begin & 0x00ff'80ff) != (kBytesOf1 | kBytesOf1 << 16) || size + 2 > left || name_size + kMin > size) {
    return false;
  }
  const uint8_t* value = p + 4 + name_size;
  const uint32_t value_size = size - name_size - 4;
  const uint32_t head = LoadLe32(value);      // tag and length of the value, tag and length of the list
  const uint32_t tail = LoadLe16(value + 4);  // tag and length of the list's content
  const uint32_t plain_header = kBytesOf2 | value_size << 8 | 2U << 16 | (value_size - 2) << 24;
  if ((head & 0xff87'ffff) != plain_header || tail != (kBytesOf1 | (value_size - 4) << 8)) return false;
  entry.name = {p + 4, name_size};
  entry.kind = kinds[head >> 19 & 0xf];
  entry.value = {value + 6, value_size - 4};
  entry.size = size + 2;
  return entry.kind == FeatureKind::kBytes || ReadPlainNumber(entry.kind, value + 6, value_size - 4, end, entry.bits);
}

/// Reads the tag `tag` and a length at `p`, and moves `p` past both. Returns false unless the tag is there, the length
/// takes at most four bytes, and the content ends exactly at `end`.
[[nodiscard]] inline bool ReadPlainHeader(uint8_t tag, const uint8_t* end, const uint8_t*& p) {
  if (end - p < 2 || *p++ != tag) return false;
  int64_t length = 0;
  for (int shift = 0; shift < 28 && p != end; shift += 7) {
    const uint8_t byte = *p++;
    length |= int64_t{byte & 0x7f} << shift;
    if (byte < 0x80) return length == end - p;
  }
  return false;
}

/// Does the same as ReadPlainEntry for an entry of 128 bytes or more with one bytes value, such as an image.
[[nodiscard]] inline bool ReadLongPlainEntry(const uint8_t* p, const uint8_t* end, const PlainKinds& kinds,
                                             PlainEntry& entry) {
  constexpr uint8_t kBytesOf1 = 1 << 3 | 2;
  constexpr uint8_t kBytesOf2 = 2 << 3 | 2;
  const uint8_t* begin = p;
  if (end - p < 16 || *p++ != kBytesOf1) return false;
  uint64_t size = 0;
  for (int shift = 0; shift < 28; shift += 7) {
    size |= uint64_t{*p & 0x7fU} << shift;
    if (*p++ < 0x80) break;
    if (shift == 21) return false;
  }
  if (size > static_cast<uint64_t>(end - p)) return false;
  const uint8_t* entry_end = p + size;
  if (size < 4 || p[0] != kBytesOf1 || p[1] >= 0x80 || p[1] + uint64_t{4} > size) return false;
  entry.name = {p + 2, p[1]};
  p += 2 + entry.name.size();
  if (!ReadPlainHeader(kBytesOf2, entry_end, p) || p == entry_end || *p >= 0x80) return false;
  const uint8_t tag = *p;
  entry.kind = kinds[tag >> 3 & 0xf];
  if ((tag & 7) != 2 || !ReadPlainHeader(tag, entry_end, p) || !ReadPlainHeader(kBytesOf1, entry_end, p)) return false;
  entry.value = {p, entry_end};
  entry.size = static_cast<uint32_t>(entry_end - begin);
  return entry.kind == FeatureKind::kBytes;
}

}  // namespace ofindex

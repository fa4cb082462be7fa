#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "proto/features.h"
#include "proto/skim/plain_entry.h"
#include "query/decoding/feature_values.h"

namespace ofindex {

// Entries of a map of features that are written as nearly all are, but with any number of values: a name and a value,
// the value of one kind, its numbers packed together. What is written otherwise is for DecodedRecord.

/// A name and the bytes of its value, which is a Feature; nothing is known of those.
struct PlainHead {
  ByteView name = {};
  ByteView feature = {};
  uint64_t size = 0;  ///< bytes of the entry, its tag and length included
};

/// Reads a tag, `tag`, and a length of at most four bytes at `p`, and moves past what they announce: `content`, which
/// lies before `end`.
[[nodiscard]] inline bool TakePlainField(uint8_t tag, const uint8_t* end, const uint8_t*& p, ByteView& content) {
  if (end - p < 2 || *p++ != tag) return false;
  uint64_t length = 0;
  for (int shift = 0; shift < 28 && p != end; shift += 7) {
    const uint8_t byte = *p++;
    length |= uint64_t{byte & 0x7fU} << shift;
    if (byte >= 0x80) continue;
    if (length > static_cast<uint64_t>(end - p)) return false;
    content = {p, static_cast<size_t>(length)};
    p += length;
    return true;
  }
  return false;
}

/// Reads the entry at `p`, which lies before `end`, up to its value.
[[nodiscard]] inline bool ReadPlainHeadOf(const uint8_t* p, const uint8_t* end, PlainHead& head) {
  constexpr uint8_t kBytesOf1 = 1 << 3 | 2;
  constexpr uint8_t kBytesOf2 = 2 << 3 | 2;
  const uint8_t* const begin = p;
  ByteView entry;
  if (!TakePlainField(kBytesOf1, end, p, entry)) return false;
  const uint8_t* at = entry.data();
  const uint8_t* const entry_end = at + entry.size();
  if (!TakePlainField(kBytesOf1, entry_end, at, head.name) || !ReadPlainHead(kBytesOf2, entry_end, at)) return false;
  head.feature = {at, entry_end};
  head.size = static_cast<uint64_t>(p - begin);
  return true;
}

/// Reads the values of one feature after the other, into memory that it keeps.
class PlainList {
 public:
  /// Sets `values` to what `feature`, the bytes of a Feature, holds; valid until the next call, and while those bytes
  /// are. False if it is not plain, or not sound.
  [[nodiscard]] bool Read(ByteView feature, const PlainKinds& kinds, FeatureValues& values);

 private:
  [[nodiscard]] bool ReadStrings(const uint8_t* p, const uint8_t* end, FeatureValues& values);
  [[nodiscard]] bool ReadIntegers(ByteView packed, FeatureValues& values);

  std::vector<ByteView> strings_;
  std::vector<int64_t> integers_;
};

}  // namespace ofindex

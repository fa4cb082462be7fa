#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "proto/extract/cached_entry_header.h"
#include "proto/extract/plain_entry.h"
#include "proto/features.h"
#include "query/decoding/decoding_plan.h"
#include "query/decoding/feature_column.h"
#include "query/decoding/feature_values.h"

namespace ofindex {

// Reads entries of a feature map in the usual form: a name and a value of one kind, with any number of values, and
// numbers packed together. Other forms are left to DecodedRecord.

/// A name and the unchecked bytes of its value, which is a Feature.
struct PlainHeader {
  ByteView name = {};
  ByteView feature = {};
  uint64_t size = 0;  ///< bytes of the entry, with its tag and length
};

/// Reads the tag `tag` and a length of at most four bytes at `p`, and moves past the field, whose `content` ends at or
/// before `end`.
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
[[nodiscard]] inline bool ReadPlainHeaderOf(const uint8_t* p, const uint8_t* end, PlainHeader& header) {
  constexpr uint8_t kBytesOf1 = 1 << 3 | 2;
  constexpr uint8_t kBytesOf2 = 2 << 3 | 2;
  const uint8_t* const begin = p;
  ByteView entry;
  if (!TakePlainField(kBytesOf1, end, p, entry)) return false;
  const uint8_t* at = entry.data();
  const uint8_t* const entry_end = at + entry.size();
  if (!TakePlainField(kBytesOf1, entry_end, at, header.name) || !ReadPlainHeader(kBytesOf2, entry_end, at))
    return false;
  header.feature = {at, entry_end};
  header.size = static_cast<uint64_t>(p - begin);
  return true;
}

/// Reads the values of features, one at a time, into memory that it keeps.
class PlainList {
 public:
  /// Sets `values` to the values in `feature`, the bytes of a Feature; valid until the next call, and as long as those
  /// bytes. Returns false if it is malformed or not in the usual form.
  [[nodiscard]] bool Read(ByteView feature, const PlainKinds& kinds, FeatureValues& values);

 private:
  [[nodiscard]] bool ReadStrings(const uint8_t* p, const uint8_t* end, FeatureValues& values);
  [[nodiscard]] bool ReadIntegers(ByteView packed, FeatureValues& values);

  std::vector<ByteView> strings_;
  std::vector<int64_t> integers_;
};

/// Decodes records in the usual form in one pass over their entries, straight into the columns. The feature of
/// an entry is looked for first at its position in the previous record.
///
/// Records with unknown or malformed parts are left to DecodedRecord. Unwanted features are skipped after name and
/// length, and all feature lists after their length if none is wanted; a record is accepted even if the skipped bytes
/// are malformed. All other bytes are checked as DecodedRecord does.
class PlainDecoder {
 public:
  /// `plan` must outlive this.
  explicit PlainDecoder(const DecodingPlan& plan) : plan_(plan), seen_(plan.specs().size()) {}

  /// Puts the features of `payload`, number `record` of the request, into `columns`, one for each spec. Returns false
  /// if it cannot: then the columns must be rewound.
  [[nodiscard]] bool Decode(ByteView payload, PayloadKind kind, uint64_t record, std::vector<FeatureColumn>& columns);

  /// Must be called from time to time, since the shape of records may change.
  void RefreshHeaderCache();

 private:
  // The entry at one place in the previous record.
  struct Place {
    CachedEntryHeader cached_header = {};
    std::string name = {};
    uint32_t column = DecodingPlan::kUnwanted;
    uint32_t header_updates_left = kMaxHeaderUpdates;
  };

  static constexpr size_t kMaxPlaces = 1024;
  static constexpr uint32_t kMaxHeaderUpdates = 8;

  [[nodiscard]] bool FindFeatures(ByteView payload, PayloadKind kind, ByteView& features) const;
  [[nodiscard]] bool DecodeFeatures(ByteView features, const PlainKinds& kinds, uint64_t record);
  [[nodiscard]] bool DecodeEntry(const uint8_t*& at, const uint8_t* end, const PlainKinds& kinds, size_t position,
                                 uint64_t record);
  [[nodiscard]] bool DecodeCached(uint32_t column, const PlainEntry& entry, uint64_t record);
  [[nodiscard]] bool Put(uint32_t column, const FeatureValues& values, uint64_t record);
  [[nodiscard]] bool PutAbsent(uint64_t record);
  [[nodiscard]] uint32_t ColumnOf(ByteView name, Place* place) const;
  static void CacheHeader(const uint8_t* at, const uint8_t* end, const PlainKinds& kinds, Place& place);

  const DecodingPlan& plan_;
  FeatureColumn* columns_ = nullptr;  // of this pass
  std::vector<uint64_t> seen_;        // by column: the last pass that found it
  uint64_t pass_ = 0;
  size_t found_ = 0;  // columns found by this pass
  std::vector<Place> places_;
  PlainList list_;
};

}  // namespace ofindex

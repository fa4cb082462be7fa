#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "proto/extract/plain_entry.h"

namespace ofindex {

/// The entry-header cache: the bytes that precede the value of a plain entry in the previous record. Entries of one
/// feature usually have the same tags and name, so one comparison shows that an entry is sound and to which feature it
/// belongs. If each length takes one byte, a value that is longer by n bytes adds n to every length except the name's.
/// The comparison allows for this, so a feature is recognised even if its integer takes one byte in one record and two
/// in the next.
class CachedEntryHeader {
 public:
  /// Stores the header of `entry`, which is at `p` and belongs to `feature`. If the header is too long, no entry will
  /// match.
  void Store(const uint8_t* p, const PlainEntry& entry, uint32_t feature) {
    const auto size = static_cast<size_t>(entry.value.data() - p);
    kind_ = entry.kind;
    feature_ = feature;
    if (size > kMaxCachedBytes) return void(header_size_ = kNoHeader);
    header_size_ = static_cast<uint32_t>(size);
    words_ = (header_size_ + 7) / 8;
    value_size_ = entry.value.size();
    max_growth_ = 0;
    Header header = {};
    Header grows = {};
    std::copy_n(p, size, header.begin());
    if (size == kPlainHeaderBytes + entry.name.size()) {
      for (const size_t length : {size_t{1}, size - 5, size - 3, size - 1}) {
        grows[length] = 0xff;
        header[length] = static_cast<uint8_t>(header[length] - value_size_ + 1);
      }
      value_size_ = 1;
      max_growth_ = kMaxLength - header[1];
    }
    for (size_t i = 0; i < kWords; ++i) {
      header_[i] = LoadLe64(header.data() + WordAt(i));
      grows_[i] = LoadLe64(grows.data() + WordAt(i));
    }
  }

  /// Returns the size of the value of the entry that begins at `p`, in bytes that end at `end`, if it has this header.
  /// The value follows the header, and ends at `end` or before. Returns 0 if the entry has not, or if its value is
  /// empty.
  [[nodiscard]] uint64_t MatchedValueSize(const uint8_t* p, const uint8_t* end) const {
    const auto left = static_cast<uint64_t>(end - p);
    if (left < header_size_) return 0;
    const uint64_t growth = max_growth_ == 0 ? 0 : p[header_size_ - 1] - uint64_t{1};
    const uint64_t size = value_size_ + growth;
    return growth <= max_growth_ && size <= left - header_size_ && Matches(p, growth) ? size : 0;
  }

  /// Reads the entry that begins at `p`, in bytes that end at `end`, if it has this header and its value is plain, too.
  /// Sets everything but the name. Returns false if the entry does not match.
  [[nodiscard]] bool Read(const uint8_t* p, const uint8_t* end, PlainEntry& entry) const {
    const uint64_t size = MatchedValueSize(p, end);
    if (size == 0) return false;
    const uint8_t* value = p + header_size_;
    entry.kind = kind_;
    entry.value = {value, static_cast<size_t>(size)};
    entry.size = static_cast<uint32_t>(header_size_ + size);
    return kind_ == FeatureKind::kBytes || ReadPlainNumber(kind_, value, size, end, entry.bits);
  }

  /// Return the feature and kind of the entry that was stored last.
  [[nodiscard]] uint32_t feature() const { return feature_; }
  [[nodiscard]] FeatureKind kind() const { return kind_; }

  /// Returns the bytes of the header.
  [[nodiscard]] uint32_t size() const { return header_size_; }

 private:
  static constexpr size_t kMaxCachedBytes = 48;
  static constexpr size_t kWords = kMaxCachedBytes / 8;
  static constexpr size_t kPlainHeaderBytes = 10;  // tags and lengths of one byte each; the rest is the name
  static constexpr uint32_t kMaxLength = 127;      // largest value of a one-byte length
  static constexpr uint32_t kNoHeader = ~uint32_t{0};
  using Header = std::array<uint8_t, kMaxCachedBytes>;

  // Returns where word `i` of the header begins: the first one, the last one, then those between them. The last one
  // ends with the header, so words may overlap. A header is never shorter than a word, and most are two words.
  [[nodiscard]] size_t WordAt(size_t i) const {
    if (i == 1) return header_size_ - 8;
    return i == 0 ? 0 : std::min<size_t>(8 * (i - 1), header_size_ - 8);
  }

  // Returns the bits in which word `i` differs. Even a length to which growth was added is below 128, so adding has no
  // carries between bytes.
  [[nodiscard]] uint64_t Different(const uint8_t* word, size_t i, uint64_t everywhere) const {
    return LoadLe64(word) ^ (header_[i] + (everywhere & grows_[i]));
  }

  [[nodiscard]] bool Matches(const uint8_t* p, uint64_t growth) const {
    const uint64_t everywhere = growth * 0x0101'0101'0101'0101;
    if ((Different(p, 0, everywhere) | Different(p + header_size_ - 8, 1, everywhere)) != 0) return false;
    for (size_t i = 2; i < words_; ++i) {
      if (Different(p + 8 * (i - 1), i, everywhere) != 0) return false;
    }
    return true;
  }

  std::array<uint64_t, kWords> header_ = {};  // for a value of value_size_ bytes
  std::array<uint64_t, kWords> grows_ = {};   // 0xff for each length that grows with the value
  uint32_t words_ = 0;
  uint64_t value_size_ = 0;
  uint32_t header_size_ = kNoHeader;
  uint32_t max_growth_ = 0;  // maximum bytes by which a value may exceed value_size_
  uint32_t feature_ = 0;
  FeatureKind kind_ = FeatureKind::kNone;
};

}  // namespace ofindex

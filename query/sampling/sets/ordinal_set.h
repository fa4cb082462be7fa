#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/result.h"

namespace ofindex {

/// A compressed set of record ordinals with fast access in both directions: from a number to the member, and from an
/// ordinal to its number. Immutable; may be read by any number of threads.
///
/// The set is stored by pages of 65,536 ordinals. An empty page takes no memory. A page whose members have no gaps is a
/// run, and consecutive runs are merged across pages, so that any range takes 24 bytes. Any other page is a sorted
/// array of two bytes per member if it has fewer than 4,096 members, and otherwise a bitmap with a count every 512
/// bits: 1.03 bits per ordinal. The form depends on the members only, so that equal sets have equal bytes and equal
/// fingerprints, however they were made.
class OrdinalSet {
 public:
  /// All ordinals are less than this.
  static constexpr uint64_t kEnd = uint64_t{1} << 48;

  class Builder;

  OrdinalSet() = default;

  /// Returns [begin, end); `end` is at most kEnd. Empty if `end` is not above `begin`.
  [[nodiscard]] static OrdinalSet Range(uint64_t begin, uint64_t end);

  [[nodiscard]] uint64_t size() const { return ends_.empty() ? 0 : ends_.back(); }

  /// Returns member number `k`, which is less than size(). O(log pages).
  [[nodiscard]] uint64_t Select(uint64_t k) const;

  /// Replaces each k in `numbers` by member number k. Faster than single calls: some members' memory is fetched while
  /// others are searched, and consecutive numbers are found by one pass over the set.
  void SelectAll(std::span<uint64_t> numbers) const;

  /// Returns the number of members less than `ordinal`, which may be any number. O(log pages).
  [[nodiscard]] uint64_t Rank(uint64_t ordinal) const;

  [[nodiscard]] bool Contains(uint64_t ordinal) const;

  /// Returns the members number [begin, end); begin <= end <= size().
  [[nodiscard]] OrdinalSet Slice(uint64_t begin, uint64_t end) const;

  /// Returns the members in [begin, end).
  [[nodiscard]] OrdinalSet Between(uint64_t begin, uint64_t end) const;

  /// Returns the members less than `end`.
  [[nodiscard]] OrdinalSet Below(uint64_t end) const { return Between(0, end); }

  /// Returns the members that are in both sets.
  [[nodiscard]] OrdinalSet Intersect(const OrdinalSet& other) const;

  /// Calls `visit` with each member, ascending, until it returns false.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t e = 0; e < begins_.size(); ++e) {
      if (!ForEachIn(e, visit)) return;
    }
  }

  [[nodiscard]] uint64_t memory() const;  ///< bytes held

  /// Returns the set as bytes, in the layout described in ordinal_set_bytes.cc.
  [[nodiscard]] std::vector<uint8_t> Serialize() const;

  /// Parses untrusted `bytes`: anything that Serialize() would not have written is an error, and the memory used is at
  /// most a small multiple of their size. Errors: kIndex.
  [[nodiscard]] static Result<OrdinalSet> Parse(ByteView bytes);

  /// Returns the XXH3 of the bytes that Serialize() returns, without making them.
  [[nodiscard]] Digest128 Fingerprint() const;

  friend bool operator==(const OrdinalSet&, const OrdinalSet&) = default;

 private:
  static constexpr uint64_t kPageOrdinals = 65536;
  static constexpr uint64_t kPageWords = kPageOrdinals / 64;
  static constexpr uint64_t kDenseMembers = 4096;  // the fewest in a bitmap
  static constexpr uint64_t kBlockWords = 8;       // per count; a cache line
  static constexpr uint64_t kPageBlocks = kPageWords / kBlockWords;
  static constexpr uint64_t kRun = ~uint64_t{0};  // the place of a run, which takes no memory

  using PageWords = std::array<uint64_t, kPageWords>;

  [[nodiscard]] uint64_t Before(size_t e) const { return e == 0 ? 0 : ends_[e - 1]; }
  [[nodiscard]] uint64_t Count(size_t e) const { return ends_[e] - Before(e); }
  [[nodiscard]] bool IsRun(size_t e) const { return places_[e] == kRun; }
  [[nodiscard]] bool IsDense(size_t e) const { return !IsRun(e) && Count(e) >= kDenseMembers; }

  // The end of the range of ordinals that entry `e` covers, which begins at begins_[e].
  [[nodiscard]] uint64_t EndOf(size_t e) const { return begins_[e] + (IsRun(e) ? Count(e) : kPageOrdinals); }

  [[nodiscard]] std::span<const uint16_t> SparseOf(size_t e) const {
    return std::span(sparse_).subspan(places_[e], Count(e));
  }
  [[nodiscard]] std::span<const uint64_t, kPageWords> DenseOf(size_t e) const {
    return std::span<const uint64_t, kPageWords>(&dense_[places_[e] * kPageWords], kPageWords);
  }
  [[nodiscard]] const uint16_t* CountsOf(size_t e) const { return &counts_[places_[e] * kPageBlocks]; }

  [[nodiscard]] size_t FirstEntryAfter(uint64_t ordinal) const;
  [[nodiscard]] size_t EntryOfMember(uint64_t k) const;
  [[nodiscard]] uint64_t RankIn(size_t e, uint64_t offset) const;
  [[nodiscard]] size_t BlockOfMember(size_t e, uint64_t k) const;
  [[nodiscard]] uint64_t SelectInBlock(size_t e, size_t block, uint64_t k) const;
  void SelectConsecutive(std::span<uint64_t> numbers) const;
  void CopyMembers(size_t e, uint64_t k, std::span<uint64_t> members) const;
  [[nodiscard]] std::span<const uint64_t, kPageWords> WordsOf(size_t e, uint64_t page_begin, PageWords& scratch) const;

  template <typename Visit>
  [[nodiscard]] bool ForEachIn(size_t e, Visit& visit) const;

  template <typename Sink>
  void WriteTo(Sink& sink) const;

  // Entries are runs and other pages, ascending. A page has at most one entry.
  std::vector<uint64_t> begins_;  // first ordinal of the run, or of the page
  std::vector<uint64_t> ends_;    // number of members up to the end of the entry
  std::vector<uint64_t> places_;  // kRun; otherwise an index into sparse_, or a page number in dense_
  std::vector<uint16_t> sparse_;  // members, counted from the start of their page
  std::vector<uint64_t> dense_;   // kPageWords per page
  std::vector<uint16_t> counts_;  // kPageBlocks per page of dense_: members of the page before the block
};

/// Builds a set from distinct ordinals in ascending order. Not thread-safe.
class OrdinalSet::Builder {
 public:
  void Add(uint64_t ordinal) { AddAligned(ordinal / 64, uint64_t{1} << (ordinal % 64)); }

  /// Adds [begin, end), if it is not empty.
  void AddRange(uint64_t begin, uint64_t end);

  /// Adds `first` + i for each bit i that is set in `bits`.
  void AddBits(uint64_t first, uint64_t bits) {
    const uint64_t shift = first % 64;
    AddAligned(first / 64, bits << shift);
    if (shift != 0) AddAligned(first / 64 + 1, bits >> (64 - shift));
  }

  /// Returns the set of the added ordinals, and starts over.
  [[nodiscard]] OrdinalSet Take();

 private:
  friend class OrdinalSet;

  static constexpr uint64_t kNoPage = ~uint64_t{0};

  void AddAligned(uint64_t word, uint64_t bits) {
    if (bits == 0) return;
    if (word / kPageWords != page_) Open(word);
    const uint64_t w = word % kPageWords;
    assert(w >= last_word_ && std::countr_zero(bits) >= 64 - std::countl_zero(words_[w]));
    words_[w] |= bits;
    last_word_ = w;
  }

  void Open(uint64_t word);
  void Close();
  void AddInPage(uint64_t begin, uint64_t end);
  void AddOverlap(const OrdinalSet& a, size_t i, const OrdinalSet& b, size_t j);
  void CopyPage(const OrdinalSet& from, size_t e);
  void AppendRun(uint64_t begin, uint64_t end);
  void AppendSparse(uint64_t count);
  void AppendDense(uint64_t count);
  void AppendEntry(uint64_t begin, uint64_t place, uint64_t count);

  OrdinalSet set_;
  uint64_t page_ = kNoPage;  // whose members are in words_
  uint64_t first_word_ = 0;  // the first and the last nonzero one of words_
  uint64_t last_word_ = 0;
  PageWords words_ = {};
};

template <typename Visit>
bool OrdinalSet::ForEachIn(size_t e, Visit& visit) const {
  const uint64_t begin = begins_[e];
  if (IsRun(e)) {
    for (uint64_t i = 0; i < Count(e); ++i) {
      if (!visit(begin + i)) return false;
    }
  } else if (IsDense(e)) {
    for (uint64_t w = 0; w < kPageWords; ++w) {
      for (uint64_t bits = DenseOf(e)[w]; bits != 0; bits &= bits - 1) {
        if (!visit(begin + w * 64 + static_cast<unsigned>(std::countr_zero(bits)))) return false;
      }
    }
  } else {
    for (const uint16_t member : SparseOf(e)) {
      if (!visit(begin + member)) return false;
    }
  }
  return true;
}

}  // namespace ofindex

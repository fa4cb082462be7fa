#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "index/catalog/shared_catalog.h"
#include "query/columns/chunks/bit_words.h"

namespace ofindex {

/// The selected records of one block.
struct BlockSelection {
  uint32_t count = 0;                ///< how many
  std::vector<uint64_t> words = {};  ///< one bit per record; empty if all or none are selected

  /// Returns word `word` of the bitmap of a block of `records` records.
  [[nodiscard]] uint64_t Word(uint32_t records, uint32_t word) const {
    if (!words.empty()) return words[word];
    return count == 0 ? 0 : RecordBits(records, word);
  }
};

/// Returns the selection for a bitmap of a block of `records` records; an empty bitmap selects none.
[[nodiscard]] inline BlockSelection SelectionOf(std::vector<uint64_t> words, uint32_t records) {
  BlockSelection selection;
  for (const uint64_t word : words) selection.count += static_cast<uint32_t>(std::popcount(word));
  if (selection.count != 0 && selection.count != records) selection.words = std::move(words);
  return selection;
}

/// A set of records of a dataset, as bitmaps of its blocks; blocks selected entirely or not at all take no memory.
/// Immutable; may be read by any number of threads.
class Selection {
 public:
  Selection() = default;

  /// `selected` has an entry for each of `blocks`.
  Selection(std::vector<BlockMetadata> blocks, std::vector<BlockSelection> selected)
      : blocks_(std::move(blocks)), selected_(std::move(selected)) {
    for (const BlockSelection& block : selected_) count_ += block.count;
  }

  [[nodiscard]] uint64_t count() const { return count_; }
  [[nodiscard]] const std::vector<BlockMetadata>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<BlockSelection>& selected() const { return selected_; }

  /// Calls `visit` with the ordinal of each selected record, ascending, until it returns false.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t b = 0; b < selected_.size(); ++b) {
      if (!ForEachIn(b, visit)) return;
    }
  }

  /// Does the same for block `b` only; returns false if `visit` did.
  template <typename Visit>
  bool ForEachIn(size_t b, Visit visit) const {
    if (selected_[b].count == 0) return true;
    for (uint32_t w = 0; w < WordCount(blocks_[b].records); ++w) {
      for (uint64_t bits = selected_[b].Word(blocks_[b].records, w); bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(bits));
        if (!visit(blocks_[b].first_record + uint64_t{w} * 64 + bit)) return false;
      }
    }
    return true;
  }

  /// Returns the ordinals, ascending.
  [[nodiscard]] std::vector<uint64_t> Ordinals() const {
    std::vector<uint64_t> ordinals;
    ordinals.reserve(count_);
    ForEach([&ordinals](uint64_t ordinal) {
      ordinals.push_back(ordinal);
      return true;
    });
    return ordinals;
  }

 private:
  std::vector<BlockMetadata> blocks_;
  std::vector<BlockSelection> selected_;
  uint64_t count_ = 0;
};

}  // namespace ofindex

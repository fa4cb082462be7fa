#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index/chunks/chunk.h"
#include "query/crossfilter/codes/bin_codes.h"
#include "query/crossfilter/codes/binning.h"
#include "query/crossfilter/codes/code_mask.h"
#include "query/filter/value_filter.h"

namespace ofindex {

/// One column's codes in one block: a byte for each record, or none if all have the same code. Immutable once made; any
/// number of threads may read it.
class CodedBlock {
 public:
  /// Returns the codes of a chunk of single values.
  [[nodiscard]] static CodedBlock Of(const Chunk& chunk, const Binning& binning);

  /// Returns true if the counts of all records are known without reading the codes.
  [[nodiscard]] bool counted() const { return codes_.empty() || !counts_.empty(); }

  /// Returns the records that `mask` accepts, as far as this is known without reading the codes.
  [[nodiscard]] ValueFilter::Verdict Evaluate(const CodeMask& mask) const;

  /// Sets the bit of each record that `mask` accepts, and clears the others.
  void Match(const CodeMask& mask, std::span<uint64_t> words) const;

  /// Adds the counts of all records.
  void AddAll(CodeCounts& counts) const;

  /// Adds the counts of the `selected` records whose bits are set in `words`.
  void Add(std::span<const uint64_t> words, uint64_t selected, CodeCounts& counts) const;

  /// Returns at least as many bytes as the codes of `records` records take.
  [[nodiscard]] static uint64_t MaxMemory(uint32_t records);

 private:
  uint32_t records_ = 0;
  BinCode only_ = kNullValue;     // of all records, if there are no codes
  std::vector<BinCode> codes_;    // by record
  std::vector<uint32_t> counts_;  // by code; empty for small blocks
};

}  // namespace ofindex

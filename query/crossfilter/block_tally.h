#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "query/crossfilter/cross_filter_question.h"
#include "query/crossfilter/prepared_question.h"

namespace ofindex {

/// Sums over blocks.
struct CrossFilterSums {
  uint64_t passing = 0;
  std::vector<CodeCounts> dimensions;
  std::vector<CodeCounts> unfiltered;

  explicit CrossFilterSums(const CrossFilterQuestion& question)
      : dimensions(question.dimensions.size()), unfiltered(question.unfiltered ? question.dimensions.size() : 0) {}

  void Add(const CrossFilterSums& other);
};

/// Counts the records of blocks, one after the other. Reuses its memory; not thread-safe.
class BlockTally {
 public:
  explicit BlockTally(const PreparedQuestion& prepared) : prepared_(&prepared) {}

  /// Adds the counts of `block` to `sums`. Errors: those of ColumnStore::Load.
  [[nodiscard]] Result<void> Add(uint64_t block, CrossFilterSums& sums);

 private:
  using Words = std::vector<uint64_t>;

  [[nodiscard]] Result<void> MatchAll(uint64_t block);
  [[nodiscard]] Result<void> AddDimensions(uint64_t block, CrossFilterSums& sums);
  void Begin(uint64_t block);

  const PreparedQuestion* prepared_;
  Words among_;             // the records that are counted at all
  Words pass_;              // those that meet all conditions
  Words fail_once_;         // those that fail exactly one
  std::vector<Words> met_;  // by condition
  Words own_;               // those that count for one dimension
};

}  // namespace ofindex

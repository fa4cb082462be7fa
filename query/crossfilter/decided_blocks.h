#pragma once

#include <cstdint>
#include <vector>

#include "query/crossfilter/prepared_question.h"

namespace ofindex {

/// Finds the blocks that need not be read for a question: zone maps, or the counts of complete dimensions, say that all
/// or none of their records meet each condition. Immutable.
class DecidedBlocks {
 public:
  explicit DecidedBlocks(const PreparedQuestion& prepared);

  /// Returns for each block whether it is decided.
  [[nodiscard]] std::vector<bool> All() const;

  /// Returns how many times as long as with codes it takes to read a record.
  [[nodiscard]] uint64_t record_cost() const { return record_cost_; }

 private:
  [[nodiscard]] bool Decided(uint64_t block, std::vector<ValueFilter::Verdict>& verdicts) const;
  [[nodiscard]] bool Counted(size_t dimension, uint64_t block) const;

  const PreparedQuestion* prepared_;
  std::vector<bool> complete_;  // by dimension
  uint64_t record_cost_ = 1;
};

}  // namespace ofindex

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "query/crossfilter/block_sample.h"

namespace ofindex {

/// How much the share of the records that pass differs between blocks, from which the error of an estimate follows. The
/// sums are exact, so that they do not depend on the order of blocks.
class BlockSpread {
 public:
  void Add(uint64_t passing, uint64_t records) {
    ++blocks_;
    passing_ += passing;
    records_ += records;
    squares_ += Wide{passing} * passing;
    products_ += Wide{passing} * records;
    record_squares_ += Wide{records} * records;
  }

  void Add(const BlockSpread& other) {
    blocks_ += other.blocks_;
    passing_ += other.passing_;
    records_ += other.records_;
    squares_ += other.squares_;
    products_ += other.products_;
    record_squares_ += other.record_squares_;
  }

  /// Returns the standard error of the ratio estimate of all records that pass, if the blocks of `sample` are clusters
  /// drawn at random (W. G. Cochran: Sampling Techniques, 3rd edition, 1977, 6.4).
  [[nodiscard]] double ErrorOf(const BlockSample& sample) const {
    if (sample.read == sample.in_question) return 0;
    if (blocks_ < 2 || records_ == 0) return std::numeric_limits<double>::infinity();
    const auto blocks = static_cast<double>(blocks_);
    const auto records = static_cast<double>(records_);
    const double ratio = static_cast<double>(passing_) / records;
    const double deviations = static_cast<double>(squares_) - 2 * ratio * static_cast<double>(products_) +
                              ratio * ratio * static_cast<double>(record_squares_);
    const auto all = static_cast<double>(sample.in_question);
    const double variance = (1 - records / all) * blocks / (blocks - 1) * std::max(deviations, 0.0);
    return all / records * std::sqrt(variance);
  }

 private:
  using Wide = unsigned __int128;  // squares of up to 2^32 records in each of up to 2^64 blocks

  uint64_t blocks_ = 0;
  uint64_t passing_ = 0;
  uint64_t records_ = 0;
  Wide squares_ = 0;
  Wide products_ = 0;
  Wide record_squares_ = 0;
};

}  // namespace ofindex

#include "query/crossfilter/block_tally.h"

#include "query/columns/chunk_numbers.h"
#include "query/columns/chunks/bit_words.h"

namespace ofindex {
namespace {

void AddCodeCounts(const std::vector<CodeCounts>& from, std::vector<CodeCounts>& to) {
  for (size_t d = 0; d < to.size(); ++d) {
    for (size_t code = 0; code < to[d].size(); ++code) to[d][code] += from[d][code];
  }
}

}  // namespace

void CrossFilterSums::Add(const CrossFilterSums& other) {
  passing += other.passing;
  AddCodeCounts(other.dimensions, dimensions);
  AddCodeCounts(other.unfiltered, unfiltered);
}

void BlockTally::Begin(uint64_t block) {
  const uint32_t records = prepared_->store.blocks()[block].records;
  among_.resize(WordCount(records));
  const Selection* const among = prepared_->question.among;
  for (uint32_t w = 0; w < among_.size(); ++w) {
    among_[w] = among == nullptr ? RecordBits(records, w) : among->selected()[block].Word(records, w);
  }
  pass_ = among_;
  fail_once_.assign(among_.size(), 0);
  met_.resize(prepared_->conditions.size());
  for (Words& met : met_) met.resize(among_.size());
}

// A record that fails two conditions counts for no dimension.
Result<void> BlockTally::MatchAll(uint64_t block) {
  for (size_t c = 0; c < met_.size(); ++c) {
    Words& met = met_[c];
    OFINDEX_TRY(prepared_->conditions[c].Match(block, met));
    uint64_t left = 0;
    for (size_t w = 0; w < met.size(); ++w) {
      const uint64_t failed = pass_[w] & ~met[w];
      fail_once_[w] = (fail_once_[w] & met[w]) | failed;
      pass_[w] &= met[w];
      left |= pass_[w] | fail_once_[w];
    }
    if (left == 0) break;
  }
  return {};
}

Result<void> BlockTally::AddDimensions(uint64_t block, CrossFilterSums& sums) {
  const auto& dimensions = prepared_->question.dimensions;
  const uint64_t passing = CountSet(pass_);
  sums.passing += passing;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const Words* counted = &pass_;
    uint64_t count = passing;
    if (const auto own = prepared_->own[d]) {
      own_.resize(pass_.size());
      for (size_t w = 0; w < own_.size(); ++w) own_[w] = pass_[w] | (fail_once_[w] & ~met_[*own][w]);
      counted = &own_;
      count = CountSet(own_);
    }
    const uint64_t all = prepared_->question.unfiltered ? CountSet(among_) : 0;
    if (count == 0 && all == 0) continue;
    OFINDEX_ASSIGN(const auto coded, dimensions[d]->Block(block));
    coded->Add(*counted, count, sums.dimensions[d]);
    if (all != 0) coded->Add(among_, all, sums.unfiltered[d]);
  }
  return {};
}

Result<void> BlockTally::Add(uint64_t block, CrossFilterSums& sums) {
  Begin(block);
  if (CountSet(among_) == 0) return {};
  OFINDEX_TRY(MatchAll(block));
  return AddDimensions(block, sums);
}

}  // namespace ofindex

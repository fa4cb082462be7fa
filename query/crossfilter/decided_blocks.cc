#include "query/crossfilter/decided_blocks.h"

#include <algorithm>

namespace ofindex {

DecidedBlocks::DecidedBlocks(const PreparedQuestion& prepared) : prepared_(&prepared) {
  for (const auto& dimension : prepared.question.dimensions) {
    complete_.push_back(dimension->complete());
    if (!complete_.back() || !dimension->fits()) record_cost_ += CrossFilterQuestion::kUncodedCost;
  }
  for (const ColumnConditions& condition : prepared.conditions) {
    if (!condition.is_coded()) record_cost_ += CrossFilterQuestion::kUncodedCost;
  }
}

std::vector<bool> DecidedBlocks::All() const {
  std::vector<bool> decided;
  std::vector<ValueFilter::Verdict> verdicts(prepared_->conditions.size());
  for (uint64_t block = 0; block < prepared_->store.blocks().size(); ++block) {
    decided.push_back(Decided(block, verdicts));
  }
  return decided;
}

bool DecidedBlocks::Counted(size_t dimension, uint64_t block) const {
  if (!complete_[dimension]) return false;
  const auto kept = prepared_->question.dimensions[dimension]->Kept(block);
  return kept != nullptr && kept->counted();
}

bool DecidedBlocks::Decided(uint64_t block, std::vector<ValueFilter::Verdict>& verdicts) const {
  const CrossFilterQuestion& question = prepared_->question;
  auto among = ValueFilter::Verdict::kAll;
  if (question.among != nullptr) {
    const uint32_t count = question.among->selected()[block].count;
    if (count == 0) return true;
    if (count != prepared_->store.blocks()[block].records) among = ValueFilter::Verdict::kSome;
  }
  for (size_t c = 0; c < verdicts.size(); ++c) verdicts[c] = prepared_->conditions[c].Evaluate(block);
  // Returns the verdict of all conditions but one.
  const auto all_but = [&](std::optional<size_t> own) {
    auto verdict = among;
    for (size_t c = 0; c < verdicts.size(); ++c) {
      if (c != own) verdict = std::min(verdict, verdicts[c]);
    }
    return verdict;
  };
  if (all_but(std::nullopt) == ValueFilter::Verdict::kSome) return false;
  for (size_t d = 0; d < question.dimensions.size(); ++d) {
    const ValueFilter::Verdict verdict = all_but(prepared_->own[d]);
    if (verdict == ValueFilter::Verdict::kSome) return false;
    const bool needs_counts = verdict == ValueFilter::Verdict::kAll || question.unfiltered;
    if (needs_counts && (among != ValueFilter::Verdict::kAll || !Counted(d, block))) return false;
  }
  return true;
}

}  // namespace ofindex

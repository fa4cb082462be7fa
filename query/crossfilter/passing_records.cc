#include "query/crossfilter/passing_records.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/allocation.h"
#include "query/audit/shared_work.h"
#include "query/columns/chunks/bit_words.h"

namespace ofindex {
namespace {

// Selects the records of the blocks that one thread takes.
class PassingWorker {
 public:
  PassingWorker(const std::vector<BlockMetadata>& blocks, const std::vector<ColumnConditions>& conditions,
                const Selection* among, std::vector<BlockSelection>& selected)
      : blocks_(&blocks), conditions_(&conditions), among_(among), selected_(&selected) {}

  [[nodiscard]] Result<void> Do(size_t block) {
    const uint32_t records = (*blocks_)[block].records;
    std::vector<uint64_t> passing(WordCount(records));
    for (uint32_t w = 0; w < passing.size(); ++w) {
      passing[w] = among_ == nullptr ? RecordBits(records, w) : among_->selected()[block].Word(records, w);
    }
    for (const ColumnConditions& condition : *conditions_) {
      const ValueFilter::Verdict verdict = condition.Evaluate(block);
      if (verdict == ValueFilter::Verdict::kNone) return {};
      if (verdict == ValueFilter::Verdict::kAll) continue;
      met_.resize(passing.size());
      OFINDEX_TRY(condition.Match(block, met_));
      for (size_t w = 0; w < passing.size(); ++w) passing[w] &= met_[w];
    }
    (*selected_)[block] = SelectionOf(std::move(passing), records);
    return {};
  }

  [[nodiscard]] Result<void> Finish() { return {}; }

 private:
  const std::vector<BlockMetadata>* blocks_;
  const std::vector<ColumnConditions>* conditions_;
  const Selection* among_;
  std::vector<BlockSelection>* selected_;  // each block's entry belongs to the worker that takes the block
  std::vector<uint64_t> met_;
};

}  // namespace

Result<Selection> PassingRecords(ColumnStore& store, const std::vector<ColumnFilter>& filters,
                                 std::span<const std::shared_ptr<const Dimension>> dimensions, const Selection* among,
                                 const Progress& progress) {
  return WithMemory("a selection", [&]() -> Result<Selection> {
    const std::vector<BlockMetadata>& blocks = store.blocks();
    if (among != nullptr && among->selected().size() != blocks.size()) {
      return Fail(ErrorCode::kUsage, "'among' is of another dataset; expected records of this one",
                  "select them from the same snapshot");
    }
    OFINDEX_ASSIGN(const std::vector<ColumnConditions> conditions, ConditionsOf(store, filters, dimensions, progress));
    std::vector<BlockSelection> selected(blocks.size());
    OFINDEX_TRY(ShareWork(blocks.size(), store.threads(), progress, "a selection",
                          [&] { return PassingWorker(blocks, conditions, among, selected); }));
    if (progress.cancel) return Interrupted();
    return Selection(blocks, std::move(selected));
  });
}

}  // namespace ofindex

#include "query/crossfilter/frequent_values.h"

#include "base/allocation.h"
#include "query/columns/blocks_in_order.h"
#include "query/crossfilter/block_sample.h"
#include "query/stats/block_counts.h"

namespace ofindex {
namespace {

// Calls `add` with the counts of each block of `sample`, in the order of blocks.
template <typename Add>
Result<void> ForEachBlockCounts(ColumnStore& store, const Column& column, const BlockSample& sample,
                                const Progress& progress, Add add) {
  const uint8_t kinds = store.kinds(column);
  const bool mixed = (kinds & kIntegerKinds) != 0 && (kinds & kRealKinds) != 0;
  return MergeInOrder(
      store.threads(), sample.pieces.size(), &progress.cancel,
      [&](uint64_t piece) -> Result<BlockCounts> {
        OFINDEX_ASSIGN(auto chunk, store.Load(column, sample.pieces[piece].block));
        return CountValues({.chunk = std::move(chunk)}, mixed);
      },
      [&](const BlockCounts& counts) -> Result<void> {
        add(counts);
        return {};
      });
}

}  // namespace

Result<std::vector<ValueCount>> FrequentValues(ColumnStore& store, const Column& column, size_t limit,
                                               const Progress& progress, uint64_t max_records) {
  const std::vector<BlockMetadata>& blocks = store.blocks();
  const BlockSample sample = SampleOf(blocks, std::vector<bool>(blocks.size()), max_records);
  ValueCounts counts;
  OFINDEX_TRY(
      ForEachBlockCounts(store, column, sample, progress, [&](const BlockCounts& block) { counts.Add(block); }));
  return WithMemory("the most frequent values", [&]() -> Result<std::vector<ValueCount>> {
    counts.Settle();
    if (!counts.exact()) {
      counts.Zero();
      OFINDEX_TRY(ForEachBlockCounts(store, column, sample, progress,
                                     [&](const BlockCounts& block) { counts.Recount(block); }));
    }
    return counts.Top(limit);
  });
}

}  // namespace ofindex

#include "query/crossfilter/cross_filter.h"

#include <cmath>
#include <utility>

#include "base/allocation.h"
#include "query/audit/shared_work.h"
#include "query/crossfilter/block_sample.h"
#include "query/crossfilter/block_spread.h"
#include "query/crossfilter/block_tally.h"
#include "query/crossfilter/decided_blocks.h"

namespace ofindex {
namespace {

BlockSample ChooseBlocks(const PreparedQuestion& prepared) {
  const std::vector<BlockMetadata>& blocks = prepared.store.blocks();
  const uint64_t max_records = prepared.question.max_records;
  const DecidedBlocks decided(prepared);
  const uint64_t affordable = max_records / decided.record_cost();
  if (affordable >= prepared.store.records()) {
    return SampleOf(blocks, std::vector<bool>(blocks.size()), affordable);
  }
  return SampleOf(blocks, decided.All(), affordable);
}

// The sums over the decided blocks, and those over the sampled ones.
struct TwoSums {
  CrossFilterSums decided;
  CrossFilterSums sampled;
  BlockSpread spread;  // of the sampled ones
};

// Counts the blocks that one thread takes.
class TallyWorker {
 public:
  TallyWorker(const PreparedQuestion& prepared, const BlockSample& sample, TwoSums& sums)
      : prepared_(&prepared),
        sample_(&sample),
        sums_(&sums),
        tally_(prepared),
        own_{CrossFilterSums(prepared.question), CrossFilterSums(prepared.question), {}} {}

  [[nodiscard]] Result<void> Do(size_t piece) {
    const BlockSample::Piece& at = sample_->pieces[piece];
    if (!at.sampled) return tally_.Add(at.block, own_.decided);
    const uint64_t before = own_.sampled.passing;
    OFINDEX_TRY(tally_.Add(at.block, own_.sampled));
    own_.spread.Add(own_.sampled.passing - before, prepared_->store.blocks()[at.block].records);
    return {};
  }

  [[nodiscard]] Result<void> Finish() {
    sums_->decided.Add(own_.decided);
    sums_->sampled.Add(own_.sampled);
    sums_->spread.Add(own_.spread);
    return {};
  }

 private:
  const PreparedQuestion* prepared_;
  const BlockSample* sample_;
  TwoSums* sums_;
  BlockTally tally_;
  TwoSums own_;
};

CrossFilterCounts CountsOfSums(const PreparedQuestion& prepared, const BlockSample& sample, const TwoSums& sums) {
  const double factor =
      sample.read == 0 ? 0 : static_cast<double>(sample.in_question) / static_cast<double>(sample.read);
  const auto whole = [&](uint64_t decided, uint64_t sampled) {
    if (sample.read == sample.in_question) return decided + sampled;
    return decided + static_cast<uint64_t>(std::llround(static_cast<double>(sampled) * factor));
  };
  const auto by_dimension = [&](const std::vector<CodeCounts>& decided, const std::vector<CodeCounts>& sampled) {
    std::vector<BinCounts> counts;
    for (size_t d = 0; d < decided.size(); ++d) {
      CodeCounts scaled;
      for (size_t code = 0; code < scaled.size(); ++code) scaled[code] = whole(decided[d][code], sampled[d][code]);
      counts.push_back(BinCountsOf(scaled, prepared.question.dimensions[d]->bins()));
    }
    return counts;
  };
  return {.passing = whole(sums.decided.passing, sums.sampled.passing),
          .dimensions = by_dimension(sums.decided.dimensions, sums.sampled.dimensions),
          .unfiltered = by_dimension(sums.decided.unfiltered, sums.sampled.unfiltered),
          .records = prepared.store.records(),
          .known = prepared.store.records() - (sample.in_question - sample.read),
          .error = sums.spread.ErrorOf(sample)};
}

}  // namespace

Result<CrossFilterCounts> CrossFilter(ColumnStore& store, const CrossFilterQuestion& question,
                                      const Progress& progress) {
  return WithMemory("a cross-filter", [&]() -> Result<CrossFilterCounts> {
    OFINDEX_ASSIGN(const PreparedQuestion prepared, PreparedQuestion::Of(store, question, progress));
    const BlockSample sample = ChooseBlocks(prepared);
    TwoSums sums{CrossFilterSums(question), CrossFilterSums(question), {}};
    OFINDEX_TRY(ShareWork(sample.pieces.size(), store.threads(), progress, "a cross-filter",
                          [&] { return TallyWorker(prepared, sample, sums); }));
    if (progress.cancel) return Interrupted();
    return CountsOfSums(prepared, sample, sums);
  });
}

}  // namespace ofindex

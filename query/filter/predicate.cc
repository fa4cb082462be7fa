#include "query/filter/predicate.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/allocation.h"
#include "base/progress.h"
#include "base/threads.h"
#include "query/filter/kernels.h"

namespace ofindex {
namespace {

using Verdict = ValueFilter::Verdict;

// Minimum number of blocks for which starting a thread pays.
constexpr uint64_t kBlocksPerThread = 4;

// Clears the bits that are not in `other`. Returns whether any are left.
bool Intersect(std::span<uint64_t> words, std::span<const uint64_t> other) {
  uint64_t left = 0;
  for (size_t w = 0; w < words.size(); ++w) left |= words[w] &= other[w];
  return left != 0;
}

}  // namespace

Result<Predicate> Predicate::Of(ColumnStore& store, std::span<const Constraint> constraints,
                                const std::atomic<bool>* cancel) {
  Predicate predicate(store, cancel);
  for (const Constraint& constraint : constraints) {
    const Column& column = store.columns()[constraint.column];
    ValueFilter filter = ValueFilter::Of(constraint);
    filter.cancel = cancel;
    const bool merged = std::any_of(predicate.parts_.begin(), predicate.parts_.end(), [&](Part& part) {
      return part.column.name == column.name && part.filter.Merge(filter);
    });
    if (merged) continue;
    OFINDEX_ASSIGN(auto zones, store.ZonesOf(column));
    predicate.parts_.push_back({constraint.column, column, std::move(filter), std::move(zones)});
  }
  return predicate;
}

Result<void> Predicate::MatchPart(const Part& part, uint64_t block, std::span<uint64_t> words) const {
  if (part.column.origin == Column::Origin::kId) {
    const BlockMetadata& metadata = store_->blocks()[block];
    MatchOrdinals(part.filter, metadata.first_record, metadata.records, words);
    return {};
  }
  OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> chunk, store_->Load(part.column, block));
  Match(part.filter, *chunk, words);
  return {};
}

Verdict Predicate::EvaluateZone(uint64_t block) const {
  Verdict verdict = Verdict::kAll;
  for (const Part& part : parts_) verdict = std::min(verdict, part.filter.EvaluateZone((*part.zones)[block]));
  return verdict;
}

Result<BlockSelection> Predicate::Evaluate(uint64_t block) const {
  const uint32_t records = store_->blocks()[block].records;
  const Verdict verdict = EvaluateZone(block);
  if (verdict == Verdict::kNone) return BlockSelection{};
  if (verdict == Verdict::kAll) return BlockSelection{.count = records};
  std::vector<uint64_t> words;
  std::vector<uint64_t> more;
  for (const Part& part : parts_) {
    if (part.filter.EvaluateZone((*part.zones)[block]) == Verdict::kAll) continue;
    std::vector<uint64_t>& out = words.empty() ? words : more;
    out.resize(WordCount(records));
    OFINDEX_TRY(MatchPart(part, block, out));
    if (!more.empty() && !Intersect(words, more)) break;
  }
  if (cancel_ != nullptr && *cancel_) return Interrupted();
  return SelectionOf(std::move(words), records);
}

unsigned Predicate::ThreadsFor(uint64_t begin, uint64_t end, unsigned threads) const {
  const uint64_t limit = uint64_t{threads} * kBlocksPerThread;
  uint64_t open = 0;
  for (uint64_t block = begin; block < end && open < limit; ++block)
    open += EvaluateZone(block) == Verdict::kSome ? 1U : 0U;
  return static_cast<unsigned>(std::max<uint64_t>(1, open / kBlocksPerThread));
}

Result<std::vector<BlockSelection>> Predicate::Evaluate(uint64_t begin, uint64_t end, unsigned threads) const {
  std::vector<BlockSelection> selected(end - begin);
  std::atomic<uint64_t> next = begin;
  std::mutex mutex;
  std::optional<Error> failure;
  const auto work = [&](unsigned) {
    for (;;) {
      const uint64_t block = next.fetch_add(1);
      if (block >= end) return;
      Result<BlockSelection> result = WithMemory("a selection", [&] { return Evaluate(block); });
      if (result) {
        selected[block - begin] = *std::move(result);
        continue;
      }
      next = end;
      const std::lock_guard lock(mutex);
      failure = std::move(result).error();
      return;
    }
  };
  RunOnThreads(ThreadsFor(begin, end, threads), work);
  if (failure) return tl::unexpected<Error>(*std::move(failure));
  return selected;
}

uint64_t Predicate::RecordsInQuestion() const {
  uint64_t records = 0;
  for (uint64_t block = 0; block < store_->blocks().size(); ++block) {
    if (EvaluateZone(block) != Verdict::kNone) records += store_->blocks()[block].records;
  }
  return records;
}

}  // namespace ofindex

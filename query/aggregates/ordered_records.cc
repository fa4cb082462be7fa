#include "query/aggregates/ordered_records.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "query/columns/value_order.h"
#include "query/filter/predicate.h"

namespace ofindex {
namespace {

// Blocks evaluated between two checks; fewer at first, while the bound is weak.
constexpr uint64_t kMaxWindow = 64;

// Bytes of texts and blobs copied between two checks.
constexpr uint64_t kBytesPerCheck = uint64_t{1} << 20;

std::vector<uint32_t> RecordsIn(const BlockSelection& selected, uint32_t records) {
  std::vector<uint32_t> found;
  found.reserve(selected.count);
  for (uint32_t w = 0; w < WordCount(records); ++w) {
    for (uint64_t bits = selected.Word(records, w); bits != 0; bits &= bits - 1) {
      found.push_back(w * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
    }
  }
  return found;
}

}  // namespace

// NULL comes first, or last if descending.
Result<std::vector<uint64_t>> OrderedRecords::First(uint64_t count, const Check& check) const {
  std::vector<uint64_t> ordinals;
  const bool descending = order_[0].descending;
  for (const Op op : {descending ? Op::kNotNull : Op::kIsNull, descending ? Op::kIsNull : Op::kNotNull}) {
    if (ordinals.size() >= count) break;
    Best found;
    OFINDEX_TRY(Find({.column = order_[0].column, .op = op}, count - ordinals.size(), check, found));
    for (const Candidate& candidate : found.all) ordinals.push_back(candidate.ordinal);
  }
  return ordinals;
}

// Finds the first `count` records that also meet `first`.
Result<void> OrderedRecords::Find(Constraint first, uint64_t count, const Check& check, Best& found) const {
  const bool unordered = first.op == Op::kIsNull && order_.size() == 1;
  const uint64_t blocks = store_->blocks().size();
  uint64_t window = 1;
  for (uint64_t begin = 0; begin < blocks; begin += window, window = std::min(2 * window, kMaxWindow)) {
    if (unordered && found.all.size() >= count) break;
    OFINDEX_TRY(check(found.bytes));
    std::vector<Constraint> constraints = constraints_;
    constraints.push_back(found.all.size() < count || first.op == Op::kIsNull ? first : BoundOf(found.all.back()));
    OFINDEX_ASSIGN(const Predicate predicate, Predicate::Of(*store_, constraints));
    const uint64_t end = std::min(begin + window, blocks);
    OFINDEX_ASSIGN(const std::vector<BlockSelection> selected, predicate.Evaluate(begin, end, store_->threads()));
    for (uint64_t block = begin; block < end; ++block) {
      const BlockSelection& chosen = selected[block - begin];
      if (chosen.count == 0) continue;
      OFINDEX_TRY(TakeBest(block, RecordsIn(chosen, store_->blocks()[block].records), count, check, found));
    }
  }
  return {};
}

// Merges the first `count` of `records` in a block into `best`, the first `count` found so far, in order.
Result<void> OrderedRecords::TakeBest(uint64_t block, std::vector<uint32_t> records, uint64_t count, const Check& check,
                                      Best& best) const {
  std::vector<std::shared_ptr<const Chunk>> chunks;
  for (const GroupRequest::Key& key : order_) {
    OFINDEX_ASSIGN(std::shared_ptr<const Chunk> chunk, store_->Load(store_->columns()[key.column], block));
    chunks.push_back(std::move(chunk));
  }
  const auto before = [&](uint32_t a, uint32_t b) {
    const int order = CompareByKeys(
        order_, [&](size_t i) { return chunks[i]->At(a); }, [&](size_t i) { return chunks[i]->At(b); });
    return order != 0 ? order < 0 : a < b;
  };
  const size_t kept = static_cast<size_t>(std::min<uint64_t>(count, records.size()));
  std::partial_sort(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(kept), records.end(), before);
  std::vector<Candidate>& all = best.all;
  const size_t old = all.size();
  uint64_t checked = best.bytes;
  for (size_t i = 0; i < kept; ++i) {
    Candidate candidate{.values = {}, .ordinal = store_->blocks()[block].first_record + records[i]};
    for (const std::shared_ptr<const Chunk>& chunk : chunks) candidate.values.push_back(Owned(chunk->At(records[i])));
    // All others of this block come later still.
    if (old >= count && !Before(candidate, all[old - 1])) break;
    best.bytes += BytesOf(candidate);
    all.push_back(std::move(candidate));
    if (best.bytes - checked < kBytesPerCheck) continue;
    checked = best.bytes;
    OFINDEX_TRY(check(best.bytes));
  }
  std::inplace_merge(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(old), all.end(),
                     [this](const Candidate& a, const Candidate& b) { return Before(a, b); });
  for (; all.size() > count; all.pop_back()) best.bytes -= BytesOf(all.back());
  return {};
}

uint64_t OrderedRecords::BytesOf(const Candidate& candidate) {
  uint64_t bytes = 0;
  for (const ColumnValue& value : candidate.values) bytes += value.bytes.size();
  return bytes;
}

bool OrderedRecords::Before(const Candidate& a, const Candidate& b) const {
  const int order = CompareByKeys(
      order_, [&](size_t i) { return ViewOf(a.values[i]); }, [&](size_t i) { return ViewOf(b.values[i]); });
  return order != 0 ? order < 0 : a.ordinal < b.ordinal;
}

// Returns a constraint on the first column that all later records meet which come before `worst`. Of equal values, the
// later record comes later.
Constraint OrderedRecords::BoundOf(const Candidate& worst) const {
  const bool alone = order_.size() == 1;
  const Op op = order_[0].descending ? (alone ? Op::kGt : Op::kGe) : (alone ? Op::kLt : Op::kLe);
  return {.column = order_[0].column, .op = op, .values = {worst.values[0]}};
}

}  // namespace ofindex

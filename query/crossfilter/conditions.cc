#include "query/crossfilter/conditions.h"

#include <algorithm>
#include <utility>

#include "query/columns/chunks/bit_words.h"
#include "query/filter/kernels.h"

namespace ofindex {

Result<void> ColumnConditions::Add(ValueFilter filter, std::span<const std::shared_ptr<const Dimension>> dimensions) {
  Part part{.filter = std::move(filter)};
  for (const auto& dimension : dimensions) {
    if (dimension->column().number() != column_.number()) continue;
    part.mask = CodeMask::Of(part.filter, dimension->binning());
    if (!part.mask) continue;
    part.dimension = dimension;
    part.complete = dimension->complete();
    break;
  }
  OFINDEX_ASSIGN(part.zones, store_->ZonesOf(column_));
  parts_.push_back(std::move(part));
  return {};
}

ValueFilter::Verdict ColumnConditions::Evaluate(uint64_t block) const {
  auto verdict = ValueFilter::Verdict::kAll;
  for (const Part& part : parts_) {
    ValueFilter::Verdict one = part.filter.EvaluateZone((*part.zones)[block]);
    if (one == ValueFilter::Verdict::kSome && part.complete) {
      if (const auto kept = part.dimension->Kept(block)) one = kept->Evaluate(*part.mask);
    }
    verdict = std::min(verdict, one);
  }
  return verdict;
}

Result<void> ColumnConditions::MatchPart(const Part& part, uint64_t block, std::span<uint64_t> words) const {
  const uint32_t records = store_->blocks()[block].records;
  const ValueFilter::Verdict verdict = part.filter.EvaluateZone((*part.zones)[block]);
  if (verdict != ValueFilter::Verdict::kSome) {
    for (uint32_t w = 0; w < words.size(); ++w) {
      words[w] = verdict == ValueFilter::Verdict::kAll ? RecordBits(records, w) : 0;
    }
  } else if (part.mask) {
    OFINDEX_ASSIGN(const auto coded, part.dimension->Block(block));
    coded->Match(*part.mask, words);
  } else if (column_.origin == Column::Origin::kId) {
    MatchOrdinals(part.filter, store_->blocks()[block].first_record, records, words);
  } else {
    OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> chunk, store_->Load(column_, block));
    ::ofindex::Match(part.filter, *chunk, words);
  }
  return {};
}

Result<void> ColumnConditions::Match(uint64_t block, std::span<uint64_t> words) const {
  OFINDEX_TRY(MatchPart(parts_.front(), block, words));
  if (parts_.size() == 1) return {};
  std::vector<uint64_t> more(words.size());
  for (size_t i = 1; i < parts_.size(); ++i) {
    OFINDEX_TRY(MatchPart(parts_[i], block, more));
    for (size_t w = 0; w < words.size(); ++w) words[w] &= more[w];
  }
  return {};
}

bool ColumnConditions::is_coded() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.mask.has_value(); });
}

Result<std::vector<ColumnConditions>> ConditionsOf(ColumnStore& store, const std::vector<ColumnFilter>& filters,
                                                   std::span<const std::shared_ptr<const Dimension>> dimensions,
                                                   const Progress& progress) {
  std::vector<ColumnConditions> conditions;
  for (const ColumnFilter& filter : filters) {
    auto own = std::find_if(conditions.begin(), conditions.end(), [&](const ColumnConditions& other) {
      return other.column().number() == filter.column.number();
    });
    if (own == conditions.end()) own = conditions.emplace(own, store, filter.column);
    ValueFilter cancellable = filter.filter;
    cancellable.cancel = &progress.cancel;
    OFINDEX_TRY(own->Add(std::move(cancellable), dimensions));
  }
  return conditions;
}

}  // namespace ofindex

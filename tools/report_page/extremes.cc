#include "tools/report_page/extremes.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "query/filter/predicate.h"
#include "query/filter/selection.h"

namespace ofindex {
namespace {

// Returns the place of `column` in the store's list, by which constraints name it.
uint32_t PlaceOf(const ColumnStore& store, const Column& column) {
  const std::vector<Column>& columns = store.columns();
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& one) { return one.number() == column.number(); });
  return static_cast<uint32_t>(found - columns.begin());
}

}  // namespace

Result<std::optional<uint64_t>> FirstRecordWith(ColumnStore& store, const Column& column, const ColumnValue& value,
                                                const std::atomic<bool>* cancel) {
  const std::array<Constraint, 1> equal = {
      Constraint{.column = PlaceOf(store, column), .op = column.is_list() ? Op::kHas : Op::kEq, .values = {value}}};
  OFINDEX_ASSIGN(const Predicate predicate, Predicate::Of(store, equal, cancel));
  const std::vector<BlockMetadata>& blocks = store.blocks();
  for (uint64_t b = 0; b < blocks.size(); ++b) {
    OFINDEX_ASSIGN(const BlockSelection selected, predicate.Evaluate(b));
    for (uint32_t w = 0; w < WordCount(blocks[b].records); ++w) {
      const uint64_t bits = selected.count == 0 ? 0 : selected.Word(blocks[b].records, w);
      if (bits != 0) {
        return blocks[b].first_record + uint64_t{w} * 64 + static_cast<unsigned>(std::countr_zero(bits));
      }
    }
  }
  return std::nullopt;
}

bool ExtremeRecords::Add(uint64_t ordinal, std::string label) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.ordinal == ordinal; });
  if (found == entries_.end()) {
    if (entries_.size() == kMaxRecords) {
      ++dropped_;
      return false;
    }
    entries_.push_back({.ordinal = ordinal, .labels = {std::move(label)}});
  } else if (found->labels.size() == kMaxLabels) {
    ++found->more_labels;
  } else {
    found->labels.push_back(std::move(label));
  }
  return true;
}

}  // namespace ofindex

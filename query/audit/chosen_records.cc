#include "query/audit/chosen_records.h"

#include <algorithm>

namespace ofindex {

void RecordFacts::Add(const RecordFacts& other) {
  if (!other.cause.empty() && (cause.empty() || other.first_undecodable < first_undecodable)) {
    first_undecodable = other.first_undecodable;
    cause = other.cause;
  }
  records += other.records;
  bad += other.bad;
  without += other.without;
  read += other.read;
  undecodable += other.undecodable;
  plain += other.plain;
}

Result<ChosenRecords> ChosenRecords::Of(const Dataset& dataset, const View* rows) {
  const Snapshot& snapshot = *dataset.snapshot();
  OFINDEX_ASSIGN(std::shared_ptr<ColumnStore> store, snapshot.Columns());
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot.Catalog());
  OFINDEX_ASSIGN(const std::vector<BadRow> rows_of_bad, catalog->Bad());
  std::vector<uint64_t> bad;
  bad.reserve(rows_of_bad.size());
  for (const BadRow& row : rows_of_bad) bad.push_back(row.record);
  std::sort(bad.begin(), bad.end());
  return ChosenRecords(std::move(store), rows, std::move(bad));
}

void ChosenRecords::Choose(uint64_t begin, uint64_t end, std::vector<uint64_t>& ordinals, RecordFacts& facts) const {
  ordinals.clear();
  if (rows_ != nullptr) {
    const View part = rows_->Between(begin, end);
    for (uint64_t i = 0; i < part.size(); ++i) ordinals.push_back(i);
    part.Map(ordinals);
  } else {
    for (uint64_t ordinal = begin; ordinal < end; ++ordinal) ordinals.push_back(ordinal);
  }
  facts.records += ordinals.size();
  const auto first = std::lower_bound(bad_.begin(), bad_.end(), begin);
  if (first == bad_.end() || *first >= end) return;
  facts.bad +=
      std::erase_if(ordinals, [&](uint64_t ordinal) { return std::binary_search(first, bad_.end(), ordinal); });
}

}  // namespace ofindex

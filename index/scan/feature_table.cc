#include "index/scan/feature_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "index/columns/feature_totals.h"
#include "index/scan/column_names.h"
#include "proto/extract/extractor.h"

namespace ofindex {
namespace {

constexpr uint8_t TypeBit(ColumnValue::Type type) { return static_cast<uint8_t>(1U << static_cast<uint8_t>(type)); }

std::string TypesOf(uint8_t kinds, uint8_t types) {
  return SqlTypeNames(kinds, (types & TypeBit(ColumnValue::Type::kText)) != 0,
                      (types & TypeBit(ColumnValue::Type::kBlob)) != 0);
}

}  // namespace

// Returns the entry of a name, new or not; null if the name is dropped.
FeatureTable::Entry* FeatureTable::EntryOf(const std::string& name) {
  if (IsDropped(name)) return nullptr;
  const auto [it, is_new] = entries_.try_emplace(name);
  Entry& entry = it->second;
  if (is_new) {
    entry.row.feature = given_++;
    entry.row.name = name;
    if (!IsNamed(name)) {
      ++others_;
      others_bytes_ += name.size();
    }
  }
  return &entry;
}

std::optional<uint32_t> FeatureTable::Add(const BlockFeature& feature) {
  Entry* const entry = EntryOf(feature.row.name);
  if (entry == nullptr) return std::nullopt;
  const uint32_t number = entry->row.feature;
  entry->used = true;
  MergeTotals(feature.row, entry->row);
  entry->sketch.Merge(feature.sketch);
  for (const ChunkRow& chunk : feature.chunks) AddTypes(chunk, *entry);
  // Rarely happens. Names that are dropped now would be dropped later anyway.
  if (others_ > 2 * size_t{kMaxFeatures} || others_bytes_ > 2 * kMaxNamesBytes) Prune();
  return number;
}

std::optional<uint32_t> FeatureTable::AddRow(const FeatureRow& row) {
  Entry* const entry = EntryOf(row.name);
  if (entry == nullptr) return std::nullopt;
  if (DistinctSketch sketch; sketch.Load(row.sketch)) entry->sketch.Merge(sketch);
  return entry->row.feature;
}

void FeatureTable::AddTotals(const std::string& name, const FeatureRow& totals) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  found->second.used = true;
  MergeTotals(totals, found->second.row);
}

void FeatureTable::Keep(const std::string& name) {
  if (const auto found = entries_.find(name); found != entries_.end()) found->second.used = true;
}

void FeatureTable::KeepNames(const std::vector<FeatureRow>& features) {
  for (const FeatureRow& from : features) {
    const auto found = entries_.find(from.name);
    if (found == entries_.end()) continue;
    FeatureRow& row = found->second.row;
    row.sql_value = from.sql_value;
    row.sql_count = from.sql_count;
    row.sql_size = from.sql_size;
  }
}

void FeatureTable::AddTypes(const std::string& name, const ChunkRow& chunk) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  found->second.used = true;
  AddTypes(chunk, found->second);
}

void FeatureTable::AddTypes(const ChunkRow& chunk, Entry& entry) {
  if (chunk.role != ColumnRole::kValue && chunk.role != ColumnRole::kList) return;
  entry.types = static_cast<uint8_t>(entry.types | TypeBit(chunk.min.type) | TypeBit(chunk.max.type));
}

void FeatureTable::DropFrom(std::string name) {
  if (dropped_from_ && *dropped_from_ <= name) return;
  dropped_from_ = std::move(name);
  for (auto it = entries_.lower_bound(*dropped_from_); it != entries_.end();) {
    if (IsNamed(it->first)) {
      ++it;
      continue;
    }
    dropped_.push_back(it->second.row.feature);
    --others_;
    others_bytes_ -= it->first.size();
    it = entries_.erase(it);
  }
}

void FeatureTable::DropAfter(const std::vector<FeatureRow>& features) {
  std::string first;
  for (const FeatureRow& row : features) {
    // The next name in byte order.
    if (!IsNamed(row.name)) first = std::max(first, row.name + '\0');
  }
  DropFrom(std::move(first));
}

// Finds the first name in excess, as an extractor does for one block.
void FeatureTable::Prune() {
  size_t names = 0;
  uint64_t bytes = 0;
  for (const auto& [name, entry] : entries_) {
    if (IsNamed(name)) continue;
    bytes += name.size();
    if (++names > kMaxFeatures || bytes > kMaxNamesBytes) return DropFrom(name);
  }
}

// Removes features that no block has.
void FeatureTable::RemoveUnused() {
  for (auto it = entries_.begin(); it != entries_.end();) {
    const auto entry = it++;
    if (entry->second.used) continue;
    if (!IsNamed(entry->first)) {
      --others_;
      others_bytes_ -= entry->first.size();
    }
    entries_.erase(entry);
  }
}

std::vector<FeatureTable::Decided> FeatureTable::Decide(uint64_t& without_column, bool keeps_sketches) {
  RemoveUnused();
  Prune();
  std::vector<FeatureRow> rows;
  std::vector<FeatureRow*> by_name;
  rows.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) by_name.push_back(&rows.emplace_back(entry.row));
  without_column = NameColumns(by_name, choice_);
  auto entry = entries_.begin();
  for (FeatureRow& row : rows) {
    const Entry& from = (entry++)->second;
    if (!row.sql_value.empty()) row.type = row.whole ? "JSON" : TypesOf(row.kinds, from.types);
    if (row.sql_value.empty() && row.sql_size.empty() && !keeps_sketches) continue;
    row.sketch.assign(from.sketch.bytes().begin(), from.sketch.bytes().end());
  }
  std::sort(rows.begin(), rows.end(), [](const FeatureRow& a, const FeatureRow& b) { return a.feature < b.feature; });
  std::vector<Decided> decided;
  for (FeatureRow& row : rows) {
    const uint32_t given = std::exchange(row.feature, static_cast<uint32_t>(decided.size()));
    decided.push_back({given, std::move(row)});
  }
  return decided;
}

}  // namespace ofindex

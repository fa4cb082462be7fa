#include "index/build/dropped_columns.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "index/catalog/catalog_reader.h"
#include "index/columns/column_choice.h"
#include "index/database/index_file.h"

namespace ofindex {
namespace {

// Returns what is no longer stored of `former`; empty if nothing is. `now` is null if its feature is not known.
std::string DroppedOf(const FeatureRow& former, const FeatureRow* now) {
  const std::string& column = MainColumn(former);
  if (column.empty()) return "";
  if (now == nullptr || MainColumn(*now).empty()) return column;
  if (former.whole && !now->whole && now->values_max > 1) return StrCat("lists of ", column);
  return !former.sql_value.empty() && now->sql_value.empty() ? column : "";
}

// Adds the derived columns that are no longer stored.
void AddDropped(const FeatureRow& former, const FeatureRow* now, std::vector<std::string>& names) {
  for (const DerivedColumn& column : former.derived) {
    const bool is_kept = now != nullptr && std::any_of(now->derived.begin(), now->derived.end(),
                                                       [&](const auto& other) { return other.role == column.role; });
    if (!is_kept) names.push_back(column.name);
  }
}

// Returns the arguments of --derive that have the columns of both.
std::vector<std::string> DerivedUnion(const std::string& a, const std::string& b) {
  const auto first = Derivations::ParseText(a);
  const auto second = Derivations::ParseText(b);
  if (!first || !second) return {};
  std::vector<std::string> arguments = first->Arguments();
  for (std::string& argument : second->Arguments()) arguments.push_back(std::move(argument));
  const auto both = Derivations::Of(arguments);
  return both ? both->Arguments() : std::vector<std::string>();
}

// Returns a choice that has the columns of both.
std::string Union(const std::string& a, const std::string& b) {
  const auto first = ColumnChoice::Parse(a);
  const auto second = ColumnChoice::Parse(b);
  if (!first || !second) return "";
  using Mode = ColumnChoice::Mode;
  ColumnChoice both{.mode = Mode::kNamed};
  if (first->mode == Mode::kAuto || second->mode == Mode::kAuto) both.mode = Mode::kAuto;
  std::set_union(first->names.begin(), first->names.end(), second->names.begin(), second->names.end(),
                 std::back_inserter(both.names));
  return both.Text();
}

}  // namespace

std::optional<FormerColumns> FormerColumns::Of(const std::string& path) {
  const auto file = IndexFile::Open(path);
  if (!file) return std::nullopt;
  auto catalog = CatalogReader::Open(std::shared_ptr<const IndexFile>(*file));
  if (!catalog) return std::nullopt;
  auto features = catalog->Features();
  if (!features) return std::nullopt;
  const DatasetFacts& facts = catalog->facts();
  return FormerColumns{facts.columns, facts.derive, facts.message, *std::move(features)};
}

DroppedColumns DroppedFrom(const FormerColumns& former, const DatasetFacts& facts,
                           const std::vector<FeatureRow>& features) {
  DroppedColumns dropped;
  if (former.message != facts.message) return dropped;
  const bool known = facts.columns != "none" || !facts.derive.empty();  // otherwise the payloads were not decoded
  std::vector<std::string> derived;
  for (const FeatureRow& row : former.features) {
    const auto now = std::find_if(features.begin(), features.end(),
                                  [&](const FeatureRow& feature) { return feature.name == row.name; });
    const bool found = now != features.end() && now->present > 0;
    if (known && !found) continue;
    std::string name = DroppedOf(row, found ? &*now : nullptr);
    if (!name.empty()) dropped.names.push_back(std::move(name));
    AddDropped(row, found ? &*now : nullptr, derived);
  }
  std::sort(dropped.names.begin(), dropped.names.end());
  if (!dropped.names.empty()) dropped.choice_to_keep = Union(former.choice, facts.columns);
  if (dropped.choice_to_keep == facts.columns) dropped.choice_to_keep.clear();
  if (derived.empty()) return dropped;
  dropped.names.insert(dropped.names.end(), derived.begin(), derived.end());
  dropped.derive_to_keep = DerivedUnion(former.derive, facts.derive);
  return dropped;
}

}  // namespace ofindex

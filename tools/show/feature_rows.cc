#include "tools/show/feature_rows.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace ofindex {
namespace {

// Returns "all", or how many records have the feature.
std::string Presence(const FeatureRow& row, uint64_t records) {
  return row.present == records ? "all" : FormatCount(row.present);
}

std::string CountsOfValues(const FeatureRow& row) {
  if (row.values_min == row.values_max) return FormatCount(row.values_min);
  return StrCat(FormatCount(row.values_min), "-", FormatCount(row.values_max));
}

std::string Columns(const FeatureRow& row) {
  std::string columns;
  for (const std::string& name : ColumnNamesOf(row)) {
    columns += StrCat(columns.empty() ? "" : ", ", Printable(name));
  }
  return columns.empty() ? "-" : columns;
}

}  // namespace

Table FeatureTableOf(const std::vector<FeatureRow>& features, uint64_t records) {
  const bool has_origins =
      std::any_of(features.begin(), features.end(), [](const FeatureRow& row) { return !row.origin.empty(); });
  std::vector<std::string> head = {"feature", "kinds", "records", "values", "type", "columns"};
  if (has_origins) head.emplace_back("origin");
  Table table(head);
  for (const FeatureRow& row : FeaturesByName(features)) {
    const std::string type = MainType(row);
    std::vector<std::string> cells = {Printable(row.name), KindNames(row.kinds),      Presence(row, records),
                                      CountsOfValues(row), type.empty() ? "-" : type, Columns(row)};
    if (has_origins) cells.push_back(row.origin.empty() ? "records" : row.origin);
    table.Add(cells);
  }
  return table;
}

}  // namespace ofindex

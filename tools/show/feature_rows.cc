#include "tools/show/feature_rows.h"

#include <string>

#include "base/text.h"

namespace ofindex {
namespace {

// Returns "all", or how many records have the feature.
std::string Presence(const FeatureRow& row, uint64_t records) {
  return row.present == records ? "all" : FormatCount(row.present);
}

std::string ValueCounts(const FeatureRow& row) {
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
  Table table({"feature", "kinds", "records", "values", "type", "columns"});
  for (const FeatureRow& row : FeaturesByName(features)) {
    const std::string type = MainType(row);
    table.Add({Printable(row.name), KindNames(row.kinds), Presence(row, records), ValueCounts(row),
               type.empty() ? "-" : type, Columns(row)});
  }
  return table;
}

}  // namespace ofindex

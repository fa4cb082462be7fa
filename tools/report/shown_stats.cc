#include "tools/report/shown_stats.h"

#include "query/columns/column_affinity.h"
#include "tools/shell/json.h"

namespace ofindex {

std::vector<Column> DescribedColumns(const ColumnStore& store) {
  std::vector<Column> columns;
  for (const Column& column : store.columns()) {
    if (column.origin == Column::Origin::kFeature) columns.push_back(column);
  }
  for (const Column& column : store.columns()) {
    if (column.origin == Column::Origin::kLength) columns.push_back(column);
  }
  return columns;
}

bool HoldsFloats(const ColumnStore& store, const Column& column) {
  return !column.is_list() && DeclaredType(store, column) == kFloatType;
}

Result<ColumnStats> ShownStatsOf(ColumnStore& store, const Column& column, const StatsOptions& options) {
  OFINDEX_ASSIGN(ColumnStats stats, StatsOf(store, column, options));
  if (!HoldsFloats(store, column)) return stats;
  stats.min.real = AsFloat(stats.min.real);
  stats.max.real = AsFloat(stats.max.real);
  for (ValueCount& each : stats.top) each.value.real = AsFloat(each.value.real);
  return stats;
}

}  // namespace ofindex

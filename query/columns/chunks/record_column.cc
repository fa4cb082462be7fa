#include "query/columns/chunks/record_column.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

using Origin = Column::Origin;

constexpr char kHashName[] = "_hash";

}  // namespace

std::vector<Column> ColumnsOf(const std::vector<FeatureRow>& features) {
  std::vector<Column> columns = {
      {"_id", Origin::kId}, {"_shard", Origin::kShard}, {"_offset", Origin::kOffset}, {"_length", Origin::kLength}};
  for (const FeatureRow& row : features) {
    if (!IsKnown(row)) continue;
    const ColumnRole values = row.whole ? ColumnRole::kList : ColumnRole::kValue;
    for (const auto& [name, role] : {std::pair{&row.sql_value, values}, std::pair{&row.sql_count, ColumnRole::kCount},
                                     std::pair{&row.sql_size, ColumnRole::kSize}}) {
      if (!name->empty()) columns.push_back({*name, Origin::kFeature, row.feature, role});
    }
    for (const DerivedColumn& one : row.derived) {
      columns.push_back({one.name, Origin::kFeature, row.feature, one.role});
    }
  }
  const bool taken = std::any_of(columns.begin(), columns.end(),
                                 [](const Column& column) { return Folded(column.name) == kHashName; });
  if (!taken) columns.push_back({kHashName, Origin::kHash});
  return columns;
}

}  // namespace ofindex

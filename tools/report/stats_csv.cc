#include "tools/report/stats_csv.h"

#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) line += StrCat(i == 0 ? "" : ",", fields[i]);
  return line + "\n";
}

std::string CsvOptional(const std::optional<double>& value) { return value ? RealText(*value) : ""; }

}  // namespace

Result<void> WriteStatsCsv(const ColumnStats& stats, bool header, Output& out) {
  if (header) {
    OFINDEX_TRY(
        out.Write("column,type,rows,count,nulls,nans,min,max,mean,std,q1,median,q3,distinct,distinct_is_exact,absent,"
                  "empty,several\n"));
  }
  const std::optional<Quartiles>& quartiles = stats.quartiles;
  const auto reason = [&](uint64_t NullReasons::*which) {
    return stats.null_reasons ? StrCat((*stats.null_reasons).*which) : "";
  };
  return out.Write(
      CsvLine({CsvField(stats.column), stats.type.empty() ? "" : CsvField(stats.type), StrCat(stats.rows),
               StrCat(stats.count), StrCat(stats.nulls), StrCat(stats.nans), CsvOfValue(ViewOf(stats.min)),
               CsvOfValue(ViewOf(stats.max)), CsvOptional(stats.mean), CsvOptional(stats.deviation),
               quartiles ? RealText(quartiles->first) : "", quartiles ? RealText(quartiles->median) : "",
               quartiles ? RealText(quartiles->third) : "", StrCat(stats.distinct), stats.distinct_is_exact ? "1" : "0",
               reason(&NullReasons::absent), reason(&NullReasons::empty), reason(&NullReasons::several)}));
}

Result<void> WriteGroupsCsv(const GroupedStats& stats, bool header, Output& out) {
  std::vector<std::string> names = {CsvField(stats.by), "groups", "rows"};
  for (const std::string& column : stats.columns) {
    for (const char* of : {".count", ".min", ".max", ".mean"}) names.push_back(CsvField(column + of));
  }
  if (header) OFINDEX_TRY(out.Write(CsvLine(names)));
  const auto write = [&](const GroupRow& row, std::string value, uint64_t groups) {
    std::vector<std::string> fields = {std::move(value), StrCat(groups), StrCat(row.rows)};
    for (const GroupSum& sum : row.sums) {
      fields.insert(fields.end(),
                    {StrCat(sum.count), CsvOfValue(sum.min), CsvOfValue(sum.max), CsvOptional(sum.mean())});
    }
    return out.Write(CsvLine(fields));
  };
  for (const GroupRow& row : stats.groups) OFINDEX_TRY(write(row, CsvOfValue(ViewOf(row.value)), 1));
  return stats.other_groups == 0 ? Result<void>() : write(stats.others, "", stats.other_groups);
}

}  // namespace ofindex

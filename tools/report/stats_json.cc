#include "tools/report/stats_json.h"

#include <optional>
#include <vector>

#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

Json JsonOptional(const std::optional<double>& value) { return value ? JsonReal(*value) : Json(nullptr); }

Json JsonLengths(const Lengths& lengths) {
  if (lengths.count == 0) return nullptr;
  return {{"min", lengths.min}, {"max", lengths.max}, {"mean", lengths.mean()}};
}

Json JsonTop(const std::vector<ValueCount>& top) {
  Json array = Json::array();
  for (const auto& [value, count] : top) array.push_back({{"value", JsonOfValue(ViewOf(value))}, {"count", count}});
  return array;
}

Json JsonHistogram(const std::vector<HistogramBin>& bins) {
  Json array = Json::array();
  for (const HistogramBin& bin : bins) {
    array.push_back(
        {{"begin", JsonOfValue(ViewOf(bin.begin))}, {"end", JsonOfValue(ViewOf(bin.end))}, {"count", bin.count}});
  }
  return array;
}

Json JsonReason(const ColumnStats& stats, uint64_t NullReasons::*which) {
  return stats.null_reasons ? Json((*stats.null_reasons).*which) : Json(nullptr);
}

Json JsonSums(const GroupedStats& stats, const GroupRow& row) {
  Json array = Json::array();
  for (size_t c = 0; c < stats.columns.size(); ++c) {
    const GroupSum& sum = row.sums[c];
    array.push_back({{"column", JsonText(stats.columns[c])},
                     {"count", sum.count},
                     {"min", JsonOfValue(sum.min)},
                     {"max", JsonOfValue(sum.max)},
                     {"mean", JsonOptional(sum.mean())}});
  }
  return array;
}

}  // namespace

Json JsonStats(const ColumnStats& stats) {
  const std::optional<Quartiles>& quartiles = stats.quartiles;
  return {{"rows", stats.rows},
          {"column", JsonText(stats.column)},
          {"type", JsonText(stats.type)},
          {"count", stats.count},
          {"nulls", stats.nulls},
          {"absent", JsonReason(stats, &NullReasons::absent)},
          {"empty", JsonReason(stats, &NullReasons::empty)},
          {"several", JsonReason(stats, &NullReasons::several)},
          {"nans", stats.nans},
          {"min", JsonOfValue(ViewOf(stats.min))},
          {"max", JsonOfValue(ViewOf(stats.max))},
          {"mean", JsonOptional(stats.mean)},
          {"std", JsonOptional(stats.deviation)},
          {"q1", quartiles ? JsonReal(quartiles->first) : Json(nullptr)},
          {"median", quartiles ? JsonReal(quartiles->median) : Json(nullptr)},
          {"q3", quartiles ? JsonReal(quartiles->third) : Json(nullptr)},
          {"distinct", stats.distinct},
          {"distinct_is_exact", stats.distinct_is_exact},
          {"top", JsonTop(stats.top)},
          {"histogram", JsonHistogram(stats.histogram)},
          {"lengths", JsonLengths(stats.lengths)},
          {"list_lengths", JsonLengths(stats.lists)}};
}

Json JsonGroup(const GroupedStats& stats, const GroupRow& row) {
  return {{"value", JsonOfValue(ViewOf(row.value))}, {"rows", row.rows}, {"columns", JsonSums(stats, row)}};
}

Json JsonOtherGroups(const GroupedStats& stats) {
  if (stats.other_groups == 0) return nullptr;
  return {{"groups", stats.other_groups}, {"rows", stats.others.rows}, {"columns", JsonSums(stats, stats.others)}};
}

}  // namespace ofindex

// GET /api/charts and /api/counts: how columns are drawn, and how many records are in each bin.

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "query/columns/find_column.h"
#include "query/crossfilter/cross_filter.h"
#include "tools/serve/answerers.h"
#include "tools/serve/counting/filter_sql.h"
#include "tools/serve/counting/record_filter.h"
#include "tools/serve/requests/answers.h"
#include "tools/serve/requests/heavy_work.h"
#include "tools/serve/requests/parameters.h"

namespace ofindex {
namespace {

constexpr size_t kMaxCharts = 64;  // of one question
constexpr uint64_t kEstimateRecords = 8'000'000;
constexpr size_t kMaxPageName = 32;

Result<std::vector<std::shared_ptr<const Dimension>>> ChartsOf(const Asked& asked, const Parameters& parameters,
                                                               const Progress& progress) {
  const std::vector<std::string> names = parameters.All("column");
  if (names.size() > kMaxCharts) {
    return Fail(ErrorCode::kUsage,
                StrCat("parameter 'column': ", names.size(), " columns; expected at most ", kMaxCharts),
                "ask for the columns that are visible");
  }
  std::vector<std::shared_ptr<const Dimension>> charts;
  for (const std::string& name : names) {
    OFINDEX_ASSIGN(const Column column, FindColumn(*asked.dataset.store(), name));
    OFINDEX_ASSIGN(auto chart, asked.dataset.charts().Of(column, progress));
    charts.push_back(std::move(chart));
  }
  return charts;
}

Json ChartDocument(const ColumnStore& store, const Dimension& chart) {
  Json document = {{"name", JsonText(chart.column().name)}};
  if (const auto* const bins = std::get_if<NumberBins>(&chart.binning())) {
    Json edges = Json::array();
    for (size_t i = 0; i <= bins->size(); ++i) edges.push_back(bins->edge(i));
    document["kind"] = "histogram";
    document["edges"] = std::move(edges);
    return document;
  }
  Json values = Json::array();
  for (const ColumnValue& value : std::get<Categories>(chart.binning()).values()) {
    values.push_back(JsonOfCategory(store, chart.column(), value));
  }
  document["kind"] = "bars";
  document["values"] = std::move(values);
  document["others"] = true;
  return document;
}

Json BinsDocument(const BinCounts& counts) {
  Json bins = Json::array();
  for (const uint64_t count : counts.bins) bins.push_back(JsonCount(count));
  return {{"bins", std::move(bins)},
          {"others", JsonCount(counts.below + counts.above + counts.other)},
          {"nulls", JsonCount(counts.nulls)},
          {"nans", JsonCount(counts.nans)}};
}

Result<std::string> PageOf(const Parameters& parameters) {
  const std::string& page = parameters.Text("page");
  if (page.size() <= kMaxPageName) return page;
  return Fail(ErrorCode::kUsage,
              StrCat("parameter 'page': ", page.size(), " characters; expected at most ", kMaxPageName),
              "draw a shorter word");
}

Result<Response> CountBins(const Asked& asked, const Parameters& parameters, const Progress& progress) {
  ServedDataset& dataset = asked.dataset;
  OFINDEX_ASSIGN(const RecordFilter filter, ParseRecordFilter(*dataset.store(), parameters.Text("filter")));
  OFINDEX_ASSIGN(const uint64_t estimate, parameters.Number("estimate", 0, 1));
  OFINDEX_ASSIGN(auto charts, ChartsOf(asked, parameters, progress));
  OFINDEX_ASSIGN(const std::shared_ptr<const Selection> where, dataset.passing().Where(filter.where, progress));

  const uint64_t max_records = estimate == 1 ? kEstimateRecords : UINT64_MAX;
  CrossFilterQuestion question{.dimensions = charts, .filters = filter.columns, .max_records = max_records};
  question.among = where.get();
  question.unfiltered = where == nullptr;
  OFINDEX_ASSIGN(const CrossFilterCounts counts, CrossFilter(*dataset.store(), question, progress));
  std::vector<BinCounts> totals = counts.unfiltered;
  bool exact = counts.exact();
  if (where != nullptr) {
    // The totals are those of all records, not only of those of the expression.
    OFINDEX_ASSIGN(CrossFilterCounts all,
                   CrossFilter(*dataset.store(), {.dimensions = charts, .max_records = max_records}, progress));
    exact = exact && all.exact();
    totals = std::move(all.dimensions);
  }
  Json columns = Json::array();
  for (size_t i = 0; i < charts.size(); ++i) {
    Json column = {{"name", JsonText(charts[i]->column().name)}};
    column.update(BinsDocument(counts.dimensions[i]));
    column["total"] = BinsDocument(totals[i]);
    columns.push_back(std::move(column));
  }
  return JsonAnswer({{"exact", exact},
                     {"share", counts.share()},
                     {"error", JsonReal(counts.error)},
                     {"records", JsonCount(counts.records)},
                     {"passing", JsonCount(counts.passing)},
                     {"sql", JsonText(SqlOf(filter))},
                     {"columns", std::move(columns)}});
}

}  // namespace

Result<Response> AnswerCharts(const Asked& asked) {
  OFINDEX_ASSIGN(const Parameters parameters, Parameters::Of(asked.request, {}, {"column"}));
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  OFINDEX_ASSIGN(const auto charts, DoHeavyWork(asked.shared.counting, *question, [&](const Progress& progress) {
                   return ChartsOf(asked, parameters, progress);
                 }));
  Json documents = Json::array();
  for (const auto& chart : charts) documents.push_back(ChartDocument(*asked.dataset.store(), *chart));
  return JsonAnswer({{"charts", std::move(documents)}});
}

Result<Response> AnswerCounts(const Asked& asked) {
  OFINDEX_ASSIGN(const Parameters parameters,
                 Parameters::Of(asked.request, {"page", "filter", "estimate"}, {"column"}));
  OFINDEX_ASSIGN(const std::string page, PageOf(parameters));
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request, page);
  return DoHeavyWork(asked.shared.counting, *question,
                     [&](const Progress& progress) { return CountBins(asked, parameters, progress); });
}

}  // namespace ofindex

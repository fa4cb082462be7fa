// GET /api/records, /api/record, /api/locate and /api/wire: records by their rank among those that pass a filter, or by
// ordinal.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/columns/find_column.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/sets/view.h"
#include "tools/serve/answerers.h"
#include "tools/serve/counting/record_filter.h"
#include "tools/serve/records/record_documents.h"
#include "tools/serve/records/record_payload.h"
#include "tools/serve/requests/answers.h"
#include "tools/serve/requests/heavy_work.h"
#include "tools/serve/requests/parameters.h"
#include "tools/show/wire_text.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxRecords = 128;
constexpr size_t kMaxShownColumns = 512;
constexpr size_t kMaxWireRows = 4096;

// Returns the records that pass the filter of a request.
Result<View> PassingOf(const Asked& asked, const Parameters& parameters) {
  ServedDataset& dataset = asked.dataset;
  OFINDEX_ASSIGN(const RecordFilter filter, ParseRecordFilter(*dataset.store(), parameters.Text("filter")));
  if (auto known = dataset.passing().Known(filter)) return *known;
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  return DoHeavyWork(asked.shared.counting, *question,
                     [&](const Progress& progress) { return dataset.passing().Passing(filter, progress); });
}

Result<std::vector<Column>> ColumnsNamed(const ColumnStore& store, const std::vector<std::string>& names) {
  std::vector<Column> columns;
  for (const std::string& name : names) {
    OFINDEX_ASSIGN(Column column, FindColumn(store, name));
    if (!column.is_list()) columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<Column> ColumnsOfRecord(const ColumnStore& store) {
  std::vector<Column> columns;
  for (const Column& column : store.columns()) {
    const bool is_of_feature = column.origin == Column::Origin::kFeature;
    if (is_of_feature && !column.is_list() && columns.size() < kMaxShownColumns) columns.push_back(column);
  }
  return columns;
}

Result<void> CheckOrdinal(const ColumnStore& store, uint64_t ordinal) {
  if (ordinal < store.ordinals()) return {};
  return Fail(ErrorCode::kOutOfRange,
              StrCat("there is no record ", ordinal, "; expected one of ", FormatCount(store.ordinals())),
              "records are numbered from 0");
}

// A page of records: those with ranks from `from` on, of all that pass.
struct WantedRecords {
  std::vector<uint64_t> ordinals = {};
  uint64_t from = 0;
  uint64_t passing = 0;
};

// Returns the records whose ordinals a request lists, if it lists some.
Result<WantedRecords> Listed(const ColumnStore& store, const Parameters& parameters) {
  WantedRecords wanted;
  OFINDEX_ASSIGN(wanted.ordinals, parameters.Numbers("ordinal", UINT64_MAX));
  for (const uint64_t ordinal : wanted.ordinals) OFINDEX_TRY(CheckOrdinal(store, ordinal));
  if (wanted.ordinals.size() > kMaxRecords) {
    return Fail(ErrorCode::kUsage, StrCat("'ordinal' is listed too often; expected at most ", kMaxRecords),
                "list fewer records");
  }
  wanted.passing = wanted.ordinals.size();
  return wanted;
}

// Returns the records that a request asks for: those that it lists, or those that pass its filter, in its order.
Result<WantedRecords> WantedBy(const Asked& asked, const Parameters& parameters) {
  OFINDEX_ASSIGN(WantedRecords wanted, Listed(*asked.dataset.store(), parameters));
  if (!wanted.ordinals.empty()) return wanted;
  OFINDEX_ASSIGN(wanted.from, parameters.Number("from", 0, UINT64_MAX));
  OFINDEX_ASSIGN(const uint64_t count, parameters.Number("count", 60, kMaxRecords));
  OFINDEX_ASSIGN(const uint64_t seed, parameters.Number("seed", 0, UINT64_MAX));
  OFINDEX_ASSIGN(const std::string order, parameters.Word("order", "ordinal", {"ordinal", "random"}));
  OFINDEX_ASSIGN(const View passing, PassingOf(asked, parameters));
  wanted.passing = passing.size();
  std::optional<Permutation> shuffled;
  if (order == "random" && passing.size() > 0) shuffled.emplace(passing.size(), seed);
  for (uint64_t rank = wanted.from; rank < passing.size() && rank - wanted.from < count; ++rank) {
    wanted.ordinals.push_back(passing.At(shuffled ? shuffled->At(rank) : rank));
  }
  return wanted;
}

// Returns the rows of `get --wire`, up to kMaxWireRows.
Result<Response> ExplainPayload(const RecordPayload& payload, const Progress& progress) {
  Json rows = Json::array();
  bool whole = true;
  const auto add = [&](const WireRow& row) -> Result<void> {
    if (rows.size() == kMaxWireRows) {
      whole = false;
      return Interrupted();
    }
    const bool repeats = row.form == WireRow::Form::kRepeats;
    rows.push_back({{"offset", row.offset},
                    {"bytes", ToHex(row.bytes)},
                    {"depth", row.depth},
                    {"field", JsonText(row.field)},
                    {"what", repeats ? Json("*") : JsonText(row.text)}});
    return {};
  };
  const Result<WireOutcome> outcome =
      ExplainWireRows(payload.bytes(), payload.kind(), std::nullopt, add, &progress.cancel);
  if (progress.cancel) return Interrupted();
  if (!outcome && whole) return tl::unexpected(outcome.error());
  return JsonAnswer({{"rows", std::move(rows)}, {"whole", whole}});
}

}  // namespace

Result<Response> AnswerRecords(const Asked& asked) {
  OFINDEX_ASSIGN(
      const Parameters parameters,
      Parameters::Of(asked.request, {"filter", "from", "count", "order", "seed"}, {"feature", "column", "ordinal"}));
  ColumnStore& store = *asked.dataset.store();
  ShownParts parts{.features = parameters.All("feature")};
  OFINDEX_ASSIGN(parts.columns, ColumnsNamed(store, parameters.All("column")));
  OFINDEX_ASSIGN(const WantedRecords wanted, WantedBy(asked, parameters));

  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  RecordPayload payload(asked.shared.records, question->progress());
  RecordDocuments documents(asked.dataset.dataset(), store, asked.dataset.shard_numbers(), payload, std::move(parts));
  Json records = Json::array();
  for (const uint64_t ordinal : wanted.ordinals) {
    records.push_back(documents.Of(ordinal));
    OFINDEX_TRY(question->Check());
  }
  return JsonAnswer(
      {{"passing", JsonCount(wanted.passing)}, {"from", JsonCount(wanted.from)}, {"records", std::move(records)}});
}

Result<Response> AnswerRecord(const Asked& asked) {
  OFINDEX_ASSIGN(const Parameters parameters, Parameters::Of(asked.request, {"ordinal", "step"}));
  OFINDEX_ASSIGN(const uint64_t ordinal, parameters.RequiredNumber("ordinal", UINT64_MAX));
  OFINDEX_ASSIGN(const uint64_t step, parameters.Number("step", 0, UINT64_MAX));
  ColumnStore& store = *asked.dataset.store();
  OFINDEX_TRY(CheckOrdinal(store, ordinal));
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  RecordPayload payload(asked.shared.records, question->progress());
  RecordDocuments documents(asked.dataset.dataset(), store, asked.dataset.shard_numbers(), payload,
                            {.columns = ColumnsOfRecord(store), .step = step});
  const Json document = documents.Of(ordinal);
  OFINDEX_TRY(question->Check());
  return JsonAnswer(document);
}

Result<Response> AnswerLocate(const Asked& asked) {
  OFINDEX_ASSIGN(const Parameters parameters, Parameters::Of(asked.request, {"filter", "from", "to", "seed"}));
  OFINDEX_ASSIGN(const uint64_t from, parameters.Number("from", 0, UINT64_MAX - 1));
  OFINDEX_ASSIGN(const uint64_t seed, parameters.Number("seed", 0, UINT64_MAX));
  OFINDEX_ASSIGN(const std::string to, parameters.Word("to", "this", {"this", "next", "previous", "random"}));
  OFINDEX_ASSIGN(const View passing, PassingOf(asked, parameters));

  std::optional<uint64_t> rank;
  if (to == "random") {
    // The seed is another one each time, and alone decides.
    if (passing.size() > 0) rank = Permutation(passing.size(), seed).At(0);
  } else if (to == "previous") {
    const uint64_t before = passing.Below(from).size();
    if (before > 0) rank = before - 1;
  } else if (to == "next") {
    const uint64_t after = passing.Below(from + 1).size();
    if (after < passing.size()) rank = after;
  } else {
    rank = passing.IndexOf(from);
  }
  return JsonAnswer({{"ordinal", rank ? JsonCount(passing.At(*rank)) : Json(nullptr)},
                     {"rank", rank ? JsonCount(*rank) : Json(nullptr)},
                     {"passing", JsonCount(passing.size())}});
}

Result<Response> AnswerWire(const Asked& asked) {
  OFINDEX_ASSIGN(const Parameters parameters, Parameters::Of(asked.request, {"ordinal"}));
  OFINDEX_ASSIGN(const uint64_t ordinal, parameters.RequiredNumber("ordinal", UINT64_MAX));
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  RecordPayload payload(asked.shared.records, question->progress());
  Result<void> read = payload.ReadBytes(asked.dataset.dataset(), ordinal);
  if (!read) return tl::unexpected(question->Explain(std::move(read).error()));
  Result<Response> rows = ExplainPayload(payload, question->progress());
  if (!rows) return tl::unexpected(question->Explain(std::move(rows).error()));
  return rows;
}

}  // namespace ofindex

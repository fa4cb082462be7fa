// GET /api/find: the records with a key.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "proto/extract/extracted_feature.h"
#include "query/columns/find_column.h"
#include "query/keys/record_keys.h"
#include "query/sampling/sets/view.h"
#include "tools/serve/answerers.h"
#include "tools/serve/counting/filter_sql.h"
#include "tools/serve/counting/record_filter.h"
#include "tools/serve/records/record_payload.h"
#include "tools/serve/requests/answers.h"
#include "tools/serve/requests/heavy_work.h"
#include "tools/serve/requests/parameters.h"

namespace ofindex {
namespace {

constexpr size_t kMaxFound = 1000;         // ordinals of an answer
constexpr uint64_t kMaxCompared = 10'000;  // payloads, to find them

// A key of the dataset and the value that is looked for, which may be among the integers, the bytes or both.
struct WantedKey {
  KeyText text = {};
  std::optional<KeyLookup> lookup = {};
  std::optional<int64_t> integer = {};  // if it is one, and some records have integers
};

Result<WantedKey> KeyIn(const RecordKeys& keys, const Parameters& parameters) {
  WantedKey wanted{.text = {.name = parameters.Text("key"), .value = parameters.Text("value")}};
  OFINDEX_ASSIGN(KeyLookup lookup, keys.Key(wanted.text.name));
  wanted.lookup.emplace(std::move(lookup));
  const Result<int64_t> integer = ParseIntegerKey(wanted.text.value, wanted.text.name);
  if (!integer && !wanted.lookup->facts().has_bytes) return tl::unexpected(integer.error());
  if (integer && wanted.lookup->facts().has_integers) wanted.integer = *integer;
  return wanted;
}

// Returns how many records may have the key: some may only have another value with the same hash.
Result<uint64_t> CountCandidates(const WantedKey& wanted) {
  uint64_t candidates = 0;
  if (wanted.lookup->facts().has_bytes) {
    OFINDEX_ASSIGN(candidates, wanted.lookup->CountCandidates(AsBytes(wanted.text.value)));
  }
  if (wanted.integer) {
    OFINDEX_ASSIGN(const uint64_t more, wanted.lookup->CountCandidates(*wanted.integer));
    candidates += more;
  }
  return candidates;
}

// Returns true if `column` has every value of its feature. A column without lists is NULL for records with several, and
// long values are not kept.
bool HasAllValues(const ColumnStore& store, const Column& column) {
  if (column.origin != Column::Origin::kFeature || !HoldsValues(column.role)) return false;
  const FeatureRow& row = store.features()[column.feature];
  return row.origin.empty() && row.largest_bytes <= kMaxKeptBytes && (column.is_list() || row.values_max <= 1);
}

// Returns the filter by the column that has the values of the key; nullopt if there is none.
std::optional<RecordFilter> FilterOf(const ColumnStore& store, const WantedKey& wanted) {
  const Result<Column> column = FindColumn(store, wanted.text.name);
  if (!column || !HasAllValues(store, *column)) return std::nullopt;
  std::vector<ColumnValue> values;
  if (wanted.lookup->facts().has_bytes) {
    const bool is_text = IsText(AsBytes(wanted.text.value));
    values.push_back(
        {.type = is_text ? ColumnValue::Type::kText : ColumnValue::Type::kBlob, .bytes = wanted.text.value});
  }
  if (wanted.integer) values.push_back({.type = ColumnValue::Type::kInteger, .integer = *wanted.integer});
  RecordFilter filter;
  if (column->is_list()) {
    filter.where = SqlOfAny(*column, values);
  } else {
    Constraint in{.op = Op::kIn, .values = std::move(values)};
    filter.columns.push_back({.column = *column, .filter = ValueFilter::Of(in)});
  }
  filter.key = StrCat("key ", SqlOf(filter));
  return filter;
}

Json FirstOf(const View& found) {
  Json ordinals = Json::array();
  for (uint64_t i = 0; i < found.size() && i < kMaxFound; ++i) ordinals.push_back(JsonCount(found.At(i)));
  return ordinals;
}

// Answers by the columns: too many payloads would have to be compared. Without a column, nobody knows which of the
// candidates have the key.
Result<Response> FindByColumn(const Asked& asked, const WantedKey& wanted, uint64_t candidates,
                              const OpenQuestion& question) {
  const std::optional<RecordFilter> filter = FilterOf(*asked.dataset.store(), wanted);
  if (!filter) {
    return JsonAnswer({{"ordinals", Json::array()}, {"count", JsonCount(candidates)}, {"exact", false}});
  }
  OFINDEX_ASSIGN(const View found, DoHeavyWork(asked.shared.counting, question, [&](const Progress& progress) {
                   return asked.dataset.passing().Passing(*filter, progress);
                 }));
  return JsonAnswer({{"ordinals", FirstOf(found)}, {"count", JsonCount(found.size())}, {"exact", true}});
}

}  // namespace

Result<Response> AnswerFind(const Asked& asked) {
  OFINDEX_ASSIGN(const Parameters parameters, Parameters::Of(asked.request, {"key", "value"}));
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  OFINDEX_ASSIGN(const RecordKeys keys, RecordKeys::Open(asked.dataset.dataset()));
  OFINDEX_ASSIGN(const WantedKey wanted, KeyIn(keys, parameters));
  OFINDEX_ASSIGN(const uint64_t candidates, CountCandidates(wanted));
  if (candidates > kMaxCompared) return FindByColumn(asked, wanted, candidates, *question);
  // Payloads are compared by one request at a time, while no other decodes any: they may be of any length.
  OFINDEX_ASSIGN(const std::vector<uint64_t> found,
                 DoHeavyWork(asked.shared.records, *question, RecordPayload::kMaxDecodedBytes,
                             [&](const Progress& progress) { return keys.Find(wanted.text, progress); }));
  Json ordinals = Json::array();
  for (size_t i = 0; i < found.size() && i < kMaxFound; ++i) ordinals.push_back(JsonCount(found[i]));
  return JsonAnswer({{"ordinals", std::move(ordinals)}, {"count", JsonCount(found.size())}, {"exact", true}});
}

}  // namespace ofindex

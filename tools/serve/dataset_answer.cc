// GET /api/dataset: what is known about a dataset without reading its columns.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/catalog/shard_files.h"
#include "index/keys/key_file.h"
#include "index/keys/key_paths.h"
#include "query/stats/stats.h"
#include "tools/serve/answerers.h"
#include "tools/serve/counting/chart_choice.h"
#include "tools/serve/requests/answers.h"
#include "tools/serve/requests/parameters.h"

namespace ofindex {
namespace {

std::string_view OriginName(const ColumnStore& store, const Column& column) {
  if (column.origin != Column::Origin::kFeature) return "record";
  if (!store.features()[column.feature].origin.empty()) return "attached";
  if (IsDerived(column.role)) return "derived";
  return HoldsValues(column.role) ? "feature" : "length";
}

std::string_view ChartName(ChartKind kind) {
  switch (kind) {
    case ChartKind::kNone: return "none";
    case ChartKind::kHistogram: return "histogram";
    case ChartKind::kBars: return "bars";
  }
  return "none";
}

// Returns the number of records that are NULL, if the facts of the feature have it: they know nothing of NaN, of values
// that are too long for a column, and of records that are gone.
std::optional<uint64_t> NullsOf(const ColumnStore& store, const Column& column) {
  if (column.origin != Column::Origin::kFeature) return column.is_hidden() ? std::nullopt : std::optional<uint64_t>(0);
  const FeatureRow& row = store.features()[column.feature];
  const bool numbers = (row.kinds & (kBytesKind | kRealKinds)) == 0;
  if (column.role != ColumnRole::kValue || !numbers || row.whole || store.ordinals() != store.records() ||
      !row.origin.empty() || row.single > store.records()) {
    return std::nullopt;
  }
  return store.records() - row.single;
}

Json ColumnsDocument(const ColumnStore& store) {
  Json columns = Json::array();
  for (const Column& column : store.columns()) {
    if (column.is_hidden()) continue;
    const std::optional<uint64_t> nulls = NullsOf(store, column);
    columns.push_back({{"name", JsonText(column.name)},
                       {"type", TypeOf(store, column)},
                       {"origin", OriginName(store, column)},
                       {"list", column.is_list()},
                       {"nulls", nulls ? JsonCount(*nulls) : Json(nullptr)},
                       {"chart", ChartName(ChartKindOf(store, column))}});
  }
  return columns;
}

std::string_view KindOfFeature(uint8_t kinds) {
  for (const FeatureKind kind :
       {FeatureKind::kBytes, FeatureKind::kFloat, FeatureKind::kDouble, FeatureKind::kInt32, FeatureKind::kInt64}) {
    if (kinds == BitOf(kind)) return Name(kind);
  }
  return kinds == 0 || kinds == BitOf(FeatureKind::kNone) ? "none" : "mixed";
}

Json FeaturesDocument(const ColumnStore& store) {
  const auto has_lists = [](const ShardRow& shard) { return shard.payload == PayloadKind::kSequenceExample; };
  const bool lists = std::any_of(store.shards().begin(), store.shards().end(), has_lists);
  const bool all_lists = std::all_of(store.shards().begin(), store.shards().end(), has_lists);
  Json features = Json::array();
  for (const FeatureRow& row : FeaturesByName(store.features())) {
    if (!row.origin.empty()) continue;  // attached: no payload has it
    const bool is_list = lists && row.name.ends_with("[]");
    features.push_back({{"name", JsonText(row.name)},
                        {"kind", KindOfFeature(row.kinds)},
                        {"in", is_list     ? "feature_lists"
                               : all_lists ? "context"
                                           : "features"},
                        {"min_count", row.values_min},
                        {"max_count", row.values_max}});
  }
  return features;
}

// Returns the names of the keys that can be used.
Json KeysDocument(const std::shared_ptr<const IndexFile>& index) {
  Json names = Json::array();
  const Result<std::vector<std::string>> paths = KeyFilesOf(index->place());
  if (!paths) return names;
  for (const std::string& path : *paths) {
    const Result<KeyFile> key = KeyFile::OpenBeside(index, path);
    if (key) names.push_back(JsonText(key->facts().name));
  }
  return names;
}

// Returns the one word that all shards share; "mixed" if they differ.
template <typename NameOf>
std::string_view SharedName(const std::vector<ShardRow>& shards, NameOf name) {
  if (shards.empty()) return "none";
  const std::string_view first = name(shards.front());
  const bool same = std::all_of(shards.begin(), shards.end(), [&](const ShardRow& row) { return name(row) == first; });
  return same ? first : "mixed";
}

}  // namespace

Result<Response> AnswerDataset(const Asked& asked) {
  OFINDEX_TRY(Parameters::Of(asked.request, {}));
  const ColumnStore& store = *asked.dataset.store();
  SharedCatalog& catalog = asked.dataset.catalog();
  OFINDEX_ASSIGN(const std::vector<DamageRow> damage, catalog.Damage());
  std::vector<uint32_t> damaged;
  for (const DamageRow& row : damage) damaged.push_back(row.shard);
  std::sort(damaged.begin(), damaged.end());
  damaged.erase(std::unique(damaged.begin(), damaged.end()), damaged.end());
  const Snapshot& snapshot = *asked.dataset.dataset().snapshot();
  const std::vector<ShardRow>& shards = catalog.shards();
  return JsonAnswer({{"schema", "ofindex.dataset/1"},
                     {"version", OFINDEX_VERSION},
                     {"datasets", asked.shared.datasets.size()},
                     {"index", JsonText(snapshot.path())},
                     {"build", asked.dataset.build()},
                     {"replaced", snapshot.index()->Replaced()},
                     {"records", JsonCount(store.records())},
                     {"ordinals", JsonCount(store.ordinals())},
                     {"bytes", JsonCount(catalog.facts().data_bytes)},
                     {"shards", shards.size()},
                     {"format", SharedName(shards, [](const ShardRow& row) { return Name(row.framing); })},
                     {"payload", SharedName(shards, [](const ShardRow& row) { return Name(row.payload); })},
                     {"compression", SharedName(shards, [](const ShardRow& row) { return Name(row.compression); })},
                     {"damaged", damaged.size() + catalog.gone().size()},
                     {"keys", KeysDocument(snapshot.index())},
                     {"generation", catalog.generations().back().number},
                     {"columns", ColumnsDocument(store)},
                     {"features", FeaturesDocument(store)}});
}

}  // namespace ofindex

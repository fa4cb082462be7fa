#include "tools/streams/record_columns.h"

#include <algorithm>

#include "base/nearest_names.h"
#include "base/text.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

const FeatureRow* FindFeature(const std::vector<FeatureRow>& features, const std::string& name) {
  const auto found =
      std::find_if(features.begin(), features.end(), [&name](const FeatureRow& row) { return row.name == name; });
  return found == features.end() ? nullptr : &*found;
}

// The index has no features if it was built without columns, and none of the payloads if a descriptor explained them.
bool KnowsFeatures(const SharedCatalog& catalog) {
  return !catalog.features().empty() && !catalog.facts().features_dropped && catalog.facts().message.empty();
}

}  // namespace

Result<void> CheckFeatures(const SharedCatalog& catalog, const std::vector<std::string>& names) {
  if (!KnowsFeatures(catalog)) return {};
  for (const std::string& name : names) {
    if (FindFeature(catalog.features(), name) != nullptr) continue;
    std::vector<std::string> known;
    for (const FeatureRow& row : catalog.features()) known.push_back(Printable(row.name));
    const std::string meant = DidYouMean(NearestNames(Printable(name), known), "'");
    return Fail(ErrorCode::kUsage, StrCat("no record has a feature '", Printable(name), "'"),
                meant.empty() ? "`ofindex schema` lists the features" : meant);
  }
  return {};
}

Result<std::vector<RecordColumn>> ColumnsOfRecords(const SharedCatalog& catalog,
                                                   const std::vector<std::string>& names) {
  OFINDEX_TRY(CheckFeatures(catalog, names));
  const bool opaque = !catalog.facts().message.empty();
  const std::vector<FeatureRow> features = opaque ? std::vector<FeatureRow>() : FeaturesByName(catalog.features());
  std::vector<RecordColumn> columns;
  for (const std::string& name : names) {
    const FeatureRow* row = FindFeature(features, name);
    columns.push_back({name, {}, row == nullptr ? std::nullopt : std::optional(*row)});
  }
  if (names.empty()) {
    for (const FeatureRow& row : features) columns.push_back({row.name, {}, row});
  }
  if (columns.empty()) {
    return Fail(ErrorCode::kUsage, "the index lists no features, so there are no columns to write",
                "name features with --feature, or build the index with --columns auto");
  }
  std::vector<std::string> titles = {"_id"};
  for (const RecordColumn& column : columns) titles.push_back(JsonText(column.feature).get<std::string>());
  titles = DistinctNames(titles);
  for (size_t i = 0; i < columns.size(); ++i) columns[i].title = titles[i + 1];
  return columns;
}

}  // namespace ofindex

#include "tools/help/index_names.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/result.h"
#include "base/text.h"
#include "index/catalog/paths.h"
#include "index/columns/column_choice.h"
#include "query/columns/snapshot.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

Result<std::vector<FeatureRow>> FeaturesOf(const std::string& name) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(name));
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot->Columns());
  return FeaturesByName(store->features());
}

// Looks below `folder` first, as the option --index-dir says, if it is not empty.
Result<std::vector<FeatureRow>> FeaturesBelow(const std::string& folder, const std::string& name) {
  if (!folder.empty() && !name.ends_with(kIndexSuffix)) {
    OFINDEX_ASSIGN(const std::string below, IndexPathBelow(folder, name));
    Result<std::vector<FeatureRow>> features = FeaturesOf(below);
    if (features) return features;
  }
  return FeaturesOf(name);
}

}  // namespace

std::vector<IndexName> NamesOfIndex(const std::string& name, const std::string& index_folder, NamesOf which) {
  std::vector<IndexName> names;
  const Result<std::vector<FeatureRow>> features = FeaturesBelow(index_folder, name);
  if (!features) return names;
  for (const FeatureRow& feature : *features) {
    if (which == NamesOf::kFeatures) {
      if (!feature.origin.empty()) continue;  // an attached column
      names.push_back({feature.name, KindNames(feature.kinds)});
      continue;
    }
    if (!feature.sql_value.empty()) names.push_back({feature.sql_value, feature.type});
    const auto add = [&](const std::string& column, ColumnRole role) {
      if (!column.empty()) names.push_back({column, std::string(Describe(role))});
    };
    add(feature.sql_size, ColumnRole::kSize);
    add(feature.sql_count, ColumnRole::kCount);
    for (const DerivedColumn& column : feature.derived) add(column.name, column.role);
  }
  if (which == NamesOf::kFeatures) return names;
  names.push_back({"_length", "size of the payload in bytes"});
  names.push_back({"_shard", "path of the shard"});
  return names;
}

std::string EscapedFeature(const std::string& name) {
  return ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {name}}.Text();
}

std::vector<std::string> PathsFrom(const std::string& begun, PathsOf which) {
  const size_t slash = begun.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : begun.substr(0, slash + 1);
  const std::string name_begun = begun.substr(folder.size());
  std::set<std::string> files;
  std::set<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool hidden = name.starts_with('.') && !name_begun.starts_with('.');
    if (!name.starts_with(name_begun) || hidden) continue;
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      found.insert(folder + name + "/");
    } else if (which == PathsOf::kFiles || (which == PathsOf::kIndexes && name.ends_with(kIndexSuffix))) {
      found.insert(folder + name);
    } else if (which == PathsOf::kIndexes) {
      files.insert(name);
    }
  }
  for (const std::string& name : files) {
    if (found.contains(StrCat(folder, name, kIndexSuffix))) found.insert(folder + name);
  }
  return {found.begin(), found.end()};
}

}  // namespace ofindex

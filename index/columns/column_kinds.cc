#include <algorithm>
#include <array>

#include "index/columns/column.h"

namespace ofindex {
namespace {

constexpr std::array kAllKinds = {FeatureKind::kNone,   FeatureKind::kBytes, FeatureKind::kFloat,
                                  FeatureKind::kDouble, FeatureKind::kInt32, FeatureKind::kInt64};

}  // namespace

std::string KindNames(uint8_t kinds) {
  std::string names;
  for (const FeatureKind kind : kAllKinds) {
    if ((kinds & BitOf(kind)) == 0) continue;
    if (!names.empty()) names += ',';
    names += Name(kind);
  }
  return names;
}

std::string SqlTypeNames(uint8_t kinds, bool has_text, bool has_blob) {
  std::string names;
  const auto add = [&](bool seen, const char* name) {
    if (seen) names += (names.empty() ? "" : "|") + std::string(name);
  };
  add((kinds & kIntegerKinds) != 0, "INTEGER");
  add((kinds & kRealKinds) != 0, "REAL");
  add(has_text, "TEXT");
  add(has_blob, "BLOB");
  return names;
}

std::vector<FeatureRow> FeaturesByName(std::vector<FeatureRow> features) {
  std::erase_if(features, [](const FeatureRow& row) { return !IsKnown(row); });
  std::sort(features.begin(), features.end(), [](const FeatureRow& a, const FeatureRow& b) { return a.name < b.name; });
  return features;
}

std::optional<uint8_t> ParseKinds(std::string_view names) {
  uint8_t kinds = 0;
  while (!names.empty()) {
    const std::string_view word = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), word.size() + 1));
    bool known = false;
    for (const FeatureKind kind : kAllKinds) {
      if (word != Name(kind)) continue;
      kinds = static_cast<uint8_t>(kinds | BitOf(kind));
      known = true;
    }
    if (!known) return std::nullopt;
  }
  return kinds;
}

}  // namespace ofindex

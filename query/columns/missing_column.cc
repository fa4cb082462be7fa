#include "query/columns/missing_column.h"

#include <algorithm>

#include "base/nearest_names.h"
#include "base/text.h"
#include "proto/extract/extracted_feature.h"

namespace ofindex {
namespace {

constexpr size_t kMaxEndings = 3;

// Returns the columns of which `name` is the last part: "label" of "image/class/label".
std::vector<std::string> EndingIn(std::string_view name, const std::vector<std::string>& columns) {
  std::vector<std::string> found;
  const std::string folded = Folded(name);
  for (const std::string& column : columns) {
    const bool longer = !name.empty() && column.size() > name.size();
    if (!longer || Folded(std::string_view(column).substr(column.size() - name.size())) != folded) continue;
    const char divider = column[column.size() - name.size() - 1];
    if (divider == '/' || divider == '.' || divider == ':') found.push_back(column);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  if (found.size() > kMaxEndings) found.resize(kMaxEndings);
  return found;
}

// A feature with this name, whose values are not in a column of that name.
MissingColumn WithoutColumn(const FeatureRow& feature, std::string_view quote) {
  MissingColumn missing{.without_column = true};
  const std::string& other = MainColumn(feature);
  const bool sizes = other == feature.sql_size;
  missing.instead = other.empty() ? std::string("the feature has no column of its values")
                                  : StrCat("the feature has the column ", Enclosed(other, quote), ", the ",
                                           sizes ? "size of its values" : "number of its values", ", only");
  if (feature.largest_bytes > kMaxKeptBytes) {
    missing.hint = "its values exceed 64 KiB, and a column holds none that does; read them from the records";
  } else {
    missing.hint = "`ofindex build DATA --force --columns auto,NAME` stores its values as a column";
  }
  return missing;
}

}  // namespace

MissingColumn ExplainMissing(std::string_view name, const std::vector<std::string>& columns,
                             const std::vector<FeatureRow>& features, std::string_view quote) {
  const auto feature = std::find_if(features.begin(), features.end(), [&](const FeatureRow& row) {
    return row.present != 0 && row.name == name && row.sql_value.empty();
  });
  if (feature != features.end()) return WithoutColumn(*feature, quote);
  std::vector<std::string> meant = EndingIn(name, columns);
  if (meant.empty()) meant = NearestNames(name, columns);
  return {DidYouMean(meant, quote), "`ofindex schema` lists the columns"};
}

}  // namespace ofindex

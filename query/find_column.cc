#include "query/find_column.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "query/nearest_names.h"

namespace ofindex {
namespace {

char Folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualInSql(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return Folded(x) == Folded(y); });
}

template <typename Same>
const Column* FindIf(const ColumnStore& store, Same same) {
  const auto found = std::find_if(store.columns().begin(), store.columns().end(), same);
  return found == store.columns().end() ? nullptr : &*found;
}

const Column* FindExactly(const ColumnStore& store, std::string_view name) {
  return FindIf(store, [&](const Column& column) { return column.name == name; });
}

std::string NearestHint(const ColumnStore& store, std::string_view name) {
  std::vector<std::string> names;
  for (const Column& column : store.columns()) names.push_back(column.name);
  std::string nearest;
  for (const std::string& meant : NearestNames(name, names)) {
    nearest += StrCat(nearest.empty() ? "did you mean " : " or ", "'", Printable(meant), "'");
  }
  return nearest.empty() ? "`ofindex schema` shows the columns" : nearest + "?";
}

}  // namespace

Result<Column> FindColumn(const ColumnStore& store, std::string_view name) {
  if (const Column* column = FindExactly(store, name)) return *column;
  for (const FeatureRow& feature : store.features()) {
    if (feature.name != name) continue;
    const std::string& main = MainColumn(feature);
    const Column* column = main.empty() ? nullptr : FindExactly(store, main);
    if (column != nullptr) return *column;
    return Fail(ErrorCode::kUsage, StrCat("feature '", Printable(name), "' has no column"),
                "build the index with `--columns NAME,...`");
  }
  if (const Column* column = FindIf(store, [&](const Column& c) { return EqualInSql(c.name, name); })) return *column;
  return Fail(ErrorCode::kUsage, StrCat("there is no column '", Printable(name), "'"), NearestHint(store, name));
}

}  // namespace ofindex

#include "query/columns/find_column.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "query/columns/missing_column.h"

namespace ofindex {
namespace {

template <typename Same>
const Column* FindIf(const ColumnStore& store, Same same) {
  const auto found = std::find_if(store.columns().begin(), store.columns().end(), same);
  return found == store.columns().end() ? nullptr : &*found;
}

const Column* FindExactly(const ColumnStore& store, std::string_view name) {
  return FindIf(store, [&](const Column& column) { return column.name == name; });
}

Error NoColumn(const ColumnStore& store, std::string_view name) {
  std::vector<std::string> names;
  for (const Column& column : store.columns()) names.push_back(column.name);
  const MissingColumn missing = ExplainMissing(name, names, store.features(), "'");
  Error error{ErrorCode::kUsage, StrCat("there is no column '", Printable(name), "'"), missing.hint};
  if (!missing.instead.empty()) error.message += "; " + missing.instead;
  return error;
}

}  // namespace

Result<Column> FindColumn(const ColumnStore& store, std::string_view name) {
  if (const Column* column = FindExactly(store, name)) return *column;
  for (const FeatureRow& feature : store.features()) {
    if (feature.name != name || !IsKnown(feature)) continue;
    const std::string& main = MainColumn(feature);
    const Column* column = main.empty() ? nullptr : FindExactly(store, main);
    if (column != nullptr) return *column;
    return tl::unexpected(NoColumn(store, name));
  }
  const std::string folded = Folded(name);
  if (const Column* column = FindIf(store, [&](const Column& c) { return Folded(c.name) == folded; })) return *column;
  return tl::unexpected(NoColumn(store, name));
}

Result<Column> FindValueColumn(const ColumnStore& store, std::string_view name) {
  OFINDEX_ASSIGN(Column column, FindColumn(store, name));
  if (HoldsValues(column.role) || Folded(column.name) == Folded(name)) return column;
  return Fail(ErrorCode::kUsage,
              StrCat("feature '", Printable(name), "' has no column of its values, only '", Printable(column.name),
                     "', the ", column.role == ColumnRole::kCount ? "number" : "size", " of its values"),
              StrCat("name ", ShellWord(column.name), " if that is meant"));
}

}  // namespace ofindex

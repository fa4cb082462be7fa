#include "query/columns/column_affinity.h"

namespace ofindex {
std::string_view DeclaredType(const ColumnStore& store, const Column& column) {
  const uint8_t kinds = store.kinds(column);
  const bool integers = (kinds & kIntegerKinds) != 0;
  const bool reals = (kinds & kRealKinds) != 0;
  const bool bytes = (kinds & kBytesKind) != 0;
  if (column.is_list() || (bytes && !integers && !reals)) return "TEXT";
  if (bytes) return "";
  if (integers && reals) return "NUMERIC";
  if (integers) return "INTEGER";
  if (!reals) return "";
  return (kinds & BitOf(FeatureKind::kDouble)) == 0 ? kFloatType : "REAL";
}

Affinity AffinityOf(const ColumnStore& store, const Column& column) {
  const std::string_view type = DeclaredType(store, column);
  if (type.empty()) return Affinity::kNone;
  return type == "TEXT" ? Affinity::kText : Affinity::kNumeric;
}

// SQLite skips whitespace, as defined by sqlite3Isspace(), and accepts a sign, digits and a point.
bool MayBeNumber(std::string_view text) {
  size_t at = text.find_first_not_of(" \t\n\v\f\r");
  if (at != std::string_view::npos && (text[at] == '+' || text[at] == '-')) ++at;
  return at < text.size() && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9'));
}

}  // namespace ofindex

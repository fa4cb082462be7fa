#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/crossfilter/conditions.h"
#include "tools/shell/json.h"

namespace ofindex {

/// A filter as a page asks for it: an SQL expression, and filters on columns, all of which must hold. A value type.
struct RecordFilter {
  std::string where = {};  ///< empty: every record
  std::vector<ColumnFilter> columns = {};
  std::string key = {};  ///< identifies the filter among others of the same dataset

  [[nodiscard]] bool accepts_all() const { return where.empty() && columns.empty(); }
};

/// Maximum length of a filter, in bytes of JSON.
inline constexpr size_t kMaxFilterBytes = 16 << 10;

/// Parses a filter: empty, or
///
///     {"where": "SQL", "ranges": {"column": [low, high]}, "values": {"column": [value, ...]}, "null": ["column"]}
///
/// A range holds for low <= x < high; null is no bound. Values of one column are alternatives. "null" accepts NULL
/// besides the values or the range of a column, and NULL alone if the column has neither. Numbers may be written as
/// strings, values that are not UTF-8 as {"base64": "..."}. Errors: kUsage.
[[nodiscard]] Result<RecordFilter> ParseRecordFilter(const ColumnStore& store, std::string_view text);

/// Returns a value of `column` as filters have it, and as the page is told: a float has the digits of a float.
[[nodiscard]] Json JsonOfCategory(const ColumnStore& store, const Column& column, const ColumnValue& value);

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "query/columns/column_store.h"
#include "query/sampling/sets/ordinal_set.h"
#include "tools/shell/context.h"
#include "tools/shell/json.h"
#include "tools/shell/table.h"

namespace ofindex {

/// How many records of each class the parts of a split have. A value type.
struct ClassCounts {
  /// One class.
  struct Row {
    ColumnValue value;
    uint64_t records = 0;
    std::vector<uint64_t> parts;  ///< in the order of the parts
  };
  std::string column;
  std::vector<Row> rows;       ///< the classes with the most records; NULL is one, too
  uint64_t other_classes = 0;  ///< that have no row; their records are in none
};

/// Counts the records of the values of `column` in `parts`, for the `most` values with the most records. Errors: those
/// of ColumnClasses::Read.
[[nodiscard]] Result<ClassCounts> CountClasses(ColumnStore& store, const Column& column,
                                               const std::vector<OrdinalSet>& parts, size_t most,
                                               const Context& context);

/// Returns the counts as rows for people, and the line after them, which may be empty; `names` are those of the parts.
[[nodiscard]] Table ClassTable(const ClassCounts& counts, const std::vector<std::string>& names);
[[nodiscard]] std::string ClassesLeftOut(const ClassCounts& counts);

/// Returns the rows as an array.
[[nodiscard]] Json ToJson(const ClassCounts& counts);

}  // namespace ofindex

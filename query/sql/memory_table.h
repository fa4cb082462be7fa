#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/sql/sql_session.h"

namespace ofindex {

/// A table that one session has besides those of its indexes, kept in SQLite's memory: its columns, and a function that
/// passes all rows once. A value type.
struct MemoryTable {
  struct Column {
    std::string name;
    std::string_view type;  ///< in SQL, such as "INTEGER"; may be empty
  };

  /// Receives one row: a value for each column. Errors: kLimit if the session has no memory for it.
  using TakeRow = std::function<Result<void>(std::span<const SqlValue>)>;

  std::string name;
  std::vector<Column> columns;
  std::function<Result<void>(const TakeRow&)> for_each_row;
};

/// Makes `table` on `db`, before it is locked down, and passes it its rows. Errors: kUsage if SQLite refuses the
/// columns; kLimit if the memory of the session is spent; those of for_each_row.
[[nodiscard]] Result<void> MakeMemoryTable(sqlite3* db, const MemoryTable& table);

}  // namespace ofindex

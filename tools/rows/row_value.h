#pragma once

#include "query/sql/sql_session.h"
#include "tools/shell/json.h"

namespace ofindex {

/// Returns a value of the current row as it is shown: a float with the digits of a float.
[[nodiscard]] inline SqlValue RowValue(const SqlRows& rows, size_t column) {
  SqlValue value = rows.At(column);
  if (rows.holds_floats(column)) value.real = AsFloat(value.real);
  return value;
}

}  // namespace ofindex

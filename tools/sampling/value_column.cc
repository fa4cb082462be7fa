#include "tools/sampling/value_column.h"

#include "base/text.h"
#include "query/columns/find_column.h"

namespace ofindex {

Result<Column> FindValueColumn(const ColumnStore& store, std::string_view name) {
  OFINDEX_ASSIGN(Column column, FindColumn(store, name));
  const bool has_values = column.role != ColumnRole::kCount && column.role != ColumnRole::kSize;
  if (has_values || Folded(column.name) == Folded(name)) return column;
  return Fail(ErrorCode::kUsage,
              StrCat("feature '", Printable(name), "' has no column of its values, only '", Printable(column.name),
                     "', the ", column.role == ColumnRole::kCount ? "number" : "size", " of its values"),
              StrCat("name ", ShellWord(column.name), " if that is meant"));
}

}  // namespace ofindex

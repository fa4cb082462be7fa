#pragma once

#include <string_view>
#include <vector>

#include "query/sql/sql_table.h"
#include "tools/prompt/prompt_reader.h"

namespace ofindex {

/// Completes the last word of `sql`, the part of a statement before the cursor: keywords, functions, and the tables and
/// columns of `tables`. After FROM and JOIN these are tables, after `NAME.` columns. Names that SQL needs quoted are
/// found with and without their quotes, and completed with them. Columns come first, those of the first table before
/// others; then tables, then words. `begin` counts from the start of `sql`.
[[nodiscard]] WordCompletion CompleteSql(std::string_view sql, const std::vector<SqlTable>& tables);

/// Returns `name` as SQL takes it: in double quotes, unless it is a plain word.
[[nodiscard]] std::string SqlNameText(std::string_view name);

/// Returns the name of a table, with its schema if it has one, as SQL takes it: each in double quotes, unless it is a
/// plain word.
[[nodiscard]] std::string SqlTableText(const SqlTable& table);

/// Returns the words of `words` that begin with `prefix`, ignoring ASCII case.
[[nodiscard]] std::vector<std::string> WordsWith(std::string_view prefix, const std::vector<std::string>& words);

}  // namespace ofindex

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// Returns those of `columns` that `sql` names in single quotes in places in which the text itself means little: as the
/// one argument of a function, as a term to select, group or order by, or compared with a number or another text. SQL
/// takes 'image/id' for text, so the statement runs, and means something else. A term of a SELECT is no such place if
/// it labels rows: if the statement has a UNION, or if another term reads the column. Nor is the end of a comparison or
/// of a longer text, as in `name = 'id' IS NULL`, and what is looked for in a list that has it. No duplicates.
[[nodiscard]] std::vector<std::string> ColumnsInSingleQuotes(std::string_view sql,
                                                             const std::vector<std::string>& columns);

}  // namespace ofindex

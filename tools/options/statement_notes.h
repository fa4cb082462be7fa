#pragma once

#include <memory>
#include <string_view>

#include "query/columns/column_store.h"
#include "query/sql/sql_session.h"
#include "query/sql/sql_table.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Prints notes on what `expression`, which has read the columns `read` of `store`, may not mean:
///
/// - a column in single quotes, which make it text: see ColumnsInSingleQuotes();
/// - a column that is NULL in records with several values, unless the expression reads their number, too;
/// - _hash, if the index stores no hashes.
void NoteOnExpression(std::string_view expression, const std::shared_ptr<ColumnStore>& store, const ColumnsRead& read,
                      const Context& context);

/// Prints the same notes on `sql`, a statement that `session` has run; and one on each table that it names without an
/// index, if each of several indexes has a name.
void NoteOnStatement(std::string_view sql, SqlSession& session, const Context& context);

}  // namespace ofindex

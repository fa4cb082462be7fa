#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/columns/snapshot.h"
#include "query/filter/selection.h"
#include "query/sql/sql_session.h"
#include "tools/options/command_line.h"
#include "tools/shell/context.h"

namespace ofindex {

/// An SQL expression as given on the command line, with the values of its parameters.
struct Expression {
  std::optional<std::string> text;           ///< SQL, or @ and the name of a file that holds it
  std::vector<std::string> parameters = {};  ///< NAME=VALUE

  [[nodiscard]] bool given() const { return text.has_value(); }
};

/// Add the argument EXPR, or the option --where; and -p for its parameters.
Option AddExpression(Verb& verb, Expression& expression);
Option AddWhere(Verb& verb, Expression& expression, const char* help);

/// Adds -p, whose values ParseParameters() takes.
Option AddParameters(Verb& verb, std::vector<std::string>& parameters);

/// Parses NAME=VALUE. A JSON number, string, true, false or null is taken as such; everything else is text. Errors:
/// kUsage.
[[nodiscard]] Result<std::vector<SqlParameter>> ParseParameters(const std::vector<std::string>& texts);

/// Returns `given`, or the content of FILE if it is @FILE. Errors: kIo, kNotFound; kLimit if the file is too long for
/// SQL.
[[nodiscard]] Result<std::string> ReadSql(const std::string& given);

/// Sets the SQL of an expression and its parameters; nothing if it was not given. Errors: those of ParseParameters()
/// and ReadSql().
[[nodiscard]] Result<void> ReadExpression(const Expression& expression, std::optional<std::string>& sql,
                                          std::vector<SqlParameter>& parameters);

/// Returns the records of `snapshot` for which `expression` holds. Uses all processors; Ctrl-C ends it. Errors:
/// those of Where(), of opening the index and of ReadExpression().
[[nodiscard]] Result<Selection> SelectRecords(const Snapshot& snapshot, const Expression& expression,
                                              const Context& context);

/// Prints a note if `sql` names one of `columns` in single quotes, which make it text: see ColumnsInSingleQuotes().
void NoteOnQuotes(const std::string& sql, const std::vector<std::string>& columns, const Context& context);
void NoteOnQuotes(const std::string& sql, const ColumnStore& store, const Context& context);

/// Prints a note for each column that `expression` reads and that is NULL in records with several values, unless the
/// expression reads their number, too. Errors: those of SelectRecords().
[[nodiscard]] Result<void> NoteHiddenLists(const Snapshot& snapshot, const Expression& expression,
                                           const Context& context);

}  // namespace ofindex

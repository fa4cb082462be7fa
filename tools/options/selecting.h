#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// Returns the records of `snapshot` for which `expression` holds. Uses all processors; Ctrl-C ends it. Prints notes
/// about what the expression may not mean: see NoteOnExpression(). Errors: those of Where(), of opening the index, of
/// ParseParameters() and of ReadSql().
[[nodiscard]] Result<Selection> SelectRecords(const Snapshot& snapshot, const Expression& expression,
                                              const Context& context);

}  // namespace ofindex

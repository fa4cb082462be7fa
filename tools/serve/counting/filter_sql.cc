#include "tools/serve/counting/filter_sql.h"

#include <cmath>
#include <string_view>

#include "base/text.h"
#include "tools/show/number_text.h"

namespace ofindex {
namespace {

// Returns `text` between two `quote`s; those in it are doubled.
std::string SqlQuoted(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) quoted.append(c == quote ? 2 : 1, c);
  return quoted + quote;
}

std::string RealLiteral(double real) {
  if (std::isinf(real)) return real > 0 ? "9e999" : "-9e999";
  const std::string literal = Shortest(real);
  // Without a point or an exponent, it would be an integer, and perhaps too large for one.
  return literal.find_first_of(".e") == std::string::npos ? literal + ".0" : literal;
}

std::string Literal(const ColumnValue& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: break;
    // The least integer is not a literal: SQL parses its digits without the sign.
    case ColumnValue::Type::kInteger:
      return value.integer == INT64_MIN ? "(-9223372036854775807 - 1)" : StrCat(value.integer);
    case ColumnValue::Type::kReal: return RealLiteral(value.real);
    case ColumnValue::Type::kText: return SqlQuoted(value.bytes, '\'');
    case ColumnValue::Type::kBlob: return StrCat("x'", ToHex(AsBytes(value.bytes)), "'");
  }
  return "NULL";
}

void AddTo(std::string& expression, std::string_view part, std::string_view with) {
  if (!expression.empty()) expression += with;
  expression += part;
}

std::string SqlOfColumn(const ColumnFilter& column) {
  const std::string name = SqlQuoted(column.column.name, '"');
  const ValueFilter& filter = column.filter;
  std::string values;
  if (filter.kind == ValueFilter::Kind::kSet) {
    std::string list;
    for (const ColumnValue& value : filter.values) AddTo(list, Literal(value), ", ");
    values = StrCat(name, " IN (", list, ")");
  } else if (!filter.outside) {
    if (filter.low.value) AddTo(values, StrCat(name, " >= ", Literal(*filter.low.value)), " AND ");
    if (filter.high.value) AddTo(values, StrCat(name, " < ", Literal(*filter.high.value)), " AND ");
    if (values.empty()) values = StrCat(name, " IS NOT NULL");
  }
  if (!filter.null) return values;
  const std::string null = StrCat(name, " IS NULL");
  return values.empty() ? null : StrCat("(", values, " OR ", null, ")");
}

}  // namespace

std::string SqlOfAny(const Column& column, const std::vector<ColumnValue>& values) {
  std::string expression;
  for (const ColumnValue& value : values) {
    AddTo(expression, StrCat("has(", SqlQuoted(column.name, '"'), ", ", Literal(value), ")"), " OR ");
  }
  return expression;
}

std::string SqlOf(const RecordFilter& filter) {
  std::string expression;
  // A comment in the expression ends with its line.
  if (!filter.where.empty()) expression = filter.columns.empty() ? filter.where : StrCat("(", filter.where, "\n)");
  for (const ColumnFilter& column : filter.columns) AddTo(expression, SqlOfColumn(column), " AND ");
  return expression;
}

}  // namespace ofindex

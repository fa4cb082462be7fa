#include "query/tables/records_plan.h"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "query/columns/column_affinity.h"
#include "query/columns/value_order.h"
#include "query/tables/values/sql_values.h"

namespace ofindex {
namespace {

// The numbers in a plan's text, each after one letter.
uint32_t TakeNumber(std::string_view& text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// Returns a bound value as the text that LIKE converts it to.
ColumnValue PatternOf(sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_BLOB || sqlite3_value_type(value) == SQLITE_NULL) return {};
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {.type = ColumnValue::Type::kText, .bytes = {text, static_cast<size_t>(sqlite3_value_bytes(value))}};
}

// Returns the TEXT in a column of `affinity` that `op` with `value` may select when SQLite compares it as a number.
PassingText PassingOf(Op op, Affinity affinity, sqlite3_value* value) {
  const bool ordered = op == Op::kLt || op == Op::kLe || op == Op::kGt || op == Op::kGe;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      return affinity == Affinity::kText && (ordered || op == Op::kNe || op == Op::kIsNot) ? PassingText::kAll
                                                                                           : PassingText::kNumbers;
    case SQLITE_TEXT:
      return ordered || MayBeNumber(AsText(ViewOf(value).bytes)) ? PassingText::kNumbers : PassingText::kNone;
    default: return PassingText::kNone;
  }
}

Result<void> TakeValue(sqlite3_value* value, Affinity affinity, bool loose, Constraint& constraint) {
  OFINDEX_ASSIGN(ColumnValue taken, ValueOf(value, affinity));
  constraint.values.push_back(std::move(taken));
  if (!loose) return {};
  constraint.passing = std::max(constraint.passing, PassingOf(constraint.op, affinity, value));
  if (constraint.op != Op::kEq && constraint.op != Op::kIs && constraint.op != Op::kIn) return {};
  OFINDEX_ASSIGN(const std::vector<ColumnValue> readings, ElementsOf(value));
  constraint.readings.insert(constraint.readings.end(), readings.begin(), readings.end());
  return {};
}

Result<void> TakeList(sqlite3_value* list, Affinity affinity, bool loose, Constraint& constraint) {
  return ForEachIn(list, [&](sqlite3_value* value) { return TakeValue(value, affinity, loose, constraint); });
}

}  // namespace

std::string RecordsPlan::Encode() const {
  std::string text;
  if (descending) text += 'd';
  for (const Argument& argument : arguments) {
    text += StrCat(argument.loose ? '?' : '!', static_cast<int>(argument.op), ':', argument.column);
  }
  for (const GroupRequest::Key& key : order) text += StrCat(key.descending ? '>' : '<', key.column);
  if (!order.empty()) text += StrCat('w', wanted);
  if (group) text += StrCat('#', *group);
  if (!note.empty()) text += StrCat(' ', note);
  return text;
}

RecordsPlan RecordsPlan::Decode(std::string_view text) {
  RecordsPlan plan;
  while (!text.empty() && text[0] != ' ') {
    const char letter = text[0];
    text.remove_prefix(1);
    if (letter == 'd') plan.descending = true;
    if (letter == '<' || letter == '>') plan.order.push_back({TakeNumber(text), letter == '>'});
    if (letter == 'w') plan.wanted = TakeNumber(text);
    if (letter == '#') plan.group = TakeNumber(text);
    if (letter != '?' && letter != '!') continue;
    Argument argument{.op = static_cast<Op>(TakeNumber(text)), .loose = letter == '?'};
    text.remove_prefix(1);
    argument.column = TakeNumber(text);
    plan.arguments.push_back(argument);
  }
  return plan;
}

Result<Constraint> RecordsPlan::ConstraintOf(const ColumnStore& store, const Argument& argument, sqlite3_value* value) {
  Constraint constraint{.column = argument.column, .op = argument.op};
  const Affinity affinity = AffinityOf(store, store.columns()[argument.column]);
  if (argument.op == Op::kIn) {
    OFINDEX_TRY(TakeList(value, affinity, argument.loose, constraint));
  } else if (argument.op == Op::kLike) {
    constraint.values = {PatternOf(value)};
    const ColumnValue& pattern = constraint.values[0];
    const bool odd = pattern.type == ColumnValue::Type::kText && !IsText(AsBytes(pattern.bytes));
    if (argument.loose && odd) constraint.passing = PassingText::kAll;
  } else if (argument.op == Op::kHas) {
    OFINDEX_ASSIGN(constraint.values, ElementsOf(value));
  } else if (!IsNullTest(argument.op)) {
    OFINDEX_TRY(TakeValue(value, affinity, argument.loose, constraint));
  }
  return constraint;
}

}  // namespace ofindex

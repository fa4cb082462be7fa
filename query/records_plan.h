#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/column_store.h"
#include "query/value_filter.h"

struct sqlite3_index_info;
struct sqlite3_value;

namespace ofindex {

/// What xBestIndex promises and xFilter does: the constraints that are taken over, in the order of their values. A
/// value; SQLite keeps it as text.
struct RecordsPlan {
  struct Argument {
    uint32_t column = 0;
    Op op = Op::kEq;
    bool loose = false;  ///< SQLite looks at each record again: see PassingText
  };

  std::vector<Argument> arguments;
  bool descending = false;

  [[nodiscard]] std::string Encode() const;

  /// The plan that Encode() wrote as `text`.
  [[nodiscard]] static RecordsPlan Decode(std::string_view text);

  /// The constraint of argument `argument` on `store` and its value, to which the column's affinity is applied: SQLite
  /// leaves that to the table. Errors: kLimit  SQLite gave no value.
  [[nodiscard]] static Result<Constraint> ConstraintOf(const ColumnStore& store, const Argument& argument,
                                                       sqlite3_value* value);
};

/// Plans what SQLite asks for, and tells it: which constraints are taken over, whether rows come in the order wanted,
/// and what it will cost.
///
/// SQLite looks again at all that may be compared otherwise than by the affinity of the column: with a column of
/// numeric affinity on the other side, text is compared as a number, and whether there is one cannot be seen from here.
/// `plain` says that there is none. LIMIT and OFFSET stay with SQLite, which stops asking when it has enough: where
/// rows are compared by several columns at once, and in compounds, SQLite 3.40 offers them although more than the
/// table's rows count, and does not say so.
void PlanRecords(ColumnStore& store, bool plain, sqlite3_index_info& info, RecordsPlan& plan);

}  // namespace ofindex

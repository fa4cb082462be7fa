#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/aggregates/grouping.h"
#include "query/columns/column_store.h"
#include "query/filter/value_filter.h"

struct sqlite3_value;

namespace ofindex {

/// The plan that xBestIndex makes and xFilter follows: the constraints that the table handles, in the order of their
/// values. A value type; SQLite keeps it as text.
struct RecordsPlan {
  struct Argument {
    uint32_t column = 0;
    Op op = Op::kEq;
    bool loose = false;  ///< SQLite checks each record again: see PassingText
  };

  std::vector<Argument> arguments;
  bool descending = false;                       ///< by _id
  std::optional<uint32_t> group = std::nullopt;  ///< number of the offer, or of the accepted scan (grouped_scans.h)
  std::vector<GroupRequest::Key> order = {};     ///< records come in this order; empty: by _id
  uint32_t wanted = 0;                           ///< with `order`: about how many records will be read
  std::string note = {};                         ///< for readers of EXPLAIN QUERY PLAN

  [[nodiscard]] std::string Encode() const;

  /// Decodes `text`, which Encode() wrote.
  [[nodiscard]] static RecordsPlan Decode(std::string_view text);

  /// Returns the constraint of `argument` with `value`. Applies the column's affinity to the value, which SQLite leaves
  /// to the table. Errors: kLimit if SQLite gave no value.
  [[nodiscard]] static Result<Constraint> ConstraintOf(const ColumnStore& store, const Argument& argument,
                                                       sqlite3_value* value);
};

}  // namespace ofindex

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// The operator of a constraint: one of SQL's, or has(list, value).
enum class Op : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kIs, kIsNot, kIsNull, kNotNull, kIn, kLike, kHas };

/// Returns whether `op` compares with nothing: IS NULL or IS NOT NULL.
[[nodiscard]] constexpr bool IsNullTest(Op op) { return op == Op::kIsNull || op == Op::kNotNull; }

/// The TEXT values that a filter always accepts, leaving them to SQLite, which checks their records again. SQLite
/// compares TEXT as a number if the other side of the comparison has numeric affinity, and the filter cannot see
/// whether it has.
enum class PassingText : uint8_t { kNone, kNumbers, kAll };

/// One constraint on one column of `records`.
struct Constraint {
  uint32_t column = 0;  ///< number in ColumnStore::columns()
  Op op = Op::kEq;
  /// Any number of values for kIn, none for kIsNull and kNotNull, one for others; for kHas all values that an element
  /// may equal, ascending. The column's affinity has been applied to them.
  std::vector<ColumnValue> values = {};
  PassingText passing = PassingText::kNone;
  std::vector<ColumnValue> readings =
      {};  ///< for kEq, kIs and kIn: all forms in which the values may be compared, if not `values`
};

/// One end of a range of values, in SQLite's order. No value: the range is unbounded.
struct ValueBound {
  std::optional<ColumnValue> value = std::nullopt;
  bool open = false;  ///< the value itself is excluded
};

/// A constraint in the form that kernels evaluate. For every operator, a filter accepts values that lie in a range (or
/// outside it), are in a set, match a pattern, or occur in a list; and, if `null` is set, NULL. A value type.
struct ValueFilter {
  enum class Kind : uint8_t { kRange, kSet, kLike, kHas };

  Kind kind = Kind::kRange;
  ValueBound low = {};
  ValueBound high = {};
  bool outside = false;  ///< kRange: values outside are accepted instead of those inside
  bool null = false;     ///< NULL is accepted
  PassingText passing = PassingText::kNone;
  std::vector<ColumnValue> values = {};  ///< kSet, kHas: ascending, distinct; kLike: the pattern

  const std::atomic<bool>* cancel = nullptr;  ///< once set, long evaluations stop with any result

  /// Returns the filter for `constraint`.
  [[nodiscard]] static ValueFilter Of(const Constraint& constraint);

  /// Makes this filter accept only values that both accept. Returns false if that cannot be a single filter.
  [[nodiscard]] bool Merge(const ValueFilter& other);

  /// Returns true if `value`, which is neither NULL nor a list, is accepted. Slow and simple; the kernels agree.
  [[nodiscard]] bool Accepts(const Chunk::Value& value) const;

  /// Returns true if the filter accepts the values from one bound to the other, and nothing else.
  [[nodiscard]] bool is_interval() const {
    return kind == Kind::kRange && !outside && !null && passing == PassingText::kNone;
  }

  /// Return true if every value, or none, is accepted, NULL aside.
  [[nodiscard]] bool accepts_all() const;
  [[nodiscard]] bool accepts_none() const;

  /// The records of a block that the filter accepts, as far as this is known without its chunk.
  enum class Verdict : uint8_t { kNone, kSome, kAll };
  [[nodiscard]] Verdict EvaluateZone(const Zone& zone) const;
};

}  // namespace ofindex

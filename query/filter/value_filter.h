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

/// What a constraint asks of a value: the operators of SQL, and has(list, value).
enum class Op : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kIs, kIsNot, kIsNull, kNotNull, kIn, kLike, kHas };

/// The TEXT that passes a filter whatever its values, since SQLite will look at each record again: it compares TEXT as
/// a number if the other side of the comparison has numeric affinity, which cannot be seen from here.
enum class PassingText : uint8_t { kNone, kNumbers, kAll };

/// One constraint on one column of `records`.
struct Constraint {
  uint32_t column = 0;  ///< number in ColumnStore::columns()
  Op op = Op::kEq;
  /// Any number for kIn, none for kIsNull and kNotNull, one for others; for kHas all that an element may equal,
  /// ascending. The column's affinity has been applied to them.
  std::vector<ColumnValue> values = {};
  PassingText passing = PassingText::kNone;
  std::vector<ColumnValue> readings =
      {};  ///< of kEq, kIs and kIn: all that the values may be compared as, if not `values`
};

/// One end of a range of values, in SQLite's order. No value: the range has no end there.
struct ValueBound {
  std::optional<ColumnValue> value = std::nullopt;
  bool open = false;  ///< the value itself is outside
};

/// A constraint in the form that the kernels evaluate: whatever the operator, a filter accepts values that lie in a
/// range (or outside it), or are in a set, match a pattern, or occur in a list; and NULL or not. A value.
struct ValueFilter {
  enum class Kind : uint8_t { kRange, kSet, kLike, kHas };

  Kind kind = Kind::kRange;
  ValueBound low = {};
  ValueBound high = {};
  bool outside = false;  ///< kRange: values outside are accepted, not those inside
  bool null = false;     ///< NULL is accepted
  PassingText passing = PassingText::kNone;
  std::vector<ColumnValue> values = {};  ///< kSet, kHas: ascending, distinct; kLike: the pattern

  const std::atomic<bool>* cancel = nullptr;  ///< once it is set, what takes long gives up, with any answer

  /// The filter that `constraint` is.
  [[nodiscard]] static ValueFilter Of(const Constraint& constraint);

  /// Makes this the filter that accepts what both do, if that is one filter.
  [[nodiscard]] bool Merge(const ValueFilter& other);

  /// True if `value`, which is not NULL and no list, is accepted. Slow and simple; the kernels say the same.
  [[nodiscard]] bool Accepts(const Chunk::Value& value) const;

  /// True if the filter accepts the values from one bound to the other, and nothing else.
  [[nodiscard]] bool is_interval() const {
    return kind == Kind::kRange && !outside && !null && passing == PassingText::kNone;
  }

  /// True if every value is accepted, NULL aside; true if none is.
  [[nodiscard]] bool accepts_all() const;
  [[nodiscard]] bool accepts_none() const;

  /// How many records of a block the filter accepts, by what is known without its chunk.
  enum class Verdict : uint8_t { kNone, kSome, kAll };
  [[nodiscard]] Verdict Judge(const Zone& zone) const;
};

}  // namespace ofindex

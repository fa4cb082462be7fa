#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "index/column.h"
#include "index/column_chunk.h"
#include "query/column_store.h"

namespace ofindex {

/// What a constraint asks of a value: the operators of SQL, and has(list, value).
enum class Op : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kIs, kIsNot, kIsNull, kNotNull, kIn, kLike, kHas };

/// One constraint on one column of `records`.
struct Constraint {
  uint32_t column = 0;  ///< number in ColumnStore::columns()
  Op op = Op::kEq;
  std::vector<ColumnValue> values = {};  ///< of kIn any number, of kIsNull and kNotNull none, of others one
  /// TEXT passes whatever the values, because SQL may compare it as a number (the other side of the comparison has
  /// numeric affinity, or may have) and SQLite will look at each record again.
  bool text_passes = false;
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
  bool outside = false;                  ///< kRange: values outside are accepted, not those inside
  bool null = false;                     ///< NULL is accepted
  bool text_passes = false;              ///< see Constraint
  std::vector<ColumnValue> values = {};  ///< kSet: ascending, distinct; kLike: the pattern; kHas: what to look for

  const std::atomic<bool>* cancel = nullptr;  ///< once it is set, what takes long gives up, with any answer

  /// The filter that `constraint` is.
  [[nodiscard]] static ValueFilter Of(const Constraint& constraint);

  /// Makes this the filter that accepts what both do, if that is one filter.
  [[nodiscard]] bool Merge(const ValueFilter& other);

  /// True if `value`, which is not NULL and no list, is accepted. Slow and simple; the kernels say the same.
  [[nodiscard]] bool Accepts(const Chunk::Value& value) const;

  /// True if every value is accepted, NULL aside; true if none is.
  [[nodiscard]] bool accepts_all() const;
  [[nodiscard]] bool accepts_none() const;

  /// How many records of a block the filter accepts, by what is known without its chunk.
  enum class Verdict : uint8_t { kNone, kSome, kAll };
  [[nodiscard]] Verdict Judge(const Zone& zone) const;
};

}  // namespace ofindex

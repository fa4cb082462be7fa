#include "query/filter/value_filter.h"

#include <algorithm>
#include <utility>

#include "query/columns/column_affinity.h"
#include "query/columns/value_order.h"
#include "query/filter/like_pattern.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;
using Verdict = ValueFilter::Verdict;

bool Less(const ColumnValue& a, const ColumnValue& b) { return CompareValues(a, b) < 0; }

bool AboveLow(const ValueBound& low, const Chunk::Value& value) {
  if (!low.value) return true;
  const int order = CompareValues(value, ViewOf(*low.value));
  return low.open ? order > 0 : order >= 0;
}

bool BelowHigh(const ValueBound& high, const Chunk::Value& value) {
  if (!high.value) return true;
  const int order = CompareValues(value, ViewOf(*high.value));
  return high.open ? order < 0 : order <= 0;
}

// Returns the stricter one of two lower bounds; of upper bounds if `sign` is -1.
ValueBound Tighter(ValueBound a, ValueBound b, int sign) {
  if (!a.value) return b;
  if (!b.value) return a;
  const int order = sign * CompareValues(*a.value, *b.value);
  if (order == 0) return a.open ? a : b;
  return order > 0 ? a : b;
}

// A filter that accepts no value.
ValueFilter Nothing() { return {.kind = ValueFilter::Kind::kSet}; }

ValueFilter Point(const ColumnValue& value) { return {.low = {value}, .high = {value}}; }

ValueFilter SetOf(const std::vector<ColumnValue>& values) {
  ValueFilter filter = Nothing();
  for (const ColumnValue& value : values) {
    if (value.type != Type::kNull) filter.values.push_back(value);
  }
  std::sort(filter.values.begin(), filter.values.end(), Less);
  const auto same = [](const ColumnValue& a, const ColumnValue& b) { return CompareValues(a, b) == 0; };
  filter.values.erase(std::unique(filter.values.begin(), filter.values.end(), same), filter.values.end());
  return filter;
}

// Comparison with `value`, which is not NULL.
ValueFilter Comparison(Op op, const ColumnValue& value) {
  switch (op) {
    case Op::kLt: return {.high = {value, true}};
    case Op::kLe: return {.high = {value, false}};
    case Op::kGt: return {.low = {value, true}};
    case Op::kGe: return {.low = {value, false}};
    case Op::kLike: return {.kind = ValueFilter::Kind::kLike, .values = {value}};
    default: break;
  }
  ValueFilter filter = Point(value);
  filter.outside = op == Op::kNe || op == Op::kIsNot;
  filter.null = op == Op::kIsNot;
  return filter;
}

bool IsLike(const Chunk::Value& value, const ColumnValue& pattern, const std::atomic<bool>* cancel) {
  if (value.type != Type::kText || pattern.type != Type::kText) return false;
  return Matches(AsText(value.bytes), pattern.bytes, kLikeRules, [cancel] { return cancel == nullptr || !*cancel; });
}

// Returns the verdict on values that all lie in [zone.min, zone.max], NULL aside.
Verdict EvaluateValues(const ValueFilter& filter, const Zone& zone) {
  const bool known = zone.min.type != Type::kNull && zone.max.type != Type::kNull;
  const bool numbers = zone.max.type == Type::kInteger || zone.max.type == Type::kReal;
  if (filter.passing != PassingText::kNone && !numbers) return Verdict::kSome;
  if (filter.kind == ValueFilter::Kind::kRange) {
    // Every value is at least min, so min by itself decides some cases; the same for max.
    const bool below = zone.max.type != Type::kNull && !AboveLow(filter.low, ViewOf(zone.max));
    const bool above = zone.min.type != Type::kNull && !BelowHigh(filter.high, ViewOf(zone.min));
    if (below || above) return filter.outside ? Verdict::kAll : Verdict::kNone;
    const bool low_holds =
        !filter.low.value || (zone.min.type != Type::kNull && AboveLow(filter.low, ViewOf(zone.min)));
    const bool high_holds =
        !filter.high.value || (zone.max.type != Type::kNull && BelowHigh(filter.high, ViewOf(zone.max)));
    if (low_holds && high_holds) return filter.outside ? Verdict::kNone : Verdict::kAll;
    return Verdict::kSome;
  }
  if (filter.kind == ValueFilter::Kind::kLike) return Verdict::kSome;
  if (filter.values.empty()) return Verdict::kNone;
  if (!known) return Verdict::kSome;
  const auto first = std::lower_bound(filter.values.begin(), filter.values.end(), zone.min, Less);
  if (first == filter.values.end() || Less(zone.max, *first)) return Verdict::kNone;
  const bool constant = CompareValues(zone.min, zone.max) == 0;
  return constant && filter.kind == ValueFilter::Kind::kSet ? Verdict::kAll : Verdict::kSome;
}

}  // namespace

ValueFilter ValueFilter::Of(const Constraint& constraint) {
  ValueFilter filter;
  const bool null = constraint.values.empty() || constraint.values[0].type == Type::kNull;
  if (constraint.op == Op::kIn) {
    filter = SetOf(constraint.values);
  } else if (constraint.op == Op::kIsNull || (constraint.op == Op::kIs && null)) {
    filter.outside = true;
    filter.null = true;
    return filter;
  } else if (constraint.op == Op::kNotNull || (constraint.op == Op::kIsNot && null)) {
    return filter;
  } else if (constraint.op == Op::kHas) {
    filter = {.kind = Kind::kHas, .values = null ? std::vector<ColumnValue>() : constraint.values};
  } else {
    filter = null ? Nothing() : Comparison(constraint.op, constraint.values[0]);
  }
  filter.passing = constraint.passing;
  return filter;
}

bool ValueFilter::Merge(const ValueFilter& other) {
  if (!is_interval() || !other.is_interval()) return false;
  low = Tighter(std::move(low), other.low, 1);
  high = Tighter(std::move(high), other.high, -1);
  return true;
}

bool ValueFilter::Accepts(const Chunk::Value& value) const {
  if (value.type == Type::kText && passing != PassingText::kNone) {
    if (passing == PassingText::kAll || MayBeNumber(AsText(value.bytes))) return true;
  }
  switch (kind) {
    case Kind::kRange: return (AboveLow(low, value) && BelowHigh(high, value)) != outside;
    case Kind::kSet: {
      const auto less = [](const ColumnValue& a, const Chunk::Value& b) { return CompareValues(ViewOf(a), b) < 0; };
      const auto found = std::lower_bound(values.begin(), values.end(), value, less);
      return found != values.end() && CompareValues(ViewOf(*found), value) == 0;
    }
    case Kind::kLike: return IsLike(value, values[0], cancel);
    case Kind::kHas: return false;
  }
  return false;
}

bool ValueFilter::accepts_all() const { return kind == Kind::kRange && !low.value && !high.value && !outside; }

bool ValueFilter::accepts_none() const {
  if (passing != PassingText::kNone) return false;
  return kind == Kind::kRange ? !low.value && !high.value && outside : values.empty();
}

Verdict ValueFilter::EvaluateZone(const Zone& zone) const {
  const Verdict values_verdict = zone.min_nulls == zone.records ? Verdict::kNone : EvaluateValues(*this, zone);
  const bool only_values = zone.max_nulls == 0;
  const bool only_nulls = zone.min_nulls == zone.records;
  if (only_nulls) return null ? Verdict::kAll : Verdict::kNone;
  if (values_verdict == Verdict::kNone && (!null || only_values)) return Verdict::kNone;
  if (values_verdict == Verdict::kAll && (null || only_values)) return Verdict::kAll;
  return Verdict::kSome;
}

}  // namespace ofindex

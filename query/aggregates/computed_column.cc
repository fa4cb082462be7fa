#include "query/aggregates/computed_column.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "query/columns/value_order.h"

// The rules are those of SQLite's opcodes Add, Subtract, Multiply, Divide, Remainder and Cast (sqlite.org/opcode.html,
// sqlite.org/lang_expr.html): integers that overflow are computed again as reals, division by zero and NaN are NULL.

namespace ofindex {
namespace {

using Number = ComputedColumn::Number;
using Op = ComputedColumn::Step::Op;
using Type = ColumnValue::Type;

// Records computed together: the results of all steps stay in the cache.
constexpr uint32_t kStrip = 1024;

Number Integer(int64_t value) {
  Number number;
  number.type = Type::kInteger;
  number.integer = value;
  return number;
}

Number Real(double value) {
  Number number;
  if (std::isnan(value)) return number;
  number.type = Type::kReal;
  number.real = value;
  return number;
}

double AsReal(const Number& number) {
  return number.type == Type::kInteger ? static_cast<double>(number.integer) : number.real;
}

int64_t AsInteger(const Number& number) {
  if (number.type == Type::kInteger) return number.integer;
  if (number.real <= -0x1p63) return std::numeric_limits<int64_t>::min();
  if (number.real >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(number.real);
}

// Returns nothing if the result is no integer.
std::optional<Number> OfIntegers(Op op, int64_t a, int64_t b) {
  int64_t result = 0;
  const bool overflow = b == -1 && a == std::numeric_limits<int64_t>::min();
  switch (op) {
    case Op::kAdd:
      if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
      return Integer(result);
    case Op::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
      return Integer(result);
    case Op::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
      return Integer(result);
    case Op::kDivide:
      if (b == 0) return Number();
      if (overflow) return std::nullopt;
      return Integer(a / b);
    default:
      if (b == 0) return Number();
      return Integer(overflow ? 0 : a % b);
  }
}

Number OfReals(Op op, const Number& a, const Number& b) {
  switch (op) {
    case Op::kAdd: return Real(AsReal(a) + AsReal(b));
    case Op::kSubtract: return Real(AsReal(a) - AsReal(b));
    case Op::kMultiply: return Real(AsReal(a) * AsReal(b));
    case Op::kDivide: return AsReal(b) == 0 ? Number() : Real(AsReal(a) / AsReal(b));
    default: {
      const std::optional<Number> remainder = OfIntegers(op, AsInteger(a), AsInteger(b));
      return remainder->type == Type::kNull ? *remainder : Real(static_cast<double>(remainder->integer));
    }
  }
}

Number Computed(Op op, const Number& a, const Number& b) {
  if (a.type == Type::kInteger && b.type == Type::kInteger) {
    const std::optional<Number> result = OfIntegers(op, a.integer, b.integer);
    return result ? *result : OfReals(op, a, b);
  }
  if (a.type == Type::kNull || b.type == Type::kNull) return {};
  return OfReals(op, a, b);
}

Number Cast(Op op, const Number& a) {
  if (a.type == Type::kNull) return a;
  return op == Op::kToInteger ? Integer(AsInteger(a)) : Real(AsReal(a));
}

Number NumberAt(const Chunk& chunk, uint32_t record) {
  const Chunk::Value value = chunk.At(record);
  if (value.type == Type::kInteger) return Integer(value.integer);
  return value.type == Type::kReal ? Real(value.real) : Number();
}

// Computes all steps for the records [first, first + count); `results` has kStrip numbers for each step.
void ComputeStrip(std::span<const ComputedColumn::Step> steps, std::span<const std::shared_ptr<const Chunk>> chunks,
                  uint32_t first, uint32_t count, std::vector<Number>& results) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const ComputedColumn::Step& step = steps[i];
    Number* const out = &results[i * kStrip];
    const Number* const a = &results[step.a * kStrip];
    const Number* const b = &results[step.b * kStrip];
    if (step.op == Op::kColumn) {
      for (uint32_t r = 0; r < count; ++r) out[r] = NumberAt(*chunks[i], first + r);
    } else if (step.op == Op::kConstant) {
      std::fill_n(out, count, step.constant);
    } else if (step.op == Op::kToInteger || step.op == Op::kToReal) {
      for (uint32_t r = 0; r < count; ++r) out[r] = Cast(step.op, a[r]);
    } else {
      for (uint32_t r = 0; r < count; ++r) out[r] = Computed(step.op, a[r], b[r]);
    }
  }
}

// A range of integers; wide enough for the result of one step over int64 operands.
struct Range {
  __int128 least = 0;
  __int128 greatest = 0;

  [[nodiscard]] bool fits() const {
    return least >= std::numeric_limits<int64_t>::min() && greatest <= std::numeric_limits<int64_t>::max();
  }
};

constexpr Range kAll = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};

// Returns nothing if the column has other values than integers and NULL.
Result<std::optional<Range>> RangeOf(ColumnStore& store, uint32_t number) {
  constexpr unsigned kIntegers = 1U << static_cast<unsigned>(FeatureKind::kInt32) |
                                 1U << static_cast<unsigned>(FeatureKind::kInt64) |
                                 1U << static_cast<unsigned>(FeatureKind::kNone);
  const Column& column = store.columns()[number];
  if ((store.kinds(column) & ~kIntegers) != 0) return std::nullopt;
  OFINDEX_ASSIGN(const std::shared_ptr<const ColumnStore::Zones> zones, store.ZonesOf(column));
  std::optional<Range> range;
  for (const Zone& zone : *zones) {
    if (zone.min_nulls == zone.records) continue;
    if (zone.min.type != Type::kInteger || zone.max.type != Type::kInteger) return std::optional<Range>(kAll);
    if (!range) range = {zone.min.integer, zone.max.integer};
    range->least = std::min<__int128>(range->least, zone.min.integer);
    range->greatest = std::max<__int128>(range->greatest, zone.max.integer);
  }
  return range ? range : std::optional<Range>(Range{});
}

// Returns nothing if the result may be a real.
std::optional<Range> RangeOf(Op op, const std::optional<Range>& a, const std::optional<Range>& b) {
  if (op == Op::kToInteger) return a ? a : kAll;
  if (op == Op::kToReal || !a || !b) return std::nullopt;
  Range range;
  switch (op) {
    case Op::kAdd: range = {a->least + b->least, a->greatest + b->greatest}; break;
    case Op::kSubtract: range = {a->least - b->greatest, a->greatest - b->least}; break;
    case Op::kMultiply: {
      const auto [least, greatest] = std::minmax({a->least * b->least, a->least * b->greatest, a->greatest * b->least,
                                                  a->greatest * b->greatest});
      range = {least, greatest};
      break;
    }
    // The absolute value does not grow.
    case Op::kDivide: range = {std::min(a->least, -a->greatest), std::max(a->greatest, -a->least)}; break;
    default: range = *a; break;
  }
  return range.fits() ? std::optional<Range>(range) : std::nullopt;
}

}  // namespace

Result<std::shared_ptr<const Chunk>> ComputedColumn::Compute(ColumnStore& store, uint64_t block) const {
  std::vector<std::shared_ptr<const Chunk>> chunks(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].op != Op::kColumn) continue;
    OFINDEX_ASSIGN(chunks[i], store.Load(store.columns()[steps_[i].column], block));
  }
  const uint32_t records = store.blocks()[block].records;
  std::vector<Number> results(steps_.size() * kStrip);
  const Number* const last = &results[(steps_.size() - 1) * kStrip];
  ChunkBuilder builder;
  for (uint32_t first = 0; first < records; first += kStrip) {
    const uint32_t count = std::min(kStrip, records - first);
    ComputeStrip(steps_, chunks, first, count, results);
    for (uint32_t r = 0; r < count; ++r) {
      if (last[r].type == Type::kInteger) builder.AddInteger(first + r, last[r].integer, FeatureKind::kInt64);
      if (last[r].type == Type::kReal) builder.AddDouble(first + r, last[r].real);
    }
  }
  OFINDEX_ASSIGN(Chunk chunk, Chunk::Decode(builder.Encode(records).data, records));
  return std::make_shared<const Chunk>(std::move(chunk));
}

Result<bool> ComputedColumn::IsIntegral(ColumnStore& store) const {
  std::vector<std::optional<Range>> ranges;
  for (const Step& step : steps_) {
    if (step.op == Op::kColumn) {
      OFINDEX_ASSIGN(std::optional<Range> range, RangeOf(store, step.column));
      ranges.push_back(range);
    } else if (step.op == Op::kConstant) {
      const bool real = step.constant.type == Type::kReal;
      ranges.push_back(real ? std::nullopt : std::optional<Range>({step.constant.integer, step.constant.integer}));
    } else {
      ranges.push_back(RangeOf(step.op, ranges[step.a], ranges[step.b]));
    }
  }
  return ranges.back().has_value();
}

Result<std::shared_ptr<const Chunk>> LoadColumn(ColumnStore& store, const ComputedColumns& computed, uint32_t column,
                                                uint64_t block) {
  const std::vector<Column>& columns = store.columns();
  if (column < columns.size()) return store.Load(columns[column], block);
  return computed[column - columns.size()]->Compute(store, block);
}

}  // namespace ofindex

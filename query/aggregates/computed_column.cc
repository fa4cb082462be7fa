#include "query/aggregates/computed_column.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "query/columns/chunks/bit_words.h"
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

// Sets `out` to the values of the records [first, first + count).
void ReadStrip(const Chunk& chunk, uint32_t first, uint32_t count, Number* out) {
  const auto read = [&](auto value) {
    for (uint32_t r = 0; r < count; ++r) out[r] = BitAt(chunk.present(), first + r) ? value(first + r) : Number();
  };
  switch (chunk.form()) {
    case Chunk::Form::kIntegers:
      return std::visit(
          [&](const auto& offsets) {
            const auto base = static_cast<uint64_t>(chunk.integers().base);
            read([&](uint32_t r) { return Integer(static_cast<int64_t>(base + offsets[r])); });
          },
          chunk.integers().offsets);
    case Chunk::Form::kFloats: return read([&](uint32_t r) { return Real(double{chunk.floats()[r]}); });
    case Chunk::Form::kDoubles: return read([&](uint32_t r) { return Real(chunk.doubles()[r]); });
    default:
      for (uint32_t r = 0; r < count; ++r) out[r] = NumberAt(chunk, first + r);
  }
}

/// The results for the records of a block, added in order.
class ResultBuilder {
 public:
  explicit ResultBuilder(uint32_t records) : numbers_(records) {}

  void Add(uint32_t first, std::span<const Number> numbers) {
    std::copy(numbers.begin(), numbers.end(), numbers_.begin() + first);
    for (const Number& number : numbers) {
      integers_ += number.type == Type::kInteger ? 1 : 0;
      reals_ += number.type == Type::kReal ? 1 : 0;
    }
  }

  [[nodiscard]] Result<Chunk> Take() const {
    if (integers_ != 0 && reals_ != 0) return Mixed();
    std::vector<uint64_t> present(WordCount(records()));
    for (uint32_t r = 0; r < records(); ++r) present[r / 64] |= uint64_t{numbers_[r].type != Type::kNull} << (r % 64);
    if (reals_ != 0) {
      std::vector<double> reals(records());
      for (uint32_t r = 0; r < records(); ++r) reals[r] = numbers_[r].type == Type::kReal ? numbers_[r].real : 0;
      return Chunk::OfReals(std::move(reals), std::move(present));
    }
    std::vector<int64_t> integers(records());
    for (uint32_t r = 0; r < records(); ++r) integers[r] = numbers_[r].integer;
    return Chunk::OfIntegers(integers, std::move(present));
  }

 private:
  [[nodiscard]] uint32_t records() const { return static_cast<uint32_t>(numbers_.size()); }

  [[nodiscard]] Result<Chunk> Mixed() const {
    ChunkBuilder builder;
    for (uint32_t r = 0; r < records(); ++r) {
      if (numbers_[r].type == Type::kInteger) builder.AddInteger(r, numbers_[r].integer, FeatureKind::kInt64);
      if (numbers_[r].type == Type::kReal) builder.AddDouble(r, numbers_[r].real);
    }
    return Chunk::Decode(builder.Encode(records()).data, records());
  }

  std::vector<Number> numbers_;
  uint64_t integers_ = 0;
  uint64_t reals_ = 0;
};

// Computes all steps for the records [first, first + count); `results` has kStrip numbers for each step.
void ComputeStrip(std::span<const ComputedColumn::Step> steps, std::span<const std::shared_ptr<const Chunk>> chunks,
                  uint32_t first, uint32_t count, std::vector<Number>& results) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const ComputedColumn::Step& step = steps[i];
    Number* const out = &results[i * kStrip];
    const Number* const a = &results[step.a * kStrip];
    const Number* const b = &results[step.b * kStrip];
    if (step.op == Op::kColumn) {
      ReadStrip(*chunks[i], first, count, out);
    } else if (step.op == Op::kConstant) {
      std::fill_n(out, count, step.constant);
    } else if (step.op == Op::kToInteger || step.op == Op::kToReal) {
      for (uint32_t r = 0; r < count; ++r) out[r] = Cast(step.op, a[r]);
    } else {
      // One loop for each operation, so that it is not chosen again for each record.
      const auto compute = [&]<Op op>() {
        for (uint32_t r = 0; r < count; ++r) out[r] = Computed(op, a[r], b[r]);
      };
      switch (step.op) {
        case Op::kAdd: compute.template operator()<Op::kAdd>(); break;
        case Op::kSubtract: compute.template operator()<Op::kSubtract>(); break;
        case Op::kMultiply: compute.template operator()<Op::kMultiply>(); break;
        case Op::kDivide: compute.template operator()<Op::kDivide>(); break;
        default: compute.template operator()<Op::kRemainder>(); break;
      }
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
      const auto [least, greatest] =
          std::minmax({a->least * b->least, a->least * b->greatest, a->greatest * b->least, a->greatest * b->greatest});
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
  const std::span<const Number> last = std::span(results).last(kStrip);
  ResultBuilder builder(records);
  for (uint32_t first = 0; first < records; first += kStrip) {
    const uint32_t count = std::min(kStrip, records - first);
    ComputeStrip(steps_, chunks, first, count, results);
    builder.Add(first, last.first(count));
  }
  OFINDEX_ASSIGN(Chunk chunk, builder.Take());
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

#include "query/aggregates/computed_column.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "query/aggregates/integer_steps.h"
#include "query/columns/chunks/bit_words.h"

namespace ofindex {
namespace {

using StepOp = ComputedStep::Op;
using Type = ColumnValue::Type;

/// The results for the records of a block, added in order.
class ResultBuilder {
 public:
  explicit ResultBuilder(uint32_t records) : numbers_(records) {}

  void Add(uint32_t first, std::span<const ComputedNumber> numbers) {
    std::copy(numbers.begin(), numbers.end(), numbers_.begin() + first);
    for (const ComputedNumber& number : numbers) {
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

  std::vector<ComputedNumber> numbers_;
  uint64_t integers_ = 0;
  uint64_t reals_ = 0;
};

// Returns nothing if the column has other values than integers and NULL.
Result<std::optional<IntegerRange>> RangeOf(ColumnStore& store, uint32_t number) {
  constexpr unsigned kIntegers = kIntegerKinds | BitOf(FeatureKind::kNone);
  const Column& column = store.columns()[number];
  if ((store.kinds(column) & ~kIntegers) != 0) return std::nullopt;
  OFINDEX_ASSIGN(const std::shared_ptr<const ColumnStore::Zones> zones, store.ZonesOf(column));
  std::optional<IntegerRange> range;
  for (const Zone& zone : *zones) {
    if (zone.min_nulls == zone.records) continue;
    if (zone.min.type != Type::kInteger || zone.max.type != Type::kInteger) return std::optional(IntegerRange::All());
    if (!range) range = {zone.min.integer, zone.max.integer};
    range->least = std::min<__int128>(range->least, zone.min.integer);
    range->greatest = std::max<__int128>(range->greatest, zone.max.integer);
  }
  return range ? range : std::optional<IntegerRange>(IntegerRange{});
}

}  // namespace

Result<std::shared_ptr<const Chunk>> ComputedColumn::Compute(ColumnStore& store, uint64_t block) const {
  ComputedInputs inputs(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].op != StepOp::kColumn) continue;
    OFINDEX_ASSIGN(inputs[i], store.Load(store.columns()[steps_[i].column], block));
  }
  const uint32_t records = store.blocks()[block].records;
  if (std::optional<Chunk> chunk = ComputeIntegers(steps_, inputs, records)) {
    return std::make_shared<const Chunk>(*std::move(chunk));
  }
  std::vector<ComputedNumber> results(steps_.size() * kComputedStrip);
  const std::span<const ComputedNumber> last = std::span(results).last(kComputedStrip);
  ResultBuilder builder(records);
  for (uint32_t first = 0; first < records; first += kComputedStrip) {
    const uint32_t count = std::min(kComputedStrip, records - first);
    ComputeStrip(steps_, inputs, first, count, results);
    builder.Add(first, last.first(count));
  }
  OFINDEX_ASSIGN(Chunk chunk, builder.Take());
  return std::make_shared<const Chunk>(std::move(chunk));
}

Result<bool> ComputedColumn::IsIntegral(ColumnStore& store) const {
  std::vector<std::optional<IntegerRange>> ranges;
  for (const Step& step : steps_) {
    std::optional<IntegerRange> range;
    if (step.op == StepOp::kColumn) {
      OFINDEX_ASSIGN(range, RangeOf(store, step.column));
    } else {
      range = RangeOf(step, ranges);
    }
    ranges.push_back(range);
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

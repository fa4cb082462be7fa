#include "query/aggregates/argument_states.h"

#include <cmath>
#include <string>
#include <utility>

#include "query/aggregates/bounds_by_group.h"
#include "query/columns/chunk_numbers.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

double MagnitudeOf(const ColumnValue& value) {
  return value.type == Type::kInteger ? std::fabs(static_cast<double>(value.integer)) : std::fabs(value.real);
}

// Returns an upper bound on the sum of the absolute values, or infinity.
double MagnitudeOf(const ColumnStore::Zones& zones) {
  double sum = 0;
  for (const Zone& zone : zones) {
    if (zone.min_nulls == zone.records) continue;
    if (!IsNumber(zone.min.type) || !IsNumber(zone.max.type)) return INFINITY;
    sum += std::max(MagnitudeOf(zone.min), MagnitudeOf(zone.max)) * static_cast<double>(zone.records);
  }
  return sum;
}

}  // namespace

Result<SumKind> SumKindOf(ColumnStore& store, const Column& column) {
  constexpr uint8_t kIntegers = kIntegerKinds | BitOf(FeatureKind::kNone);
  constexpr uint8_t kReals = kRealKinds | BitOf(FeatureKind::kNone);
  const uint8_t kinds = store.kinds(column);
  if ((kinds & ~kIntegers) != 0 && (kinds & ~kReals) != 0) return SumKind::kAny;
  OFINDEX_ASSIGN(const std::shared_ptr<const ColumnStore::Zones> zones, store.ZonesOf(column));
  const double magnitude = MagnitudeOf(*zones);
  // Half of each bound, so that its own rounding does not matter.
  if ((kinds & ~kIntegers) == 0) return magnitude <= 0x1p52 ? SumKind::kExact : SumKind::kAny;
  return magnitude <= 0x1p1022 ? SumKind::kBounded : SumKind::kAny;
}

Result<ArgumentStates> ArgumentStates::Of(ColumnStore& store, const Argument& argument, SumRule rule) {
  SumKind kind = SumKind::kAny;
  if (argument.column < store.columns().size()) {
    OFINDEX_ASSIGN(kind, SumKindOf(store, store.columns()[argument.column]));
  }
  return ArgumentStates(argument, rule, argument.sums && kind != SumKind::kExact);
}

ArgumentStates::Part ArgumentStates::Prepare(const BlockGroups& groups, std::shared_ptr<const Chunk> chunk) const {
  Part part;
  part.chunk = std::move(chunk);
  const bool counted = (argument_.sums || argument_.counts) && !in_order_;
  if (counted || argument_.bounds) part.sums = StatesByGroup(*part.chunk, groups, argument_.bounds);
  if (argument_.distinct) part.divided = Divide(groups, *part.chunk);
  return part;
}

void ArgumentStates::Add(const BlockGroups& groups, const Part& part, std::span<const uint32_t> numbers,
                         uint32_t size) {
  if (argument_.sums || argument_.counts) {
    sums_.resize(size);
    AddSums(groups, part, numbers);
  }
  if (argument_.bounds) {
    mins_.resize(size);
    maxs_.resize(size);
    AddBounds(part, numbers);
  }
  if (argument_.distinct) {
    distinct_.resize(size);
    AddDistinct(groups, part, numbers);
  }
}

void ArgumentStates::AddSums(const BlockGroups& groups, const Part& part, std::span<const uint32_t> numbers) {
  if (!in_order_) {
    for (const uint32_t g : groups.order) {
      const GroupSum& sum = part.sums[g];
      const int64_t exact = argument_.sums ? static_cast<int64_t>(sum.sum.integers) : 0;
      sums_[numbers[g]].AddExact(static_cast<int64_t>(sum.count), exact);
    }
    return;
  }
  const auto add = [&](uint32_t r, auto value) {
    if (value != value || (!groups.selected.empty() && !BitAt(groups.selected, r))) return;  // NaN is NULL
    sums_[numbers[groups.number[r]]].Add(rule_, value);
  };
  ForEachNumber(
      *part.chunk, [&](uint32_t r, int64_t value) { add(r, value); }, [&](uint32_t r, double value) { add(r, value); });
}

void ArgumentStates::AddBounds(const Part& part, std::span<const uint32_t> numbers) {
  const auto replace = [this](ColumnValue& bound, const Chunk::Value& value, int sign) {
    if (bound.type != Type::kNull && sign * CompareValues(value, ViewOf(bound)) <= 0) return;
    bound_bytes_ += value.bytes.size() - bound.bytes.size();
    bound = Owned(value);
  };
  for (size_t g = 0; g < numbers.size(); ++g) {
    const GroupSum& sum = part.sums[g];
    if (sum.count == 0) continue;
    replace(mins_[numbers[g]], sum.min, -1);
    replace(maxs_[numbers[g]], sum.max, 1);
  }
}

void ArgumentStates::AddDistinct(const BlockGroups& groups, const Part& part, std::span<const uint32_t> numbers) {
  std::vector<Chunk::Value> pairs;
  for (const uint32_t divided : part.divided->order) {
    const uint32_t first = part.divided->first[divided];
    const Chunk::Value value = part.chunk->At(first);
    if (value.type == Type::kNull) continue;
    pairs.push_back({.type = Type::kInteger, .integer = numbers[groups.number[first]]});
    pairs.push_back(value);
  }
  uint32_t next = pairs_.size();
  const std::vector<uint32_t> found = pairs_.Add(pairs, pairs.size() / 2);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] != next) continue;  // known already
    ++next;
    SumState& state = distinct_[static_cast<size_t>(pairs[2 * i].integer)];
    const Chunk::Value& value = pairs[2 * i + 1];
    if (value.type == Type::kInteger) {
      state.Add(rule_, value.integer);
    } else if (value.type == Type::kReal) {
      state.Add(rule_, value.real);
    } else {
      ++state.count;
    }
  }
}

uint64_t ArgumentStates::memory() const {
  const uint64_t states = sums_.capacity() + distinct_.capacity();
  const uint64_t bounds = mins_.capacity() + maxs_.capacity();
  return states * sizeof(SumState) + bounds * sizeof(ColumnValue) + bound_bytes_ + pairs_.memory();
}

}  // namespace ofindex

#include "index/chunks/chunk.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "index/chunks/value_groups.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

Chunk::Value RealOrNull(double value) {
  if (std::isnan(value)) return {};
  return {.type = Type::kReal, .real = value};
}

Chunk::Value TextOrBlob(ByteView bytes) { return {.type = IsText(bytes) ? Type::kText : Type::kBlob, .bytes = bytes}; }

int64_t IntegerAt(const Chunk::Integers& integers, uint32_t record) {
  return std::visit(
      [&](const auto& offsets) { return static_cast<int64_t>(static_cast<uint64_t>(integers.base) + offsets[record]); },
      integers.offsets);
}

template <typename T>
uint64_t Held(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

// Returns the group of all values of a form; kNone if they differ.
ValueGroup GroupOfForm(Chunk::Form form) {
  switch (form) {
    case Chunk::Form::kIntegers: return ValueGroup::kIntegers;
    case Chunk::Form::kFloats: return ValueGroup::kFloats;
    case Chunk::Form::kDoubles: return ValueGroup::kDoubles;
    case Chunk::Form::kBytes: return ValueGroup::kBytes;
    default: return ValueGroup::kNone;
  }
}

}  // namespace

Chunk Chunk::OfIntegers(std::span<const int64_t> values, std::vector<uint64_t> present) {
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t greatest = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < values.size(); ++i) {
    const bool counts = (present[i / 64] >> (i % 64) & 1) != 0;
    least = std::min(least, counts ? values[i] : least);
    greatest = std::max(greatest, counts ? values[i] : greatest);
  }
  Chunk chunk;
  chunk.records_ = static_cast<uint32_t>(values.size());
  chunk.present_ = std::move(present);
  if (least > greatest) return chunk;
  chunk.form_ = Form::kIntegers;
  chunk.integers_.base = least;
  const auto base = static_cast<uint64_t>(least);
  const auto narrow = [&]<typename T>(T) {
    std::vector<T> offsets(values.size());
    for (size_t i = 0; i < values.size(); ++i) offsets[i] = static_cast<T>(static_cast<uint64_t>(values[i]) - base);
    chunk.integers_.offsets = std::move(offsets);
  };
  const uint64_t range = static_cast<uint64_t>(greatest) - base;
  if (range <= std::numeric_limits<uint8_t>::max()) {
    narrow(uint8_t{});
  } else if (range <= std::numeric_limits<uint16_t>::max()) {
    narrow(uint16_t{});
  } else if (range <= std::numeric_limits<uint32_t>::max()) {
    narrow(uint32_t{});
  } else {
    narrow(uint64_t{});
  }
  return chunk;
}

Chunk Chunk::OfReals(std::vector<double> values, std::vector<uint64_t> present) {
  Chunk chunk;
  chunk.records_ = static_cast<uint32_t>(values.size());
  chunk.form_ = Form::kDoubles;
  chunk.present_ = std::move(present);
  chunk.doubles_ = std::move(values);
  return chunk;
}

Chunk Chunk::OfReals(std::vector<float> values, std::vector<uint64_t> present) {
  Chunk chunk;
  chunk.records_ = static_cast<uint32_t>(values.size());
  chunk.form_ = Form::kFloats;
  chunk.present_ = std::move(present);
  chunk.floats_ = std::move(values);
  return chunk;
}

Chunk::Value Chunk::At(uint32_t record) const {
  assert(record < records_ && form_ != Form::kLists);
  if (form_ == Form::kEmpty || (present_[record / 64] >> (record % 64) & 1) == 0) return {};
  switch (form_ == Form::kMixed ? GroupOf(kinds_[record]) : GroupOfForm(form_)) {
    case ValueGroup::kIntegers: return {.type = Type::kInteger, .integer = IntegerAt(integers_, record)};
    case ValueGroup::kFloats: return RealOrNull(floats_[record]);
    case ValueGroup::kDoubles: return RealOrNull(doubles_[record]);
    case ValueGroup::kBytes: return TextOrBlob(strings_[strings_.number[record]]);
    case ValueGroup::kNone: break;
  }
  return {};
}

uint64_t Chunk::memory() const {
  return sizeof(Chunk) + Held(present_) + Held(kinds_) + Held(floats_) + Held(doubles_) + Held(strings_.bytes) +
         Held(strings_.ends) + Held(strings_.number) + Held(lists_.ends) + Held(lists_.kinds) + Held(lists_.numbers) +
         std::visit([](const auto& offsets) { return Held(offsets); }, integers_.offsets);
}

}  // namespace ofindex

#include "index/chunks/chunk.h"

#include <cassert>
#include <cmath>

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

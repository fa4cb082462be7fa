#include "tools/streams/flat_buffer.h"

#include <algorithm>

namespace ofindex {
namespace {

constexpr uint64_t kBufferAlignment = 8;  // that of the largest number

uint32_t SizeOf(const FlatBuffer::Field& field) {
  return field.size == 0 ? static_cast<uint32_t>(sizeof(uint32_t)) : field.size;
}

}  // namespace

// Pads, so that `bytes` more bytes will begin at an aligned place.
void FlatBuffer::AlignFor(uint64_t bytes, uint64_t alignment) {
  while ((reversed_.size() + bytes) % alignment != 0) reversed_.push_back(0);
}

void FlatBuffer::PushBytes(const void* bytes, size_t size) {
  const auto* const begin = static_cast<const uint8_t*>(bytes);
  reversed_.insert(reversed_.end(), std::make_reverse_iterator(begin + size), std::make_reverse_iterator(begin));
}

// A reference is the distance from its own place forward to the part.
FlatBuffer::Place FlatBuffer::PushReference(Place to) {
  AlignFor(sizeof(uint32_t), sizeof(uint32_t));
  const auto place = static_cast<uint32_t>(reversed_.size() + sizeof(uint32_t));
  return PushNumber(place - static_cast<uint32_t>(to));
}

FlatBuffer::Place FlatBuffer::AddText(std::string_view text) {
  AlignFor(text.size() + 1, sizeof(uint32_t));
  reversed_.push_back(0);
  PushBytes(text.data(), text.size());
  return PushNumber(static_cast<uint32_t>(text.size()));
}

FlatBuffer::Place FlatBuffer::AddReferences(std::span<const Place> places) {
  AlignFor(places.size() * sizeof(uint32_t), sizeof(uint32_t));
  for (size_t i = places.size(); i > 0; --i) PushReference(places[i - 1]);
  return PushNumber(static_cast<uint32_t>(places.size()));
}

// A table begins with the distance back to its vtable, which has the size of itself and of the table, and then the
// place of each field in the table, 0 for one that is absent.
FlatBuffer::Place FlatBuffer::AddTable(std::vector<Field> fields) {
  std::stable_sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) { return SizeOf(a) < SizeOf(b); });
  AlignFor(0, kBufferAlignment);
  const size_t end = reversed_.size();
  std::vector<uint16_t> vtable(2);
  std::vector<size_t> places;
  for (const Field& field : fields) {
    AlignFor(SizeOf(field), SizeOf(field));
    if (field.size == 0) {
      PushReference(field.place);
    } else {
      PushBytes(&field.bits, field.size);
    }
    places.push_back(reversed_.size());
    vtable.resize(std::max<size_t>(vtable.size(), field.number_id + size_t{3}));
  }
  const auto vtable_bytes = static_cast<uint16_t>(vtable.size() * sizeof(uint16_t));
  const Place table = PushNumber(static_cast<int32_t>(vtable_bytes));
  vtable[0] = vtable_bytes;
  vtable[1] = static_cast<uint16_t>(reversed_.size() - end);
  for (size_t i = 0; i < fields.size(); ++i) {
    vtable[fields[i].number_id + size_t{2}] = static_cast<uint16_t>(reversed_.size() - places[i]);
  }
  PushBytes(vtable.data(), vtable_bytes);
  return table;
}

std::vector<uint8_t> FlatBuffer::Finish(Place root) {
  AlignFor(sizeof(uint32_t), kBufferAlignment);
  PushReference(root);
  std::reverse(reversed_.begin(), reversed_.end());
  return std::move(reversed_);
}

}  // namespace ofindex

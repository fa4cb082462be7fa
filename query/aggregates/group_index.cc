#include "query/aggregates/group_index.h"

#include <bit>

#include "base/checksum.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// The finaliser of MurmurHash3 (Austin Appleby, public domain).
uint64_t Mixed(uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33);
}

// Equal values have equal hashes, also an integer and a real.
uint64_t HashOf(const Chunk::Value& value) {
  constexpr double kLimit = 0x1p63;
  switch (value.type) {
    case Type::kNull: return 1;
    case Type::kInteger: return static_cast<uint64_t>(value.integer);
    case Type::kReal:
      if (value.real >= -kLimit && value.real < kLimit) {
        const auto integer = static_cast<int64_t>(value.real);
        if (static_cast<double>(integer) == value.real) return static_cast<uint64_t>(integer);
      }
      return std::bit_cast<uint64_t>(value.real);
    case Type::kText: return Xxh3(value.bytes);
    case Type::kBlob: return ~Xxh3(value.bytes);
  }
  return 0;
}

}  // namespace

std::pair<uint32_t, bool> GroupIndex::Add(std::span<const Chunk::Value> key) {
  uint64_t hash = 0;
  for (const Chunk::Value& value : key) hash = Mixed(hash ^ HashOf(value)) + 1;
  if (2 * (hashes_.size() + 1) > slots_.size()) Grow();
  const uint64_t mask = slots_.size() - 1;
  uint64_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t group = slots_[slot] - 1;
    if (hashes_[group] == hash && Equals(group, key)) return {group, false};
  }
  const uint32_t added = size();
  for (const Chunk::Value& value : key) Store(value);
  hashes_.push_back(hash);
  slots_[slot] = added + 1;
  return {added, true};
}

Chunk::Value GroupIndex::Key(uint32_t group, size_t i) const {
  const Stored& stored = keys_[group * width_ + i];
  switch (stored.type) {
    case Type::kNull: return {};
    case Type::kInteger: return {.type = stored.type, .integer = static_cast<int64_t>(stored.number)};
    case Type::kReal: return {.type = stored.type, .real = std::bit_cast<double>(stored.number)};
    default: return {.type = stored.type, .bytes = ByteView(bytes_).subspan(stored.number, stored.size)};
  }
}

uint64_t GroupIndex::memory() const {
  return hashes_.capacity() * sizeof(hashes_[0]) + keys_.capacity() * sizeof(keys_[0]) + bytes_.capacity() +
         slots_.capacity() * sizeof(slots_[0]);
}

void GroupIndex::Grow() {
  std::vector<uint32_t> slots(slots_.empty() ? 64 : 2 * slots_.size());
  const uint64_t mask = slots.size() - 1;
  for (uint32_t group = 0; group < size(); ++group) {
    uint64_t slot = hashes_[group] & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = group + 1;
  }
  slots_ = std::move(slots);
}

bool GroupIndex::Equals(uint32_t group, std::span<const Chunk::Value> key) const {
  for (size_t i = 0; i < width_; ++i) {
    if (CompareValues(Key(group, i), key[i]) != 0) return false;
  }
  return true;
}

void GroupIndex::Store(const Chunk::Value& value) {
  Stored stored{.type = value.type, .size = static_cast<uint32_t>(value.bytes.size()), .number = bytes_.size()};
  if (value.type == Type::kInteger) stored.number = static_cast<uint64_t>(value.integer);
  if (value.type == Type::kReal) stored.number = std::bit_cast<uint64_t>(value.real);
  keys_.push_back(stored);
  bytes_.insert(bytes_.end(), value.bytes.begin(), value.bytes.end());
}

}  // namespace ofindex

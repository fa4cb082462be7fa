#include "query/aggregates/group_index.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/checksum.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// How many keys before its turn the data of a key are requested.
constexpr size_t kAhead = 8;

constexpr uint32_t kEmpty = ~uint32_t{0};

uint64_t SlotOf(uint64_t hash, uint32_t group) { return (hash >> 32 << 32) | (group + 1); }

// Returns the group in a slot; kEmpty if there is none.
uint32_t GroupIn(uint64_t slot) { return static_cast<uint32_t>(slot) - 1; }

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

std::vector<uint32_t> GroupIndex::Add(std::span<const Chunk::Value> keys, size_t count) {
  std::vector<uint64_t> hashes(count);
  for (size_t i = 0; i < count; ++i) {
    for (const Chunk::Value& value : keys.subspan(i * width_, width_)) hashes[i] = Mixed(hashes[i] ^ HashOf(value)) + 1;
  }
  Reserve(count);
  const uint64_t mask = slots_.size() - 1;
  std::vector<uint32_t> groups(count);
  for (size_t i = 0; i < count; ++i) {
    if (i + 2 * kAhead < count) __builtin_prefetch(&slots_[hashes[i + 2 * kAhead] & mask]);
    if (i + kAhead < count) {
      const uint32_t group = GroupIn(slots_[hashes[i + kAhead] & mask]);
      if (group != kEmpty) __builtin_prefetch(keys_.data() + group * width_);
    }
    groups[i] = AddOne(keys.subspan(i * width_, width_), hashes[i]);
  }
  return groups;
}

uint32_t GroupIndex::AddOne(std::span<const Chunk::Value> key, uint64_t hash) {
  const uint64_t mask = slots_.size() - 1;
  uint64_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t group = GroupIn(slots_[slot]);
    if ((slots_[slot] ^ hash) >> 32 == 0 && Equals(group, key)) return group;
  }
  const uint32_t added = size();
  for (const Chunk::Value& value : key) Store(value);
  hashes_.push_back(hash);
  slots_[slot] = SlotOf(hash, added);
  return added;
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

// Makes room for `more` groups.
void GroupIndex::Reserve(size_t more) {
  size_t size = std::max<size_t>(64, slots_.size());
  while (size < 2 * (hashes_.size() + more)) size *= 2;
  if (size == slots_.size()) return;
  std::vector<uint64_t> slots(size);
  for (uint32_t group = 0; group < hashes_.size(); ++group) {
    uint64_t slot = hashes_[group] & (size - 1);
    while (slots[slot] != 0) slot = (slot + 1) & (size - 1);
    slots[slot] = SlotOf(hashes_[group], group);
  }
  slots_ = std::move(slots);
}

bool GroupIndex::Equals(uint32_t group, std::span<const Chunk::Value> key) const {
  for (size_t i = 0; i < width_; ++i) {
    const Stored& stored = keys_[group * width_ + i];
    const bool integers = stored.type == Type::kInteger && key[i].type == Type::kInteger;
    if (integers ? stored.number != static_cast<uint64_t>(key[i].integer) : CompareValues(Key(group, i), key[i]) != 0) {
      return false;
    }
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

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <random>
#include <utility>

#include "base/allocation.h"
#include "base/checksum.h"
#include "query/attaching/record_lookup.h"

namespace ofindex {
namespace {

constexpr size_t kProbesAtOnce = 64;  // keys whose slots are fetched into the cache at once
constexpr uint64_t kPlaceBits = 40;
constexpr uint64_t kPlaceMask = (uint64_t{1} << kPlaceBits) - 1;

// Returns the value as a key; nullopt for NULL and reals.
std::optional<TableValue> KeyOf(const Chunk::Value& value) {
  switch (value.type) {
    case ColumnValue::Type::kInteger: return TableValue{FeatureKind::kInt64, static_cast<uint64_t>(value.integer), {}};
    case ColumnValue::Type::kText:
    case ColumnValue::Type::kBlob: return TableValue{FeatureKind::kBytes, 0, value.bytes};
    default: return std::nullopt;
  }
}

/// A hash table of the keys of records, with open addressing. A slot has the place of a record and 24 bits of the hash
/// of its key, so that the key itself is read only if it is very likely the one that is looked for. Records with the
/// same key follow the one in the slot, as a list. The hash has a random seed: nobody can prepare keys that collide.
class HashedKeys final : public RecordLookup {
 public:
  explicit HashedKeys(KeyChunks keys) : keys_(std::move(keys)), seed_(RandomSeed()) {
    for (const auto& chunk : keys_) {
      starts_.push_back(records_);
      records_ += chunk->records();
    }
    slots_.resize(std::bit_ceil(records_ + records_ / 2 + 2));
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
  }

  Result<void> Fill(const Progress& progress) {
    for (uint64_t block = 0; block < keys_.size(); ++block) {
      if (progress.cancel) return Interrupted();
      AddBlock(block);
    }
    return {};
  }

  uint8_t kinds() const override { return kinds_; }

  void Find(std::span<const TableValue> keys, std::span<RecordPlace> found) const override {
    for (size_t i = 0; i < keys.size(); i += kProbesAtOnce) {
      const size_t n = std::min(kProbesAtOnce, keys.size() - i);
      FindGroup(keys.subspan(i, n), found.subspan(i, n));
    }
  }

  RecordPlace Next(RecordPlace record) const override {
    return next_.empty() ? RecordPlace() : RecordPlace{next_[NumberOf(record)]};
  }

  std::string Example() const override {
    for (const auto& chunk : keys_) {
      for (uint32_t r = 0; r < chunk->records(); ++r) {
        if (const auto key = KeyOf(chunk->At(r))) return ShownKey(*key);
      }
    }
    return "";
  }

 private:
  static uint64_t RandomSeed() {
    std::random_device random;
    return uint64_t{random()} << 32 | random();
  }

  [[nodiscard]] uint64_t HashOf(const TableValue& key) const {
    if (key.kind == FeatureKind::kBytes) return Xxh3(key.bytes, seed_);
    std::array<uint8_t, 8> bytes{};
    StoreLe64(bytes.data(), key.bits);
    return Xxh3(bytes, seed_);
  }

  [[nodiscard]] uint64_t NumberOf(RecordPlace place) const { return starts_[place.block()] + place.record(); }
  [[nodiscard]] uint64_t FirstSlot(uint64_t hash) const { return hash >> shift_; }
  [[nodiscard]] static uint64_t TagOf(uint64_t hash) { return hash << kPlaceBits; }  // its low bits

  [[nodiscard]] bool HasKey(RecordPlace place, const TableValue& key) const {
    const std::optional<TableValue> own = KeyOf(keys_[place.block()]->At(place.record()));
    return own && own->kind == key.kind && own->bits == key.bits && AsText(own->bytes) == AsText(key.bytes);
  }

  // A slot holds the place plus one: 0 is an empty slot.
  [[nodiscard]] RecordPlace PlaceIn(uint64_t slot) const {
    return slots_[slot] == 0 ? RecordPlace() : RecordPlace{(slots_[slot] & kPlaceMask) - 1};
  }

  // Returns the slot of the key, or the empty slot in which it would be.
  [[nodiscard]] uint64_t SlotOf(const TableValue& key, uint64_t hash) const {
    uint64_t slot = FirstSlot(hash);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const bool is_alike = ((slots_[slot] ^ TagOf(hash)) & ~kPlaceMask) == 0;
      if (is_alike && HasKey(PlaceIn(slot), key)) break;
    }
    return slot;
  }

  void AddBlock(uint64_t block) {
    const Chunk& chunk = *keys_[block];
    std::array<TableValue, kProbesAtOnce> keys;
    std::array<uint64_t, kProbesAtOnce> hashes;
    std::array<uint32_t, kProbesAtOnce> records;
    for (uint32_t r = 0; r < chunk.records();) {
      size_t n = 0;
      for (; r < chunk.records() && n < kProbesAtOnce; ++r) {
        const std::optional<TableValue> key = KeyOf(chunk.At(r));
        if (!key) continue;
        kinds_ = static_cast<uint8_t>(kinds_ | BitOf(key->kind));
        keys[n] = *key;
        records[n] = r;
        hashes[n] = HashOf(*key);
        __builtin_prefetch(&slots_[FirstSlot(hashes[n++])], 1);
      }
      for (size_t i = 0; i < n; ++i) Insert(RecordPlace::At(block, records[i]), keys[i], hashes[i]);
    }
  }

  void Insert(RecordPlace place, const TableValue& key, uint64_t hash) {
    const uint64_t slot = SlotOf(key, hash);
    const RecordPlace first = PlaceIn(slot);
    if (!first.is_record()) {
      slots_[slot] = TagOf(hash) | (place.packed + 1);
      return;
    }
    if (next_.empty()) next_.resize(records_, RecordPlace().packed);
    next_[NumberOf(place)] = next_[NumberOf(first)];
    next_[NumberOf(first)] = place.packed;
  }

  // Looks up some keys in steps, each of which asks for the memory that the next one reads.
  void FindGroup(std::span<const TableValue> keys, std::span<RecordPlace> found) const {
    std::array<uint64_t, kProbesAtOnce> hashes;
    for (size_t i = 0; i < keys.size(); ++i) {
      hashes[i] = HashOf(keys[i]);
      __builtin_prefetch(&slots_[FirstSlot(hashes[i])]);
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      const RecordPlace likely = PlaceIn(FirstSlot(hashes[i]));
      if (!likely.is_record()) continue;
      const Chunk& chunk = *keys_[likely.block()];
      if (chunk.form() == Chunk::Form::kBytes) __builtin_prefetch(&chunk.strings().number[likely.record()]);
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      found[i] = keys[i].kind == FeatureKind::kNone ? RecordPlace() : PlaceIn(SlotOf(keys[i], hashes[i]));
    }
  }

  KeyChunks keys_;
  std::vector<uint64_t> starts_;  // number of the first record of each block, counted without gaps
  uint64_t records_ = 0;
  uint64_t seed_;
  std::vector<uint64_t> slots_;
  unsigned shift_ = 0;
  std::vector<uint64_t> next_;  // by record; empty while all keys differ
  uint8_t kinds_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordLookup>> LookupByKey(KeyChunks keys, const Progress& progress) {
  return WithMemory("the keys of records", [&]() -> Result<std::unique_ptr<RecordLookup>> {
    auto lookup = std::make_unique<HashedKeys>(std::move(keys));
    OFINDEX_TRY(lookup->Fill(progress));
    return std::unique_ptr<RecordLookup>(std::move(lookup));
  });
}

}  // namespace ofindex

#include "index/chunks/string_pool.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/checksum.h"

namespace ofindex {
namespace {

constexpr uint32_t kMaxProbes = 32;

// After this many values it is decided whether the next ones are searched, and how many bytes are stored without.
constexpr uint32_t kFirstValues = 4096;
constexpr uint64_t kMaxUnsearchedBytes = uint64_t{16} << 20;
constexpr uint32_t kMaxUnsearchedValues = uint32_t{1} << 17;  // short values take more memory than their bytes

// A sort key: the next eight bytes of a value, as a number that sorts like them, and how many bytes the value has from
// there on; 9 stands for more than eight. In the result, `same` tells whether the value equals the one before it.
struct SortKey {
  uint64_t front;
  uint32_t number;
  uint8_t rest;
  bool same = false;

  [[nodiscard]] friend bool operator<(const SortKey& a, const SortKey& b) {
    return a.front != b.front ? a.front < b.front : a.rest < b.rest;
  }
};

SortKey KeyAt(ByteView value, uint32_t number, size_t depth) {
  uint64_t front = 0;
  const size_t rest = value.size() - depth;
  if (rest >= 8) {
    front = __builtin_bswap64(LoadLe64(value.data() + depth));
  } else {
    for (size_t i = 0; i < rest; ++i) front |= uint64_t{value[depth + i]} << (56 - 8 * i);
  }
  return {front, number, static_cast<uint8_t>(std::min<size_t>(rest, 9))};
}

size_t SharedByAll(const StringPool& pool) {
  if (pool.size() == 0) return 0;
  size_t shared = pool[0].size();
  for (uint32_t i = 1; i < pool.size() && shared != 0; ++i) shared = SharedPrefix(pool[0].first(shared), pool[i]);
  return shared;
}

// Keys [begin, end) of values that are longer than `depth` bytes and equal in these bytes.
struct Tied {
  size_t begin;
  size_t end;
  size_t depth;
};

// From this size on, a radix sort is faster than comparing.
constexpr size_t kManyKeys = 1024;

// Sorts by one digit, which is below 256, and keeps the order of equal ones.
template <typename Digit>
void SortByDigit(std::span<const SortKey> from, std::span<SortKey> to, const Digit& digit) {
  std::array<uint32_t, 257> begins{};
  for (const SortKey& key : from) ++begins[digit(key) + 1];
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  for (const SortKey& key : from) to[begins[digit(key)]++] = key;
}

// Sorts many keys by each digit in which they differ: names often differ in few bytes.
void RadixSort(std::span<SortKey> keys, std::vector<SortKey>& spare) {
  uint64_t fronts = 0;
  uint32_t rests = 0;
  for (const SortKey& key : keys) {
    fronts |= key.front ^ keys.front().front;
    rests |= static_cast<uint32_t>(key.rest ^ keys.front().rest);
  }
  spare.resize(keys.size());
  std::span<SortKey> from = keys;
  std::span<SortKey> to = spare;
  const auto sort = [&](const auto& digit) {
    SortByDigit(from, to, digit);
    std::swap(from, to);
  };
  if (rests != 0) sort([](const SortKey& key) { return size_t{key.rest}; });
  for (int shift = 0; shift < 64; shift += 8) {
    if ((fronts >> shift & 0xff) != 0) sort([shift](const SortKey& key) { return key.front >> shift & 0xff; });
  }
  if (from.data() != keys.data()) std::copy(from.begin(), from.end(), keys.begin());
}

void SortRun(std::span<SortKey> keys, std::vector<SortKey>& spare) {
  if (std::is_sorted(keys.begin(), keys.end())) return;  // as file names often are
  if (keys.size() >= kManyKeys) return RadixSort(keys, spare);
  std::sort(keys.begin(), keys.end());
}

// Sorts by eight bytes, then each run of ties by the next eight, and so on. Comparing whole values, which are scattered
// in memory, makes encoding of file names 1.5 times as slow.
std::vector<SortKey> SortedKeys(const StringPool& pool) {
  std::vector<SortKey> keys(pool.size());
  std::vector<SortKey> spare;
  for (uint32_t i = 0; i < pool.size(); ++i) keys[i].number = i;
  std::vector<Tied> todo = {{0, keys.size(), SharedByAll(pool)}};
  while (!todo.empty()) {
    const Tied run = todo.back();
    todo.pop_back();
    const std::span part = std::span(keys).subspan(run.begin, run.end - run.begin);
    for (SortKey& key : part) key = KeyAt(pool[key.number], key.number, run.depth);
    SortRun(part, spare);
    for (size_t begin = run.begin, end = begin; begin < run.end; begin = end) {
      while (end < run.end && !(keys[begin] < keys[end])) ++end;
      if (keys[begin].rest <= 8) {
        for (size_t i = begin + 1; i < end; ++i) keys[i].same = true;
      } else if (end - begin > 1) {
        todo.push_back({begin, end, run.depth + 8});
      }
    }
  }
  return keys;
}

}  // namespace

size_t SharedPrefix(ByteView a, ByteView b) {
  const size_t limit = std::min(a.size(), b.size());
  size_t same = 0;
  for (; Fits(same, 8, limit); same += 8) {
    const uint64_t different = LoadLe64(a.data() + same) ^ LoadLe64(b.data() + same);
    if (different != 0) return same + static_cast<size_t>(std::countr_zero(different)) / 8;
  }
  while (same < limit && a[same] == b[same]) ++same;
  return same;
}

bool StringPool::IsWorthSearching() const {
  return !distinct_ || arena_.size() > kMaxUnsearchedBytes || size() > kMaxUnsearchedValues;
}

uint32_t StringPool::Append(ByteView value, uint64_t hash) {
  arena_.insert(arena_.end(), value.begin(), value.end());
  ends_.push_back(arena_.size());
  hashes_.push_back(hash);
  return size() - 1;
}

uint32_t StringPool::Add(ByteView value) {
  const uint64_t hash = Xxh3(value);
  if (!IsWorthSearching()) return Append(value, hash);
  if (added_ < kFirstValues && ++added_ == kFirstValues) distinct_ = size() > kFirstValues - kFirstValues / 8;
  while (2 * (ends_.size() + 1) > slots_.size()) Grow();
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (uint32_t probe = 0; probe < kMaxProbes && slots_[slot] != 0; ++probe, slot = (slot + 1) & mask) {
    const uint32_t number = slots_[slot] - 1;
    if (hashes_[number] == hash && AsText((*this)[number]) == AsText(value)) return number;
  }
  if (slots_[slot] == 0) slots_[slot] = size() + 1;
  return Append(value, hash);
}

void StringPool::Grow() {
  slots_.assign(std::max<size_t>(64, 2 * slots_.size()), 0);
  const size_t mask = slots_.size() - 1;
  for (uint32_t number = 0; number < size(); ++number) {
    size_t slot = hashes_[number] & mask;
    for (uint32_t probe = 0; probe < kMaxProbes && slots_[slot] != 0; ++probe) slot = (slot + 1) & mask;
    if (slots_[slot] == 0) slots_[slot] = number + 1;
  }
}

uint64_t StringPool::memory() const {
  return arena_.capacity() + (ends_.capacity() + hashes_.capacity()) * sizeof(uint64_t) +
         slots_.capacity() * sizeof(uint32_t);
}

void StringPool::Clear() {
  arena_.clear();
  ends_.clear();
  hashes_.clear();
  added_ = 0;
  distinct_ = false;
  slots_.clear();  // what is found must not depend on the size that the values before needed
}

SortedStrings::SortedStrings(const StringPool& pool) : number_of(pool.size()) {
  for (const SortKey& key : SortedKeys(pool)) {
    if (!key.same) values.push_back(pool[key.number]);
    number_of[key.number] = static_cast<uint32_t>(values.size() - 1);
  }
}

}  // namespace ofindex

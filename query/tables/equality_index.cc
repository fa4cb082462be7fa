#include "query/tables/equality_index.h"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "query/columns/column_affinity.h"
#include "query/columns/value_order.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// Each type of key has its own hashes.
enum class Sort : uint64_t { kInteger = 1, kReal, kBytes, kApproximate, kOdd };

// The finalizer of splitmix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014).
uint64_t Hash(Sort sort, uint64_t key) {
  uint64_t hash = key + static_cast<uint64_t>(sort) * 0x9e3779b97f4a7c15U;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebU;
  return hash ^ hash >> 31;
}

uint64_t HashOfInteger(int64_t integer) { return Hash(Sort::kInteger, static_cast<uint64_t>(integer)); }

uint64_t HashOfBytes(ByteView bytes) { return Hash(Sort::kBytes, std::hash<std::string_view>()(AsText(bytes))); }

// Equal numbers have equal hashes, whatever their type.
uint64_t HashOfReal(double real) {
  const bool integral = real >= -0x1p63 && real < 0x1p63 && std::floor(real) == real;
  return integral ? HashOfInteger(static_cast<int64_t>(real)) : Hash(Sort::kReal, std::bit_cast<uint64_t>(real));
}

// SQLite's conversion of a text to a real may be off by some units in the last place, which are cut off here.
uint64_t HashOfApproximate(uint64_t bits) { return Hash(Sort::kApproximate, bits >> 12); }
constexpr uint64_t kUnitsOff = 64;

// SQLite rounds up the size of an allocation by less than this.
constexpr uint64_t kRoundedUp = 16;

// The sort and the hash by which a text that may be a number is found as that number.
struct TextNumber {
  Sort sort = Sort::kOdd;
  uint64_t hash = Hash(Sort::kOdd, 0);
};

TextNumber NumberIn(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
  text = text.substr(0, text.find_last_not_of(" \t\n\v\f\r") + 1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  int64_t integer = 0;
  if (const auto read = std::from_chars(text.data(), end, integer); read.ec == std::errc() && read.ptr == end) {
    return {Sort::kInteger, HashOfInteger(integer)};
  }
  double real = 0;
  if (std::from_chars(text.data(), end, real).ec != std::errc()) return {};
  return {Sort::kApproximate, HashOfApproximate(std::bit_cast<uint64_t>(real + 0.0))};
}

// Asks before allocating: SQLite ends the statement whose allocation it refuses.
std::unique_ptr<uint32_t[], void (*)(void*)> Allocate(uint64_t count, const WorkLimits& limits) {
  const uint64_t bytes = count * sizeof(uint32_t);
  const bool room = limits.HasRoom(bytes + kRoundedUp);
  return {room ? static_cast<uint32_t*>(sqlite3_malloc64(bytes)) : nullptr, sqlite3_free};
}

// A sum over rows and their buckets that does not depend on their order.
uint64_t Stamp(uint64_t row, uint64_t bucket) { return Hash(Sort::kOdd, row << 32 ^ bucket); }

}  // namespace

Result<std::optional<EqualityIndex>> EqualityIndex::Build(uint64_t rows, const WorkLimits& limits,
                                                          const std::function<Result<void>(const Take&)>& visit) {
  constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max() / 2;  // a row may be in two places
  if (rows > kMax) return std::nullopt;
  const uint64_t buckets = std::bit_ceil(rows + 1);
  if (!limits.HasRoom((buckets + rows) * sizeof(uint32_t))) return std::nullopt;  // do not visit in vain
  EqualityIndex index(Allocate(buckets, limits), {nullptr, sqlite3_free}, buckets - 1);
  if (index.ends_ == nullptr) return std::nullopt;
  uint32_t* const ends = index.ends_.get();
  const auto each = [&](const auto& put) {
    return visit([&](uint64_t row, const Chunk::Value& value) {
      switch (value.type) {
        case Type::kNull: return;
        case Type::kInteger: return put(row, HashOfInteger(value.integer) & index.mask_);
        case Type::kReal: return put(row, HashOfReal(value.real) & index.mask_);
        case Type::kText:
          if (MayBeNumber(AsText(value.bytes))) {
            const TextNumber number = NumberIn(AsText(value.bytes));
            index.approximate_ |= number.sort == Sort::kApproximate;
            index.odd_ |= number.sort == Sort::kOdd;
            put(row, number.hash & index.mask_);
          }
          [[fallthrough]];
        case Type::kBlob: return put(row, HashOfBytes(value.bytes) & index.mask_);
      }
    });
  };
  // First counts the rows of each bucket, then sums the counts, then stores the rows: each row moves the write position
  // of its bucket forward, from the start of the bucket to its end.
  std::fill(ends, ends + buckets, 0U);
  uint64_t stamp = 0;
  OFINDEX_TRY(each([&](uint64_t row, uint64_t bucket) {
    ++ends[bucket];
    stamp += Stamp(row, bucket);
  }));
  uint32_t sum = 0;
  for (uint64_t b = 0; b < buckets; ++b) sum += std::exchange(ends[b], sum);
  index.rows_ = Allocate(uint64_t{sum} + 1, limits);
  if (index.rows_ == nullptr) return std::nullopt;
  OFINDEX_TRY(each([&](uint64_t row, uint64_t bucket) {
    stamp -= Stamp(row, bucket);
    if (ends[bucket] < sum) index.rows_[ends[bucket]++] = static_cast<uint32_t>(row);
  }));
  if (stamp != 0) return Fail(ErrorCode::kStale, "the values of a column changed while they were read");
  return index;
}

AscendingRows EqualityIndex::Find(std::span<const ColumnValue> values) const {
  std::vector<uint64_t> buckets;
  const auto add = [&](uint64_t hash) { buckets.push_back(hash & mask_); };
  for (const ColumnValue& value : values) {
    if (value.type == Type::kNull) continue;
    if (!IsNumber(value.type)) {
      add(HashOfBytes(AsBytes(value.bytes)));
      continue;
    }
    const bool integer = value.type == Type::kInteger;
    add(integer ? HashOfInteger(value.integer) : HashOfReal(value.real));
    const auto bits = std::bit_cast<uint64_t>((integer ? static_cast<double>(value.integer) : value.real) + 0.0);
    for (const uint64_t near : {bits - kUnitsOff, bits, bits + kUnitsOff}) {
      if (approximate_) add(HashOfApproximate(near));
    }
    if (odd_) add(Hash(Sort::kOdd, 0));
  }
  std::sort(buckets.begin(), buckets.end());
  buckets.erase(std::unique(buckets.begin(), buckets.end()), buckets.end());
  AscendingRows found;
  for (const uint64_t bucket : buckets) {
    const uint32_t begin = bucket == 0 ? 0 : ends_[bucket - 1];
    found.Add(std::span<const uint32_t>(rows_.get() + begin, ends_[bucket] - begin));
  }
  return found;
}

}  // namespace ofindex

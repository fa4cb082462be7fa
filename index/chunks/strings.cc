#include "index/chunks/strings.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "index/chunks/integers.h"
#include "index/chunks/sections/section.h"
#include "index/chunks/string_pool.h"

namespace ofindex {
namespace {

// Writes the dictionary: for each value the length of the prefix shared with the previous one, the length of the rest,
// and the rest.
void WriteDictionary(std::span<const ByteView> sorted, ChunkWriter& out) {
  std::vector<uint32_t> shared;
  std::vector<uint32_t> rest;
  std::vector<uint8_t> bytes;
  ByteView before;
  for (ByteView value : sorted) {
    const size_t same = SharedPrefix(before, value);
    shared.push_back(static_cast<uint32_t>(same));
    rest.push_back(static_cast<uint32_t>(value.size() - same));
    bytes.insert(bytes.end(), value.begin() + static_cast<ptrdiff_t>(same), value.end());
    out.Cost(value.size() + sizeof(uint32_t));
    before = value;
  }
  WriteIntegers(shared, out);
  WriteIntegers(rest, out);
  WriteSection(bytes, out);
}

// Reads `count` sizes and adds them to `sum`, which is limited to what a chunk may hold.
Result<std::vector<uint32_t>> ReadSizes(ChunkReader& in, uint64_t count, uint64_t& sum) {
  OFINDEX_ASSIGN(const Chunk::Integers integers, ReadIntegers(in, count));
  std::vector<uint32_t> sizes;
  sizes.reserve(count);
  uint64_t largest = 0;
  ForEachInteger(integers, [&](int64_t size) {
    largest = std::max(largest, static_cast<uint64_t>(size));
    sum += static_cast<uint32_t>(size);
    sizes.push_back(static_cast<uint32_t>(size));
  });
  if (largest > kMaxChunkBytes || sum > kMaxChunkBytes) return in.Damaged("values are larger than a chunk may be");
  return sizes;
}

Result<void> ReadDictionary(ChunkReader& in, uint64_t count, Chunk::Strings& strings) {
  uint64_t sum = 0;
  OFINDEX_ASSIGN(const std::vector<uint32_t> shared, ReadSizes(in, count, sum));
  const uint64_t shared_sum = sum;
  OFINDEX_ASSIGN(const std::vector<uint32_t> rest, ReadSizes(in, count, sum));
  OFINDEX_TRY(in.Afford(sum));
  OFINDEX_ASSIGN(const Section section, Section::Read(in, sum - shared_sum));
  strings.bytes.resize(sum);
  strings.ends.resize(count);
  const uint8_t* from = section.bytes().data();
  uint8_t* to = strings.bytes.data();
  ByteView before;
  for (size_t i = 0; i < count; ++i) {
    if (shared[i] > before.size()) return in.Damaged("a shared prefix is longer than the previous value");
    std::copy_n(before.data(), shared[i], to);
    std::copy_n(from, rest[i], to + shared[i]);
    const ByteView value(to, size_t{shared[i]} + rest[i]);
    if (i != 0 && AsText(before) >= AsText(value)) return in.Damaged("the values are not in ascending order");
    from += rest[i];
    to += value.size();
    strings.ends[i] = static_cast<uint32_t>(to - strings.bytes.data());
    before = value;
  }
  return {};
}

Result<std::vector<uint32_t>> ReadNumbers(ChunkReader& in, uint64_t count, uint64_t distinct) {
  OFINDEX_ASSIGN(const Chunk::Integers integers, ReadIntegers(in, count));
  std::vector<uint32_t> numbers(count);
  uint64_t largest = 0;
  uint32_t* to = numbers.data();
  ForEachInteger(integers, [&](int64_t number) {
    largest = std::max(largest, static_cast<uint64_t>(number));
    *to++ = static_cast<uint32_t>(number);
  });
  if (largest >= distinct) return in.Damaged("a number is not in the dictionary");
  return numbers;
}

}  // namespace

void WriteStrings(std::span<const ByteView> sorted, std::span<const uint32_t> numbers, ChunkWriter& out) {
  if (numbers.empty()) return;
  out.Byte(static_cast<uint8_t>(BytesEncoding::kDictionary));
  out.Varint(sorted.size());
  WriteDictionary(sorted, out);
  out.Cost(numbers.size() * sizeof(uint32_t));
  WriteIntegers(numbers, out);
}

Result<Chunk::Strings> ReadStrings(ChunkReader& in, uint64_t count) {
  Chunk::Strings strings;
  if (count == 0) return strings;
  OFINDEX_ASSIGN(const uint8_t encoding, in.Byte());
  if (static_cast<BytesEncoding>(encoding) != BytesEncoding::kDictionary) return in.Unknown("bytes encoding", encoding);
  OFINDEX_ASSIGN(const uint64_t distinct, in.Varint());
  if (distinct == 0 || distinct > count) return in.Damaged("a dictionary of more values than are used");
  OFINDEX_TRY(in.Afford(distinct, sizeof(uint32_t)));
  OFINDEX_TRY(ReadDictionary(in, distinct, strings));
  OFINDEX_TRY(in.Afford(count, sizeof(uint32_t)));
  OFINDEX_ASSIGN(strings.number, ReadNumbers(in, count, distinct));
  return strings;
}

}  // namespace ofindex

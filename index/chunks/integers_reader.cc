#include <algorithm>
#include <vector>

#include "index/chunks/integers.h"
#include "index/chunks/sections/bits.h"
#include "index/chunks/sections/frames.h"
#include "index/chunks/sections/section.h"

namespace ofindex {
namespace {

using Offsets = decltype(Chunk::Integers::offsets);

template <typename T>
Result<std::vector<T>> ReadPacked(ChunkReader& in, uint32_t width, uint64_t count) {
  OFINDEX_ASSIGN(const Section fields, Section::Read(in, BitsBytes(count, width)));
  std::vector<T> values(count);
  UnpackBits<T>(fields.bytes(), width, values);
  return values;
}

template <typename T>
Result<std::vector<T>> ReadDeltas(ChunkReader& in, uint64_t count) {
  std::vector<T> values(count);
  OFINDEX_ASSIGN(const uint64_t first, in.Varint());
  values[0] = static_cast<T>(first);
  OFINDEX_TRY(ReadFrames(in, std::span(values).subspan(1)));
  T sum = 0;
  for (T& value : values) value = sum = static_cast<T>(sum + value);
  return values;
}

template <typename T>
Result<Offsets> ReadOffsets(ChunkReader& in, IntegerEncoding encoding, uint64_t range, uint64_t count) {
  if (encoding == IntegerEncoding::kPacked) return ReadPacked<T>(in, Width(range), count);
  if (encoding == IntegerEncoding::kDeltas) return ReadDeltas<T>(in, count);
  std::vector<T> values(count);
  OFINDEX_TRY(ReadFrames(in, std::span(values)));
  return values;
}

// Reads a stream in any encoding except a dictionary, which consists of such streams. count > 0.
Result<Chunk::Integers> ReadDirect(ChunkReader& in, uint8_t number, uint64_t count) {
  const auto encoding = static_cast<IntegerEncoding>(number);
  if (encoding >= IntegerEncoding::kDictionary) return in.Unknown("integer encoding", number);
  Chunk::Integers integers;
  OFINDEX_TRY(in.Afford(count, kIntegerCost));
  OFINDEX_ASSIGN(integers.base, in.Signed());
  if (encoding == IntegerEncoding::kConstant) {
    integers.offsets = std::vector<uint8_t>(count);
    return integers;
  }
  OFINDEX_ASSIGN(const uint64_t range, in.Varint());
  switch (OffsetBits(range)) {
    case 8: {
      OFINDEX_ASSIGN(integers.offsets, ReadOffsets<uint8_t>(in, encoding, range, count));
      break;
    }
    case 16: {
      OFINDEX_ASSIGN(integers.offsets, ReadOffsets<uint16_t>(in, encoding, range, count));
      break;
    }
    case 32: {
      OFINDEX_ASSIGN(integers.offsets, ReadOffsets<uint32_t>(in, encoding, range, count));
      break;
    }
    default: {
      OFINDEX_ASSIGN(integers.offsets, ReadOffsets<uint64_t>(in, encoding, range, count));
      break;
    }
  }
  return integers;
}

template <typename Number, typename T>
Result<Offsets> LookUp(ChunkReader& in, const std::vector<T>& distinct, uint64_t count) {
  OFINDEX_ASSIGN(const std::vector<Number> numbers, ReadPacked<Number>(in, Width(distinct.size() - 1), count));
  if (*std::max_element(numbers.begin(), numbers.end()) >= distinct.size())
    return in.Damaged("a number is not in the dictionary");
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = distinct[numbers[i]];
  return values;
}

Result<Chunk::Integers> ReadDictionary(ChunkReader& in, uint64_t count) {
  OFINDEX_ASSIGN(const uint64_t size, in.Varint());
  if (size == 0 || size > count) return in.Damaged("a dictionary of more values than are used");
  OFINDEX_TRY(in.Afford(count, kIntegerCost));
  OFINDEX_ASSIGN(const uint8_t encoding, in.Byte());
  OFINDEX_ASSIGN(const Chunk::Integers distinct, ReadDirect(in, encoding, size));
  Chunk::Integers integers{.base = distinct.base, .offsets = {}};
  const auto look_up = [&](const auto& values) {
    if (size <= 1U << 8) return LookUp<uint8_t>(in, values, count);
    return size <= 1U << 16 ? LookUp<uint16_t>(in, values, count) : LookUp<uint32_t>(in, values, count);
  };
  OFINDEX_ASSIGN(integers.offsets, std::visit(look_up, distinct.offsets));
  return integers;
}

}  // namespace

Result<Chunk::Integers> ReadIntegers(ChunkReader& in, uint64_t count) {
  if (count == 0) return Chunk::Integers{};
  OFINDEX_ASSIGN(const uint8_t encoding, in.Byte());
  if (static_cast<IntegerEncoding>(encoding) == IntegerEncoding::kDictionary) return ReadDictionary(in, count);
  return ReadDirect(in, encoding, count);
}

}  // namespace ofindex

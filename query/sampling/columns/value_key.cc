#include "query/sampling/columns/value_key.h"

#include <array>
#include <bit>

#include "base/bytes.h"
#include "base/checksum.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

enum Class : uint64_t { kNull = 0, kInteger = 1, kReal = 2, kText = 3, kBlob = 4 };

uint64_t NumberKey(uint64_t bits, Class of) {
  std::array<uint8_t, 8> bytes;
  StoreLe64(bytes.data(), bits);
  return SampleKey(Xxh3(bytes), of);
}

uint64_t RealKey(double real) {
  constexpr double kPower63 = 9223372036854775808.0;
  if (real >= -kPower63 && real < kPower63) {
    const auto integer = static_cast<int64_t>(real);
    if (static_cast<double>(integer) == real) return NumberKey(static_cast<uint64_t>(integer), kInteger);
  }
  return NumberKey(std::bit_cast<uint64_t>(real), kReal);
}

}  // namespace

uint64_t ValueKey(const Chunk::Value& value) {
  switch (value.type) {
    case Type::kNull: break;
    case Type::kInteger: return NumberKey(static_cast<uint64_t>(value.integer), kInteger);
    case Type::kReal: return RealKey(value.real);
    case Type::kText: return SampleKey(Xxh3(value.bytes), kText);
    case Type::kBlob: return SampleKey(Xxh3(value.bytes), kBlob);
  }
  return SampleKey(0, kNull);
}

}  // namespace ofindex

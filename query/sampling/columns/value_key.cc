#include "query/sampling/columns/value_key.h"

#include <array>
#include <bit>

#include "base/bytes.h"
#include "base/checksum.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

constexpr uint64_t kNullClass = 0;
constexpr uint64_t kIntegerClass = 1;
constexpr uint64_t kRealClass = 2;
constexpr uint64_t kTextClass = 3;
constexpr uint64_t kBlobClass = 4;

uint64_t NumberKey(uint64_t bits, uint64_t of) {
  std::array<uint8_t, 8> bytes;
  StoreLe64(bytes.data(), bits);
  return SampleKey(Xxh3(bytes), of);
}

uint64_t RealKey(double real) {
  constexpr double kPower63 = 9223372036854775808.0;
  if (real >= -kPower63 && real < kPower63) {
    const auto integer = static_cast<int64_t>(real);
    if (static_cast<double>(integer) == real) return NumberKey(static_cast<uint64_t>(integer), kIntegerClass);
  }
  return NumberKey(std::bit_cast<uint64_t>(real), kRealClass);
}

}  // namespace

uint64_t ValueKey(const Chunk::Value& value) {
  switch (value.type) {
    case Type::kNull: break;
    case Type::kInteger: return NumberKey(static_cast<uint64_t>(value.integer), kIntegerClass);
    case Type::kReal: return RealKey(value.real);
    case Type::kText: return SampleKey(Xxh3(value.bytes), kTextClass);
    case Type::kBlob: return SampleKey(Xxh3(value.bytes), kBlobClass);
  }
  return SampleKey(0, kNullClass);
}

}  // namespace ofindex

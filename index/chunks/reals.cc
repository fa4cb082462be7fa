#include "index/chunks/reals.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "index/chunks/integers.h"

namespace ofindex {
namespace {

template <typename Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;

// Returns true if `value` survives a round trip through int64 bit for bit; -0.0 and non-finite values do not.
template <typename Real>
bool IsInteger(Real value) {
  constexpr Real kMax = Real{9007199254740992};  // 2^53: larger integers are no likelier than any other number
  if (!(value >= -kMax && value <= kMax)) return false;
  return std::bit_cast<BitsOf<Real>>(static_cast<Real>(static_cast<int64_t>(value))) ==
         std::bit_cast<BitsOf<Real>>(value);
}

bool IsFloat(double value) {
  return std::bit_cast<uint64_t>(static_cast<double>(static_cast<float>(value))) == std::bit_cast<uint64_t>(value);
}

template <typename Stored, typename Real, typename ToInteger>
void WriteAs(RealEncoding encoding, std::span<const Real> values, const ToInteger& to_integer, ChunkWriter& out) {
  std::vector<Stored> integers(values.size());
  std::transform(values.begin(), values.end(), integers.begin(), to_integer);
  out.Byte(static_cast<uint8_t>(encoding));
  out.Cost(values.size() * sizeof(Real));
  WriteIntegers(std::span<const Stored>(integers), out);
}

// As function objects, so that the loop over the values contains them.
constexpr auto kAsInteger = [](auto real) { return static_cast<int64_t>(real); };
constexpr auto kFloatBits = [](auto real) { return std::bit_cast<uint32_t>(static_cast<float>(real)); };
constexpr auto kDoubleBits = [](double real) { return std::bit_cast<int64_t>(real); };

template <typename Real>
Result<std::vector<Real>> ReadReals(ChunkReader& in, uint64_t count) {
  if (count == 0) return std::vector<Real>();
  OFINDEX_ASSIGN(const uint8_t number, in.Byte());
  const auto encoding = static_cast<RealEncoding>(number);
  const bool narrow = encoding == RealEncoding::kNarrow && sizeof(Real) == sizeof(double);
  if (encoding != RealEncoding::kBits && encoding != RealEncoding::kIntegers && !narrow)
    return in.Unknown("encoding of reals", number);
  OFINDEX_TRY(in.Afford(count, sizeof(Real)));
  OFINDEX_ASSIGN(const Chunk::Integers integers, ReadIntegers(in, count));
  std::vector<Real> values(count);
  const auto fill = [&](auto&& real) {
    Real* to = values.data();
    ForEachInteger(integers, [&](int64_t integer) { *to++ = real(integer); });
  };
  if (encoding == RealEncoding::kIntegers) fill([](int64_t integer) { return static_cast<Real>(integer); });
  if (encoding == RealEncoding::kBits)
    fill([](int64_t bits) { return std::bit_cast<Real>(static_cast<BitsOf<Real>>(bits)); });
  if (narrow) fill([](int64_t bits) { return static_cast<Real>(std::bit_cast<float>(static_cast<uint32_t>(bits))); });
  return values;
}

}  // namespace

void WriteFloats(std::span<const float> values, ChunkWriter& out) {
  if (values.empty()) return;
  if (std::all_of(values.begin(), values.end(), IsInteger<float>))
    return WriteAs<int64_t>(RealEncoding::kIntegers, values, kAsInteger, out);
  WriteAs<uint32_t>(RealEncoding::kBits, values, kFloatBits, out);
}

void WriteDoubles(std::span<const double> values, ChunkWriter& out) {
  if (values.empty()) return;
  if (std::all_of(values.begin(), values.end(), IsInteger<double>))
    return WriteAs<int64_t>(RealEncoding::kIntegers, values, kAsInteger, out);
  if (std::all_of(values.begin(), values.end(), IsFloat))
    return WriteAs<uint32_t>(RealEncoding::kNarrow, values, kFloatBits, out);
  WriteAs<int64_t>(RealEncoding::kBits, values, kDoubleBits, out);
}

Result<std::vector<float>> ReadFloats(ChunkReader& in, uint64_t count) { return ReadReals<float>(in, count); }
Result<std::vector<double>> ReadDoubles(ChunkReader& in, uint64_t count) { return ReadReals<double>(in, count); }

}  // namespace ofindex

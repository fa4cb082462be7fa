#include "index/chunks/sections/bits.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace ofindex {
namespace {

// A group is eight fields: it starts and ends at a byte boundary and is `width` bytes long.
constexpr size_t kGroup = 8;

// Maximum number of bytes that are read, counted from the first byte of a field.
constexpr uint64_t kReach = 9;

// Reads whole groups; kReach bytes must be readable from the first byte of the last field. All shifts are constants,
// which is several times as fast as a loop with a variable width.
template <typename T, uint32_t kWidth>
void UnpackGroups(const uint8_t* bits, size_t groups, T* out) {
  constexpr uint64_t kMask = kWidth == 64 ? ~uint64_t{0} : (uint64_t{1} << kWidth) - 1;
  for (size_t g = 0; g < groups; ++g, bits += kWidth, out += kGroup) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kGroup; ++j) {
      const uint32_t byte = j * kWidth / 8;
      const uint32_t shift = j * kWidth % 8;
      uint64_t field = LoadLe64(bits + byte) >> shift;
      if (shift + kWidth > 64) field |= uint64_t{bits[byte + 8]} << ((64 - shift) % 64);
      out[j] = static_cast<T>(field & kMask);
    }
  }
}

template <typename T>
using Unpack = void (*)(const uint8_t*, size_t, T*);

template <typename T, size_t... kWidths>
constexpr std::array<Unpack<T>, sizeof...(kWidths)> UnpackTable(std::index_sequence<kWidths...>) {
  return {UnpackGroups<T, kWidths>...};
}

// Writes whole groups; eight bytes past the last one must be writable.
template <typename T, uint32_t kWidth>
void PackGroups(const T* values, size_t groups, uint8_t* out) {
  constexpr uint64_t kMask = kWidth == 64 ? ~uint64_t{0} : (uint64_t{1} << kWidth) - 1;
  for (size_t g = 0; g < groups; ++g, values += kGroup, out += kWidth) {
    uint8_t* to = out;
    uint64_t word = 0;
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kGroup; ++j) {
      const uint64_t field = values[j] & kMask;
      const uint32_t shift = j * kWidth % 64;
      word |= field << shift;
      if (shift + kWidth < 64) continue;
      StoreLe64(to, word);
      to += 8;
      word = shift == 0 ? 0 : field >> ((64 - shift) % 64);
    }
    StoreLe64(to, word);
  }
}

template <typename T>
using Pack = void (*)(const T*, size_t, uint8_t*);

template <typename T, size_t... kWidths>
constexpr std::array<Pack<T>, sizeof...(kWidths)> PackTable(std::index_sequence<kWidths...>) {
  return {PackGroups<T, kWidths>...};
}

}  // namespace

template <typename T>
void PackBits(std::span<const T> values, uint32_t width, std::vector<uint8_t>& out) {
  static constexpr auto kTable = PackTable<T>(std::make_index_sequence<8 * sizeof(T) + 1>());
  assert(width <= 8 * sizeof(T));
  if (width == 0) return;
  const Pack<T> pack = kTable[width];
  const size_t begin = out.size();
  const size_t size = BitsBytes(values.size(), width);
  const size_t whole = values.size() / kGroup;
  out.resize(begin + size + 8);
  pack(values.data(), whole, out.data() + begin);
  std::array<T, kGroup> rest{};
  std::array<uint8_t, 72> packed{};
  std::copy(values.begin() + static_cast<ptrdiff_t>(whole * kGroup), values.end(), rest.begin());
  pack(rest.data(), 1, packed.data());
  std::copy_n(packed.begin(), size - whole * width, out.begin() + static_cast<ptrdiff_t>(begin + whole * width));
  out.resize(begin + size);
}

template void PackBits(std::span<const uint32_t>, uint32_t, std::vector<uint8_t>&);
template void PackBits(std::span<const uint64_t>, uint32_t, std::vector<uint8_t>&);

template <typename T>
void UnpackBits(ByteView bits, uint32_t width, std::span<T> out) {
  static constexpr auto kTable = UnpackTable<T>(std::make_index_sequence<8 * sizeof(T) + 1>());
  assert(width <= 8 * sizeof(T) && bits.size() == BitsBytes(out.size(), width));
  if (width == 0) return std::fill(out.begin(), out.end(), T{0});
  const Unpack<T> unpack = kTable[width];
  // A group reads up to kReach bytes past its end, so the last ones are read from a padded copy.
  const size_t whole = bits.size() < kReach ? 0 : std::min(out.size() / kGroup, (bits.size() - kReach) / width);
  unpack(bits.data(), whole, out.data());
  std::array<uint8_t, 160> rest{};
  std::array<T, 128> fields;
  const size_t left = out.size() - whole * kGroup;
  std::copy(bits.begin() + static_cast<ptrdiff_t>(whole * width), bits.end(), rest.begin());
  unpack(rest.data(), (left + kGroup - 1) / kGroup, fields.data());
  std::copy_n(fields.begin(), left, out.end() - static_cast<ptrdiff_t>(left));
}

template void UnpackBits(ByteView, uint32_t, std::span<uint8_t>);
template void UnpackBits(ByteView, uint32_t, std::span<uint16_t>);
template void UnpackBits(ByteView, uint32_t, std::span<uint32_t>);
template void UnpackBits(ByteView, uint32_t, std::span<uint64_t>);

}  // namespace ofindex

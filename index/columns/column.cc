#include "index/columns/column.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighBits = kOnes << 7;

// Returns a bit that is set if one of the eight bytes is NUL or above 0x7f: subtracting 1 from each borrows into the
// high bit of a zero.
uint64_t SpecialBits(uint64_t word) { return ((word - kOnes) | word) & kHighBits; }

}  // namespace

std::optional<ColumnRole> ParseColumnRole(std::string_view name) {
  for (const ColumnRole role : {ColumnRole::kValue, ColumnRole::kCount, ColumnRole::kSize, ColumnRole::kList}) {
    if (name == Name(role)) return role;
  }
  return std::nullopt;
}

bool IsPlainText(ByteView bytes) {
  uint64_t special = 0;
  size_t at = 0;
  for (; Fits(at, 8, bytes.size()); at += 8) special |= SpecialBits(LoadLe64(bytes.data() + at));
  return special == 0 && std::all_of(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.end(),
                                     [](uint8_t byte) { return byte != 0 && byte < 0x80; });
}

bool IsText(ByteView bytes) {
  // Nearly all text is ASCII: check eight bytes at a time up to the first other byte.
  size_t plain = 0;
  while (Fits(plain, 8, bytes.size()) && SpecialBits(LoadLe64(bytes.data() + plain)) == 0) plain += 8;
  const ByteView rest = bytes.subspan(plain);
  return std::find(rest.begin(), rest.end(), uint8_t{0}) == rest.end() && IsUtf8(AsText(rest));
}

}  // namespace ofindex

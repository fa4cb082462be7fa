#include "index/columns/column.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighBits = kOnes << 7;

// Returns true if one of the eight bytes is NUL or above 0x7f: subtracting 1 from each borrows into the high bit of a
// zero.
bool HasSpecial(uint64_t word) { return (((word - kOnes) | word) & kHighBits) != 0; }

}  // namespace

bool IsText(ByteView bytes) {
  // Nearly all text is ASCII: check eight bytes at a time up to the first other byte.
  size_t plain = 0;
  while (Fits(plain, 8, bytes.size()) && !HasSpecial(LoadLe64(bytes.data() + plain))) plain += 8;
  const ByteView rest = bytes.subspan(plain);
  return std::find(rest.begin(), rest.end(), uint8_t{0}) == rest.end() && IsUtf8(AsText(rest));
}

}  // namespace ofindex

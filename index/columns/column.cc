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
  for (uint8_t number = 0; number <= static_cast<uint8_t>(kLastRole); ++number) {
    const auto role = static_cast<ColumnRole>(number);
    if (name == Name(role)) return role;
  }
  return std::nullopt;
}

std::string_view Describe(ColumnRole role) {
  switch (role) {
    case ColumnRole::kValue:
    case ColumnRole::kList: return "";
    case ColumnRole::kCount: return "number of values";
    case ColumnRole::kSize: return "size in bytes";
    case ColumnRole::kWidth: return "width of the image";
    case ColumnRole::kHeight: return "height of the image";
    case ColumnRole::kChannels: return "channels of the image";
    case ColumnRole::kFormat: return "format of the image";
    case ColumnRole::kHash: return "hash of the bytes";
    case ColumnRole::kLength: return "length in bytes";
  }
  return "";
}

std::vector<std::string> ColumnNamesOf(const FeatureRow& row) {
  std::vector<std::string> names;
  for (const std::string* name : {&row.sql_value, &row.sql_size, &row.sql_count}) {
    if (!name->empty()) names.push_back(*name);
  }
  for (const DerivedColumn& column : row.derived) names.push_back(column.name);
  return names;
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

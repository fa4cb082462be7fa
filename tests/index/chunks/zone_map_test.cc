#include "index/chunks/zone_map.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace ofindex {
namespace {

using ZoneType = ColumnValue::Type;

ZoneMap OfTexts(const std::vector<std::string_view>& sorted, bool all_text) {
  std::vector<ByteView> values;
  for (const std::string_view text : sorted) values.push_back(AsBytes(text));
  ZoneMap zones;
  zones.AddSorted(values, all_text);
  return zones;
}

TEST_CASE("a zone map has the least and the greatest of all integers, whatever their order") {
  ZoneMap zones;
  CHECK(zones.min().type == ZoneType::kNull);
  CHECK(zones.max().type == ZoneType::kNull);
  zones.AddIntegers(std::vector<int64_t>{5, -3, 9});
  zones.AddIntegers(std::vector<int64_t>{4, 6});
  zones.AddIntegers({});
  CHECK(zones.min() == ColumnValue{.type = ZoneType::kInteger, .integer = -3});
  CHECK(zones.max() == ColumnValue{.type = ZoneType::kInteger, .integer = 9});
}

TEST_CASE("NaN is counted, and is in no zone map; reals and integers are compared by value") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  ZoneMap zones;
  CHECK(zones.AddReals(std::vector<double>{kNan, kNan}) == 2);
  CHECK(zones.min().type == ZoneType::kNull);
  CHECK(zones.AddReals(std::vector<double>{2.5, kNan, -0.5}) == 1);
  CHECK(zones.AddReals(std::vector<float>{1.5F}) == 0);
  zones.AddIntegers(std::vector<int64_t>{0, 3});
  CHECK(zones.min() == ColumnValue{.type = ZoneType::kReal, .real = -0.5});
  CHECK(zones.max() == ColumnValue{.type = ZoneType::kInteger, .integer = 3});
}

TEST_CASE("a zone map of byte strings begins with the least TEXT and ends with the greatest BLOB") {
  const ZoneMap texts = OfTexts({"a", "b"}, true);
  CHECK(texts.min() == ColumnValue{.type = ZoneType::kText, .bytes = "a"});
  CHECK(texts.max() == ColumnValue{.type = ZoneType::kText, .bytes = "b"});
  const ZoneMap mixed = OfTexts({"\x80", "a", "\xff", "\xffz"}, false);  // in the order of bytes, not of SQL
  CHECK(mixed.min() == ColumnValue{.type = ZoneType::kText, .bytes = "a"});
  CHECK(mixed.max() == ColumnValue{.type = ZoneType::kBlob, .bytes = "\xffz"});
}

TEST_CASE("a long minimum is cut between two characters, and a long maximum is unknown") {
  const std::string longest(ZoneMap::kMaxZoneBytes, 'a');
  CHECK(OfTexts({longest}, true).min().bytes == longest);
  CHECK(OfTexts({longest}, true).max().bytes == longest);
  const std::string longer = longest.substr(1) + "\xc3\xa4";  // its last character begins inside and ends outside
  const ZoneMap cut = OfTexts({longer}, true);
  CHECK(cut.min() == ColumnValue{.type = ZoneType::kText, .bytes = longest.substr(1)});
  CHECK(cut.max().type == ZoneType::kNull);
}

TEST_CASE("integers and reals near 2^63 are compared exactly") {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  CHECK(CompareNumbers(kMax, 0x1p63) < 0);
  CHECK(CompareNumbers(kMax - 1024, 0x1p63 - 1024) < 0);  // equal if it were rounded to a double
  CHECK(CompareNumbers(kMax - 1023, 0x1p63 - 1024) == 0);
  CHECK(CompareNumbers(kMin, -0x1p63) == 0);
  CHECK(CompareNumbers(kMin, -0x1.0000000000001p63) > 0);
  CHECK(CompareNumbers(2, 2.5) < 0);
  CHECK(CompareNumbers(-2, -2.5) > 0);
  CHECK(CompareNumbers((int64_t{1} << 53) + 1, 0x1p53) > 0);
}

}  // namespace
}  // namespace ofindex

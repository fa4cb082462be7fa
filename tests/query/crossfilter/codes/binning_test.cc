#include "query/crossfilter/codes/binning.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "query/crossfilter/codes/code_mask.h"
#include "tests/query/sql_values.h"

namespace ofindex {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a number is in the bin whose edges are around it") {
  struct Case {
    double low, high;
    size_t bins;
    double value;
    BinCode code;
  };
  const Case cases[] = {
      {0, 10, 10, 0, 0},                      // the first edge is inside
      {0, 10, 10, -0.0, 0},                   // equal to 0
      {0, 10, 10, 9.999, 9},                  //
      {0, 10, 10, 10, kAboveBins},            // the last edge is outside
      {0, 10, 10, std::nextafter(10, 0), 9},  //
      {0, 10, 10, std::nextafter(0, -1), kBelowBins},
      {0, 10, 10, kInf, kAboveBins},
      {0, 10, 10, -kInf, kBelowBins},
      {0, 10, 10, std::nan(""), kNanValue},
      {0, 1, 10, 0.3, 3},            // as is edge 3
      {-1.7e308, 1.7e308, 2, 0, 1},  // the width is infinite
      {-1.7e308, 1.7e308, 251, 1.69e308, 250},
      {0, 5e-324, 3, 0, 1},  // no double is between the first two edges
  };
  for (const Case& c : cases) {
    CAPTURE(c.value);
    const auto bins = NumberBins::Of(c.low, c.high, c.bins);
    REQUIRE(bins.has_value());
    CHECK(int{bins->CodeOf(c.value)} == int{c.code});
  }
}

TEST_CASE("integers that are no doubles are compared exactly with edges") {
  const auto bins = NumberBins::Of(0x1p53, 0x1p53 + 8, 4);
  REQUIRE(bins.has_value());
  constexpr int64_t kBase = int64_t{1} << 53;
  const BinCode expected[] = {kBelowBins, 0, 0, 1, 1, 2, 2, 3, 3, kAboveBins};
  for (int64_t i = 0; i < 10; ++i) CHECK(int{bins->CodeOf(kBase - 1 + i)} == int{expected[i]});
  CHECK(NumberBins::Of(0, 0x1p63, 2)->CodeOf(INT64_MAX) == 1);
  CHECK(NumberBins::Of(0, 0x1p62, 2)->CodeOf(INT64_MAX) == kAboveBins);
  CHECK(NumberBins::Of(-0x1p63, 0, 2)->CodeOf(INT64_MIN) == 0);
}

TEST_CASE("bins need a finite range and a number from 1 to 251") {
  CHECK(!NumberBins::Of(0, 0, 1).has_value());
  CHECK(!NumberBins::Of(1, 0, 1).has_value());
  CHECK(!NumberBins::Of(0, kInf, 1).has_value());
  CHECK(!NumberBins::Of(std::nan(""), 1, 1).has_value());
  CHECK(!NumberBins::Of(0, 1, 0).has_value());
  CHECK(!NumberBins::Of(0, 1, 252).has_value());
  CHECK(NumberBins::Of(0, 1, 251).has_value());
}

TEST_CASE("categories are values of all types, and equal numbers are one value") {
  const auto categories = Categories::Of({SqlReal(2), SqlText("a"), SqlInt(7), SqlReal(0.5), SqlInt(INT64_MAX)});
  REQUIRE(categories.has_value());
  CHECK(categories->CodeOf(int64_t{2}) == 0);
  CHECK(categories->CodeOf(2.0) == 0);
  CHECK(categories->CodeOf(7.0) == 2);
  CHECK(categories->CodeOf(0.5) == 3);
  CHECK(categories->CodeOf(0x1p63) == kOtherValue);  // one more than INT64_MAX
  CHECK(categories->CodeOf(std::nan("")) == kNanValue);
  CHECK(!Categories::Of({SqlReal(2), SqlInt(2)}).has_value());
  CHECK(!Categories::Of({ColumnValue{}}).has_value());
  CHECK(!Categories::Of({}).has_value());
}

TEST_CASE("codes decide a filter that no bin is partly inside of") {
  const Binning bins = *NumberBins::Of(0, 10, 10);
  const Binning names = *Categories::Of({SqlText("a"), SqlText("b"), SqlInt(1)});
  const auto range = [](std::optional<ColumnValue> low, std::optional<ColumnValue> high) {
    return ValueFilter{.low = {std::move(low)}, .high = {std::move(high), true}};
  };
  const auto set = [](std::vector<ColumnValue> values) {
    return ValueFilter{.kind = ValueFilter::Kind::kSet, .values = std::move(values)};
  };
  struct Case {
    const char* name;
    const Binning& binning;
    ValueFilter filter;
    bool decided;
  };
  const Case cases[] = {
      {"edges", bins, range(SqlReal(2), SqlInt(5)), true},
      {"all bins and what is above", bins, range(SqlReal(0), {}), true},
      {"all values", bins, range({}, {}), true},
      {"inside of a bin", bins, range(SqlReal(2.5), SqlInt(5)), false},
      {"above the bins", bins, range(SqlReal(11), {}), false},
      {"a number among others", bins, set({SqlInt(5)}), false},
      {"no value", bins, set({}), true},
      {"texts among numbers", bins, range(SqlText("a"), {}), false},
      {"categories", names, set({SqlInt(1), SqlText("a")}), true},
      {"a value that is none", names, set({SqlText("a"), SqlText("c")}), false},
      {"all values of categories", names, range({}, {}), true},
      {"a range of categories", names, range(SqlText("a"), SqlText("b")), false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(CodeMask::Of(c.filter, c.binning).has_value() == c.decided);
  }
}

}  // namespace ofindex

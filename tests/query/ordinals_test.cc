#include "query/ordinals.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

TEST_CASE("ordinals and ranges are parsed as users write them") {
  struct Row {
    std::string text;
    uint64_t size;
    OrdinalRange range;
  };
  constexpr uint64_t kMax = ~uint64_t{0};
  const std::vector<Row> rows = {
      {"0", 10, {0, 1}},                                              // the first
      {"9", 10, {9, 10}},                                             // the last
      {"-1", 10, {9, 10}},                                            // the last, from the end
      {"-10", 10, {0, 1}},                                            // the first, from the end
      {"007", 10, {7, 8}},                                            // padded with zeros
      {"2:5", 10, {2, 5}},                                            // a range, without its end
      {":", 10, {0, 10}},                                             // all
      {"3:", 10, {3, 10}},                                            // from there on
      {":3", 10, {0, 3}},                                             // up to there
      {"-3:", 10, {7, 10}},                                           // the last three
      {":-3", 10, {0, 7}},                                            // all but those
      {"-5:-2", 10, {5, 8}},                                          // both from the end
      {"5:5", 10, {5, 5}},                                            // empty
      {"5:2", 10, {5, 5}},                                            // backwards: empty, too
      {"8:99", 10, {8, 10}},                                          // the end of a range is cut to the dataset
      {"-99:2", 10, {0, 2}},                                          // and so is its beginning
      {"50:60", 10, {10, 10}},                                        // a range past the end
      {":", 0, {0, 0}},                                               // an empty dataset has ranges
      {"-1:", 0, {0, 0}},                                             // empty ones
      {"9223372036854775807", kMax, {INT64_MAX, uint64_t{1} << 63}},  // the largest that can be written
      {"-9223372036854775808", kMax, {(uint64_t{1} << 63) - 1, uint64_t{1} << 63}},  // and the smallest
      {"-9223372036854775808:", 10, {0, 10}},                                        // no positive counterpart
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Result<OrdinalRange> range = ParseOrdinals(row.text, row.size);
    REQUIRE(range.has_value());
    CHECK(range->begin == row.range.begin);
    CHECK(range->end == row.range.end);
  }
}

TEST_CASE("an ordinal outside the dataset is out of range, and text that is not an ordinal is a usage error") {
  struct Row {
    std::string text;
    uint64_t size;
    ErrorCode code;
  };
  const std::vector<Row> rows = {
      {"10", 10, ErrorCode::kOutOfRange},                    // one past the last
      {"-11", 10, ErrorCode::kOutOfRange},                   // one before the first
      {"0", 0, ErrorCode::kOutOfRange},                      // nothing is in an empty dataset
      {"-1", 0, ErrorCode::kOutOfRange},                     // nor at its end
      {"9223372036854775807", 10, ErrorCode::kOutOfRange},   // far out
      {"-9223372036854775808", 10, ErrorCode::kOutOfRange},  // far out on the other side
      {"", 10, ErrorCode::kUsage},                           // nothing
      {"x", 10, ErrorCode::kUsage},                          // not a number
      {"1x", 10, ErrorCode::kUsage},                         // trailing text
      {" 1", 10, ErrorCode::kUsage},                         // leading space
      {"+1", 10, ErrorCode::kUsage},                         // no sign but minus
      {"1.0", 10, ErrorCode::kUsage},                        // not an integer
      {"0x1", 10, ErrorCode::kUsage},                        // not decimal
      {"--1", 10, ErrorCode::kUsage},                        // twice
      {"1:2:3", 10, ErrorCode::kUsage},                      // no steps
      {"a:2", 10, ErrorCode::kUsage},                        // half a range
      {"2:-", 10, ErrorCode::kUsage},                        // the other half
      {"9223372036854775808", 10, ErrorCode::kUsage},        // out of int64's range
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Result<OrdinalRange> range = ParseOrdinals(row.text, row.size);
    REQUIRE(!range.has_value());
    CHECK(range.error().code == row.code);
  }
}

TEST_CASE("every range of a small dataset selects what a Python slice does") {
  constexpr int kSize = 5;
  for (int from = -7; from <= 7; ++from) {
    for (int to = -7; to <= 7; ++to) {
      std::vector<uint64_t> slice;
      for (int i = 0; i < kSize; ++i) {
        if (i >= (from < 0 ? from + kSize : from) && i < (to < 0 ? to + kSize : to))
          slice.push_back(static_cast<uint64_t>(i));
      }
      const auto range = ParseOrdinals(std::to_string(from) + ":" + std::to_string(to), kSize);
      REQUIRE(range.has_value());
      std::vector<uint64_t> ordinals;
      for (uint64_t i = range->begin; i < range->end; ++i) ordinals.push_back(i);
      CHECK(ordinals == slice);
    }
  }
}

}  // namespace
}  // namespace ofindex

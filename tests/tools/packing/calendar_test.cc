#include "tools/packing/calendar.h"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <string>

#include "base/text.h"

namespace ofindex {
namespace {

namespace sc = std::chrono;

std::string Padded(unsigned number, size_t width) {
  std::string text = std::to_string(number);
  return std::string(width - text.size(), '0') + text;
}

TEST_CASE("every date from 1599 to 2100 has the same day number as in std::chrono") {
  int64_t before = -1'000'000;
  for (sc::sys_days day = sc::sys_days(sc::year(1599) / 1 / 1); day < sc::sys_days(sc::year(2101) / 1 / 1);
       day += sc::days(1)) {
    const sc::year_month_day date(day);
    const std::string text =
        StrCat(Padded(static_cast<unsigned>(static_cast<int>(date.year())), 4), "-",
               Padded(static_cast<unsigned>(date.month()), 2), "-", Padded(static_cast<unsigned>(date.day()), 2));
    const auto days = ParseDate(text);
    REQUIRE(days);
    REQUIRE(*days == day.time_since_epoch().count());
    if (before != -1'000'000) REQUIRE(*days == before + 1);
    before = *days;
  }
}

TEST_CASE("impossible dates, and text that is not a date, are errors") {
  for (const char* text : {"", "2026", "2026-11", "2026-11-31", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10",
                           "2026-10-00", "2026-1-1", "26-11-22", "2026/11/22", "2026-11-22 ", " 2026-11-22",
                           "-2026-11-22", "2026-11-2x", "12026-11-22"}) {
    CAPTURE(text);
    const auto days = ParseDate(text);
    REQUIRE_FALSE(days);
    CHECK(days.error().code == ErrorCode::kFeature);
  }
  CHECK(ParseDate("2000-02-29"));
  CHECK(ParseDate("0000-01-01"));
  CHECK(ParseDate("9999-12-31"));
}

TEST_CASE("times are counted from midnight in the requested unit") {
  CHECK(ParseTime("00:00", TimeUnit::kSeconds) == 0);
  CHECK(ParseTime("23:59:59", TimeUnit::kSeconds) == 86399);
  CHECK(ParseTime("23:59:59.999999999", TimeUnit::kNanoseconds) == 86'399'999'999'999);
  CHECK(ParseTime("10:30:05.25", TimeUnit::kMilliseconds) == 37'805'250);
  CHECK(ParseTime("10:30:05.250000000", TimeUnit::kMicroseconds) == 37'805'250'000);
  for (const char* text : {"", "10", "10:", "24:00", "10:60", "10:30:60", "1:30", "10:30:", "10:30:05.", "10:30:05,5",
                           "10:30:05.1234567891", "10:30Z", "-1:00"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseTime(text, TimeUnit::kNanoseconds));
  }
}

TEST_CASE("a time that is not a whole number of its unit is refused, not rounded") {
  const auto coarse = ParseTime("10:30:05.25", TimeUnit::kSeconds);
  REQUIRE_FALSE(coarse);
  CHECK(coarse.error().hint.text().find("--time-unit") != std::string::npos);
  CHECK_FALSE(ParseTimestamp("1969-12-31T23:59:59.9Z", TimeUnit::kSeconds));
}

TEST_CASE("timestamps of one moment are equal, whatever their time zone") {
  for (const char* text :
       {"2026-11-22T10:30:05Z", "2026-11-22 10:30:05", "2026-11-22T10:30:05", "2026-11-22T12:30:05+02:00",
        "2026-11-22T12:30:05+0200", "2026-11-22T12:30:05+02", "2026-11-21T22:30:05-12:00"}) {
    CAPTURE(text);
    CHECK(ParseTimestamp(text, TimeUnit::kSeconds) == 1795343405);
  }
  CHECK(ParseTimestamp("1969-12-31T23:59:59.5Z", TimeUnit::kMilliseconds) == -500);
  for (const char* text : {"2026-11-22", "2026-11-22T", "2026-11-22t10:30", "2026-11-22  10:30", "2026-11-22T10:30z",
                           "2026-11-22T10:30+", "2026-11-22T10:30+2", "2026-11-22T10:30+24:00",
                           "2026-11-22T10:30+02:60", "2026-11-22T10:30ZZ", "2026-11-22T10:30Z+01"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseTimestamp(text, TimeUnit::kNanoseconds));
  }
}

TEST_CASE("a timestamp that exceeds 64 bits in nanoseconds is refused, but fits in microseconds") {
  CHECK(ParseTimestamp("2262-04-11T23:47:16.854775807Z", TimeUnit::kNanoseconds) ==
        std::numeric_limits<int64_t>::max());
  CHECK_FALSE(ParseTimestamp("2262-04-11T23:47:16.854775808Z", TimeUnit::kNanoseconds));
  CHECK(ParseTimestamp("1677-09-21T00:12:43.145224192Z", TimeUnit::kNanoseconds) ==
        std::numeric_limits<int64_t>::min());
  CHECK_FALSE(ParseTimestamp("1677-09-21T00:12:43.145224191Z", TimeUnit::kNanoseconds));
  CHECK(ParseTimestamp("9999-12-31T23:59:59.999999Z", TimeUnit::kMicroseconds) == 253402300799999999);
}

}  // namespace
}  // namespace ofindex

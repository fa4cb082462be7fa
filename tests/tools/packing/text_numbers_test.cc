#include "tools/packing/text_numbers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

namespace ofindex {
namespace {

TEST_CASE("whole numbers fit in 64 bits and have no leading zeros") {
  CHECK(ParseWhole("0") == 0);
  CHECK(ParseWhole("-1") == -1);
  CHECK(ParseWhole("9223372036854775807") == std::numeric_limits<int64_t>::max());
  CHECK(ParseWhole("-9223372036854775808") == std::numeric_limits<int64_t>::min());
  for (const char* text : {"", "-", "+1", " 1", "1 ", "007", "-01", "-0", "1.0", "1e3", "0x10", "9223372036854775808",
                           "-9223372036854775809", "1\n", "--1", "1,000"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseWhole(text));
  }
  CHECK_FALSE(ParseWhole(std::string_view("1\0", 2)));
}

TEST_CASE("real numbers are finite and have no leading zeros") {
  CHECK(ParseReal("0.5") == 0.5);
  CHECK(ParseReal("-1e3") == -1000.0);
  CHECK(ParseReal("0") == 0.0);
  CHECK(std::signbit(*ParseReal("-0.0")));
  for (const char* text : {"", ".", "nan", "inf", "-inf", "infinity", "1e400", "00.5", "+0.5", " 0.5", "0.5f", "1,5"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseReal(text));
  }
}

TEST_CASE("a boolean is written in lower case, in upper case or capitalised") {
  for (const char* text : {"true", "True", "TRUE"}) CHECK(ParseBoolean(text) == true);
  for (const char* text : {"false", "False", "FALSE"}) CHECK(ParseBoolean(text) == false);
  for (const char* text : {"", "t", "yes", "1", "0", "tRUE", "true "}) CHECK_FALSE(ParseBoolean(text));
}

}  // namespace
}  // namespace ofindex

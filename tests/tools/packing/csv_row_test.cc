#include "tools/packing/csv_row.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/tools/packing/rows.h"

namespace ofindex {
namespace {

using Lines = std::vector<std::string>;

Lines Csv(std::string_view row, char separator = ',') {
  const auto parser = MakeCsvRowParser({"a", "b"}, separator);
  const auto shown = Show(*parser, row);
  return shown ? *shown : Lines{"error"};
}

TEST_CASE("a CSV field is text, or null if it is empty and unquoted") {
  CHECK(Csv("1,x") == Lines{"a/0 text 1", "b/0 text x"});
  CHECK(Csv(",") == Lines{"a/0 null", "b/0 null"});
  CHECK(Csv("\"\",") == Lines{"a/0 text ", "b/0 null"});
  CHECK(Csv(" 1 , x ") == Lines{"a/0 text  1 ", "b/0 text  x "});
  CHECK(Csv("\"a,\"\"b\"\"\",\"\n\"") == Lines{"a/0 text a,\"b\"", "b/0 text \\x0a"});
  CHECK(Csv("1\tx,y", '\t') == Lines{"a/0 text 1", "b/0 text x,y"});
}

TEST_CASE("a row with more or fewer fields than columns, or with stray quotes, is an error") {
  for (const char* row : {"1", "1,2,3", "", "1,x\"y", "1,\"x\"y", "1,\"x", "1,2\r3,4", "1\r2"}) {
    CAPTURE(row);
    CHECK(Csv(row) == Lines{"error"});
  }
}

TEST_CASE("after a refused CSV row, the parser continues with the next row") {
  const auto parser = MakeCsvRowParser({"a", "b"}, ',');
  for (const char* bad : {"1,\"x", "1,x\"y", "1", "1,2\r3,4"}) {
    CHECK_FALSE(Show(*parser, bad));
    CHECK(Show(*parser, "1,2") == Lines{"a/0 text 1", "b/0 text 2"});
  }
}

TEST_CASE("a CSV header is a list of distinct names") {
  CHECK(ParseCsvHeader("a,\"b,c\", ,é", ',') == Lines{"a", "b,c", " ", "é"});
  for (const char* header : {"a,", ",a", "a,\"\",b", "a\x01", "a\x7f", "a\xc2\x85", "a\xff"}) {
    CAPTURE(header);
    CHECK_FALSE(ParseCsvHeader(header, ','));
  }
  CHECK_FALSE(ParseCsvHeader("a,b,a", ','));
  CHECK_FALSE(ParseCsvHeader("a,\"b", ','));
}

TEST_CASE("a CSV row continues while a quote is open") {
  CHECK_FALSE(EndsInQuotes("a,\"b\""));
  CHECK_FALSE(EndsInQuotes("a,\"b\"\"\""));
  CHECK(EndsInQuotes("a,\"b\"\""));
  CHECK(EndsInQuotes("\""));
}

}  // namespace
}  // namespace ofindex

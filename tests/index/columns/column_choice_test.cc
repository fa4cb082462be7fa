#include "index/columns/column_choice.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

TEST_CASE("a choice of columns is parsed from a command line, and its text form parses to the same choice") {
  struct Row {
    const char* text;
    ColumnChoice::Mode mode;
    std::vector<std::string> names;
    const char* written;
  };
  const std::vector<Row> rows = {
      {"auto", ColumnChoice::Mode::kAuto, {}, "auto"},
      {"none", ColumnChoice::Mode::kNone, {}, "none"},
      {"label", ColumnChoice::Mode::kNamed, {"label"}, "label"},
      {"b,a,b", ColumnChoice::Mode::kNamed, {"a", "b"}, "a,b"},
      {"image/height,tokens[]", ColumnChoice::Mode::kNamed, {"image/height", "tokens[]"}, "image/height,tokens[]"},
      {"a\\,b,c\\\\d", ColumnChoice::Mode::kNamed, {"a,b", "c\\d"}, "a\\,b,c\\\\d"},
      {"trailing\\", ColumnChoice::Mode::kNamed, {"trailing\\"}, "trailing\\\\"},
      {"\\auto", ColumnChoice::Mode::kNamed, {"auto"}, "\\auto"},
      {"\\none", ColumnChoice::Mode::kNamed, {"none"}, "\\none"},
      {"\\auto,b", ColumnChoice::Mode::kNamed, {"auto", "b"}, "\\auto,b"},
      {"b,auto", ColumnChoice::Mode::kNamed, {"auto", "b"}, "\\auto,b"},
      {"none,a", ColumnChoice::Mode::kNamed, {"a", "none"}, "a,none"},
      {"auto,b,a", ColumnChoice::Mode::kAuto, {"a", "b"}, "auto,a,b"},
      {"auto,auto", ColumnChoice::Mode::kAuto, {"auto"}, "auto,auto"},
      {"auto,none", ColumnChoice::Mode::kAuto, {"none"}, "auto,none"},
      {"auto,a\\,b", ColumnChoice::Mode::kAuto, {"a,b"}, "auto,a\\,b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto choice = ColumnChoice::Parse(row.text);
    REQUIRE(choice);
    CHECK(choice->mode == row.mode);
    CHECK(choice->names == row.names);
    CHECK(choice->Text() == row.written);
    CHECK(ColumnChoice::Parse(choice->Text())->mode == row.mode);
    CHECK(ColumnChoice::Parse(choice->Text())->names == row.names);
    for (const std::string& name : row.names) CHECK(choice->Named(name));
    CHECK_FALSE(choice->Named("other"));
  }
}

TEST_CASE("an empty name, and more names than an index can keep, are refused") {
  for (const char* text : {"", ",", "a,", ",a", "a,,b", "auto,", "auto,,a"}) {
    CAPTURE(text);
    CHECK(ColumnChoice::Parse(text).error().code == ErrorCode::kUsage);
  }
  CHECK(ColumnChoice::Parse(std::string(32 << 10, 'a')));
  CHECK(ColumnChoice::Parse(std::string((32 << 10) + 1, 'a')).error().code == ErrorCode::kLimit);
}

}  // namespace
}  // namespace ofindex

#include "tools/terminal/table_layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tools/terminal/text_width.h"

namespace ofindex {
namespace {

std::vector<std::string> TableLinesOf(const std::vector<TableRow>& rows, std::optional<size_t> width) {
  const TableLayout layout(rows, width);
  std::vector<std::string> lines;
  for (const TableRow& row : rows) lines.push_back(layout.Line(row));
  return lines;
}

using TableLines = std::vector<std::string>;

TEST_CASE("the width of a text counts wide characters twice and combining marks not at all") {
  CHECK(ShownWidth("") == 0);
  CHECK(ShownWidth("abc") == 3);
  CHECK(ShownWidth("é") == 1);
  CHECK(ShownWidth("e\u0301") == 1);
  CHECK(ShownWidth("日本") == 4);
  CHECK(ShownWidth("\U0001f600") == 2);
}

TEST_CASE("a text is cut at whole characters, and then ends with three dots") {
  CHECK(CutToWidth("abcdef", 6) == "abcdef");
  CHECK(CutToWidth("abcdefg", 6) == "abc...");
  CHECK(CutToWidth("日本語", 6) == "日本語");
  CHECK(CutToWidth("日本語文", 6) == "日...");  // a second character would need a place more
  CHECK(CutToWidth("e\u0301e\u0301e\u0301", 3) == "e\u0301e\u0301e\u0301");
  CHECK(CutToWidth("e\u0301bcde", 4) == "e\u0301...");
  CHECK(CutToWidth("abcd", 3) == "abc");
  CHECK(CutToWidth("日本", 3) == "日");
  CHECK(CutToWidth("abc", 0).empty());
}

TEST_CASE("numbers are right-aligned, texts and the last column left-aligned") {
  const std::vector<TableRow> rows = {{"n", "t", "last"}, {"1", "a", "1"}, {"234", "bc", "22"}};
  CHECK(TableLinesOf(rows, std::nullopt) == TableLines{"  n  t   last", "  1  a   1", "234  bc  22"});
  CHECK(TableLinesOf(rows, 80) == TableLinesOf(rows, std::nullopt));
  CHECK(TableLinesOf(rows, 13) == TableLinesOf(rows, std::nullopt));
}

TEST_CASE("the widest texts are cut first, and numbers not at all") {
  const std::string text(30, 'x');
  const std::vector<TableRow> rows = {{"id", "short", "long", "longer"}, {"1234567890", "abcdefgh", text, text + text}};
  CHECK(TableLinesOf(rows, 60) == TableLines{"        id  short     long                longer",
                                             "1234567890  abcdefgh  xxxxxxxxxxxxxxx...  xxxxxxxxxxxxxxx..."});
}

TEST_CASE("columns for which there is no room are left out, from the end, and counted") {
  TableRow header;
  TableRow cells;
  for (int i = 0; i < 1000; ++i) {
    header.push_back("column " + std::to_string(i));
    cells.push_back(std::to_string(i));
  }
  const TableLayout layout({header, cells}, 30);
  CHECK(layout.left_out() == 997);
  CHECK(layout.Line(header) == "column 0  column 1  column 2");
  CHECK(layout.Line(cells) == "       0         1  2");
}

TEST_CASE("no line is wider than the width, whatever the cells are") {
  const std::vector<std::string> cells = {
      "", "1", "12345678901234567890", "abc", std::string(100, 'x'), "日本語日本語"};
  for (const std::string& a : cells) {
    for (const std::string& b : cells) {
      for (const std::string& c : cells) {
        for (size_t width = 1; width < 60; ++width) {
          const std::vector<TableRow> rows = {{a, b, c}, {b, c, a}, {c, a, b}};
          size_t widest = 0;
          for (const std::string& line : TableLinesOf(rows, width)) widest = std::max(widest, ShownWidth(line));
          CHECK(widest <= width);
        }
      }
    }
  }
}

TEST_CASE("with a limit to the padding, a longer cell moves the rest of its line") {
  TableLayout layout({{"a", "b"}, {std::string(9, 'x'), "1"}, {"x", "2"}}, std::nullopt);
  layout.LimitPadding(4);
  CHECK(layout.Line({"x", "2"}) == "x     2");
  CHECK(layout.Line({std::string(9, 'x'), "1"}) == "xxxxxxxxx  1");
}

}  // namespace
}  // namespace ofindex

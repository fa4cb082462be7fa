#include "base/text.h"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace ofindex {
namespace {

TEST_CASE("names in a list are separated by commas, and a backslash keeps the byte after it") {
  using Names = std::vector<std::string>;
  CHECK(SplitNames("a") == Names{"a"});
  CHECK(SplitNames("a,b c,[d]") == Names{"a", "b c", "[d]"});
  CHECK(SplitNames(R"(a\,b,c\\,\d)") == Names{"a,b", R"(c\)", "d"});
  CHECK(SplitNames(R"(a\)") == Names{R"(a\)"});  // nothing follows
  CHECK(SplitNames("") == Names{""});
  CHECK(SplitNames(",a,") == Names{"", "a", ""});
  CHECK(EscapedName(R"(a,b\c)") == R"(a\,b\\c)");
  CHECK(SplitNames(EscapedName(R"(a,b\c)")) == Names{R"(a,b\c)"});
}

TEST_CASE("a word of a shell is quoted unless all its characters are plain") {
  CHECK(ShellWord("auto,image/height-2.5") == "auto,image/height-2.5");
  CHECK(ShellWord("") == "''");
  CHECK(ShellWord("a b") == "'a b'");
  CHECK(ShellWord("it's $1") == R"('it'\''s $1')");
}

TEST_CASE("paths are sorted in natural order") {
  struct Row {
    std::string_view less, more;
  };
  const Row rows[] = {
      {"part-2", "part-10"},      // by value, not by digit
      {"part-9", "part-00010"},   // of any width
      {"part-01", "part-1"},      // equal numbers: by bytes, so that the order is total
      {"part-01", "part-2"},      // but only if everything else is equal
      {"part-01-b", "part-1-c"},  // the rest decides before the zeros do
      {"part-1-a", "part-01-b"},  // either way
      {"part-00000-of-00010", "part-00001-of-00010"},
      {"part-18446744073709551615", "part-18446744073709551616"},  // past 64 bits
      {"part-99999999999999999999998", "part-99999999999999999999999"},
      {"", "a"},         // the empty path is first
      {"a", "a1"},       // a prefix before a longer name
      {"a/b", "a-1/b"},  // a folder's files before those of a longer name: '/' sorts before every byte
      {"a/b", "a b"},    // also before a space, which is smaller as a byte
      {"a/z", "a1/a"},
      {"a/2/b", "a/10/a"},  // in every component
      {"1a", "a1"},         // digits before letters
      {"A", "a"},           // other bytes by value
      {"a\x7f", "a\x80"},   // as unsigned ones
      {"a0", "a00"},        // only zeros
      {"x0y1", "x00y2"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.less);
    CAPTURE(row.more);
    CHECK(NaturalLess(row.less, row.more));
    CHECK_FALSE(NaturalLess(row.more, row.less));
    CHECK_FALSE(NaturalLess(row.less, row.less));
  }
}

TEST_CASE("names are naturally equal if they differ only in leading zeros") {
  CHECK(NaturallyEqual("part-1", "part-01"));
  CHECK(NaturallyEqual("a/0001/b-2", "a/1/b-02"));
  CHECK(NaturallyEqual("0", "000"));
  CHECK_FALSE(NaturallyEqual("part-1", "part-10"));
  CHECK_FALSE(NaturallyEqual("part-1", "part-1a"));
  CHECK_FALSE(NaturallyEqual("part-", "part-0"));
  CHECK_FALSE(NaturallyEqual("Part-1", "part-1"));
}

std::string RandomName(std::mt19937_64& random) {
  constexpr std::string_view kBytes = "0019a/-\xff";
  std::string name;
  for (auto n = random() % 6; n > 0; --n) name.push_back(kBytes[random() % kBytes.size()]);
  return name;
}

TEST_CASE("the natural order is total and transitive") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100'000; ++i) {
    const std::string a = RandomName(random), b = RandomName(random), c = RandomName(random);
    CAPTURE(a);
    CAPTURE(b);
    CAPTURE(c);
    CHECK(int{NaturalLess(a, b)} + int{NaturalLess(b, a)} + int{a == b} == 1);
    if (NaturalLess(a, b) && NaturalLess(b, c)) CHECK(NaturalLess(a, c));
    if (NaturallyEqual(a, b) && NaturallyEqual(b, c)) CHECK(NaturallyEqual(a, c));
  }
}

TEST_CASE("UTF-8 follows table 3-7 of the Unicode standard") {
  struct Row {
    std::string_view bytes;
    bool valid;
  };
  const Row rows[] = {
      {"", true},
      {std::string_view("\0", 1), true},  // NUL is a character
      {"\x7f", true},                     // the last one-byte sequence
      {"\x80", false},                    // a continuation without a lead
      {"\xbf", false},
      {"\xc0\x80", false},  // NUL in two bytes: overlong
      {"\xc1\xbf", false},  // U+007F in two bytes: overlong
      {"\xc2\x80", true},   // U+0080, the first two-byte sequence
      {"\xdf\xbf", true},   // U+07FF, the last
      {"\xc2", false},      // truncated
      {"\xc2\x7f", false},  // followed by something else than a continuation
      {"\xc2\xc0", false},
      {"\xe0\x9f\xbf", false},          // U+07FF in three bytes: overlong
      {"\xe0\xa0\x80", true},           // U+0800
      {"\xe0\xa0", false},              // truncated
      {"\xed\x9f\xbf", true},           // U+D7FF, the last before the surrogates
      {"\xed\xa0\x80", false},          // U+D800, the first surrogate
      {"\xed\xbf\xbf", false},          // U+DFFF, the last
      {"\xee\x80\x80", true},           // U+E000, the first after them
      {"\xef\xbf\xbf", true},           // U+FFFF
      {"\xf0\x8f\xbf\xbf", false},      // U+FFFF in four bytes: overlong
      {"\xf0\x90\x80\x80", true},       // U+10000
      {"\xf0\x90\x80", false},          // truncated
      {"\xf4\x8f\xbf\xbf", true},       // U+10FFFF, the last of all
      {"\xf4\x90\x80\x80", false},      // U+110000
      {"\xf5\x80\x80\x80", false},      // no such lead
      {"\xf8\x88\x80\x80\x80", false},  // five bytes, as in 1993
      {"\xff", false},
      {"\xfe", false},
      {"a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z", true},  // one sequence of each length
      {"abc\xc3", false},                                // sound except for the last byte
  };
  for (const Row& row : rows) {
    CAPTURE(ToHex(AsBytes(row.bytes)));
    CHECK(IsUtf8(row.bytes) == row.valid);
  }
}

TEST_CASE("printable text is kept, and control characters become hexadecimal escapes") {
  struct Row {
    std::string_view text, shown;
  };
  const Row rows[] = {
      {"", ""},
      {"data/part-0 (1).tfrecord", "data/part-0 (1).tfrecord"},
      {"Gr\xc3\xbc\xc3\x9f"
       "e \xf0\x9f\x98\x80",
       "Gr\xc3\xbc\xc3\x9f"
       "e \xf0\x9f\x98\x80"},
      {"\x1b[2J", "\\x1b[2J"},              // the escape that clears a terminal
      {"a\nb\tc\r", "a\\x0ab\\x09c\\x0d"},  // one line stays one line
      {std::string_view("a\0b", 3), "a\\x00b"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b"
       "31m",
       "\\xc2\\x9b31m"},                             // U+009B, the escape of the C1 controls
      {"\xc2\x80\xc2\x9f", "\\xc2\\x80\\xc2\\x9f"},  // the first and the last of them
      {"\xc2\xa0", "\xc2\xa0"},                      // U+00A0, the first that is not a control
      {"\x9b"
       "31m",
       "\\x9b31m"},                      // the same escape as a raw byte, which is not UTF-8
      {"\xd8\x9c", "\\xd8\\x9c"},        // U+061C, ARABIC LETTER MARK
      {"\xd8\x9b", "\xd8\x9b"},          // U+061B, a semicolon
      {"\xe2\x80\x8d", "\xe2\x80\x8d"},  // U+200D joins emoji
      {"\xe2\x80\x8e\xe2\x80\x8f", "\\xe2\\x80\\x8e\\xe2\\x80\\x8f"},  // U+200E and U+200F
      {"\xe2\x80\x90", "\xe2\x80\x90"},                                // U+2010, a hyphen
      {"\xe2\x80\xa9", "\xe2\x80\xa9"},                                // U+2029, the last before the embeddings
      {"\xe2\x80\xaa\xe2\x80\xae", "\\xe2\\x80\\xaa\\xe2\\x80\\xae"},  // U+202A to U+202E
      {"\xe2\x80\xaf", "\xe2\x80\xaf"},                                // U+202F, a space
      {"\xe2\x81\xa5", "\xe2\x81\xa5"},                                // U+2065
      {"\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"},  // U+2066 to U+2069, the isolates
      {"\xe2\x81\xaa", "\xe2\x81\xaa"},                                // U+206A
      {"\xd7\xa9\xd7\x9c", "\xd7\xa9\xd7\x9c"},  // letters that are written from right to left stay
      {"\xff\xfe", "\\xff\\xfe"},                // not UTF-8
      {"\xc3", "\\xc3"},                         // a truncated character
      {"\xe2\x82", "\\xe2\\x82"},
      {"\xc3(", "\\xc3("},                  // the byte after a broken sequence is read again
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // a surrogate
  };
  for (const Row& row : rows) CHECK(Printable(row.text) == row.shown);
}

TEST_CASE("exactly the control characters of Unicode are escaped") {
  const auto utf8 = [](uint32_t c) {
    std::string text;
    if (c < 0x80) return std::string(1, static_cast<char>(c));
    if (c >= 0x10000) text += static_cast<char>(0xf0 | c >> 18);
    if (c >= 0x800) text += static_cast<char>(c >= 0x10000 ? 0x80 | (c >> 12 & 63) : 0xe0 | c >> 12);
    text += static_cast<char>(c >= 0x800 ? 0x80 | (c >> 6 & 63) : 0xc0 | c >> 6);
    return text + static_cast<char>(0x80 | (c & 63));
  };
  const std::set<uint32_t> bidi = {0x61c,  0x200e, 0x200f, 0x202a, 0x202b, 0x202c,
                                   0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
  for (uint32_t c = 0; c <= 0x10ffff; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const std::string text = utf8(c);
    const bool control = c < 32 || (c >= 127 && c < 160) || bidi.contains(c);
    if ((Printable(text) == text) == control) FAIL_CHECK(c);
  }
}

TEST_CASE("the output of Printable is always UTF-8 without control characters") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto n = random() % 8; n > 0; --n) text.push_back(static_cast<char>(random() & 0xff));
    const std::string shown = Printable(text);
    CHECK(IsUtf8(shown));
    for (char c : shown) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
    CHECK(Printable(shown) == shown);
  }
}

TEST_CASE("a literal of Python names any path, between the quotes of a shell") {
  struct Row {
    std::string_view text;
    std::string_view literal;
  };
  const Row rows[] = {
      {"", R"("")"},
      {"data/a b", R"("data/a b")"},
      {"it's", R"("it\u0027s")"},
      {R"("back\slash")", R"("\"back\\slash\"")"},
      {"$HOME `a` !b", R"("$HOME `a` !b")"},
      {"new\nline\x1b", R"("new\u000aline\u001b")"},
      {"caf\xc3\xa9", "\"caf\xc3\xa9\""},
      {"\xe2\x80\xae", R"("\u202e")"},  // reverses the text after it
      {"\xf0\x9f\x8e\xb2", "\"\xf0\x9f\x8e\xb2\""},
      {"\xff\xc3", R"("\udcff\udcc3")"},  // not UTF-8
  };
  for (const Row& row : rows) {
    CHECK(PythonLiteral(row.text) == row.literal);
    CHECK(Printable(row.literal) == row.literal);
  }
}

TEST_CASE("counts have commas between groups of three digits") {
  struct Row {
    uint64_t n;
    std::string_view text;
  };
  const Row rows[] = {{0, "0"},
                      {999, "999"},
                      {1000, "1,000"},
                      {123456, "123,456"},
                      {1234567, "1,234,567"},
                      {~uint64_t{0}, "18,446,744,073,709,551,615"}};
  for (const Row& row : rows) CHECK(FormatCount(row.n) == row.text);
}

TEST_CASE("sizes have three digits and the largest fitting unit") {
  struct Row {
    double bytes;
    std::string_view text;
  };
  const Row rows[] = {
      {0, "0 B"},
      {1, "1 B"},
      {1023, "1023 B"},  // bytes are counted, not rounded
      {1024, "1.00 KiB"},
      {1536, "1.50 KiB"},
      {10'239, "10.0 KiB"},  // 9.999: rounded up to two digits before the point
      {10'240, "10.0 KiB"},
      {102'399, "100 KiB"},  // 99.999: to three
      {1'000'000, "977 KiB"},
      {1'024'000, "1000 KiB"},  // four digits: a unit is 1024 of the smaller one
      {1'048'575, "1.00 MiB"},  // 1023.999: to the next unit
      {1'048'576, "1.00 MiB"},
      {1e12, "931 GiB"},
      {18'446'744'073'709'551'615.0, "16.0 EiB"},
  };
  for (const Row& row : rows) CHECK(FormatBytes(row.bytes) == row.text);
}

TEST_CASE("hexadecimal output has two lower-case digits per byte, sixteen per number") {
  CHECK(ToHex(ByteView()) == "");
  CHECK(ToHex(AsBytes("\x09\xaf\xff")) == "09afff");
  CHECK(ToHex(uint64_t{0}) == "0000000000000000");
  CHECK(ToHex(0x0123456789abcdef) == "0123456789abcdef");
  CHECK(ToHex(~uint64_t{0}) == "ffffffffffffffff");
}

TEST_CASE("only ASCII letters are folded") {
  CHECK(Folded(std::string_view("AZaz09_@[`{")) == "azaz09_@[`{");
  CHECK(Folded(std::string_view("\xc3\x84\xc1")) == "\xc3\x84\xc1");
  CHECK(Folded(std::string_view("A\0B", 3)) == std::string_view("a\0b", 3));
}

TEST_CASE("text is concatenated from words, characters and numbers of every width") {
  CHECK(StrCat() == "");
  CHECK(StrCat("a", 'b', std::string("c"), 1, -2, uint64_t{1} << 63, uint8_t{7}) == "abc1-292233720368547758087");
}

}  // namespace
}  // namespace ofindex

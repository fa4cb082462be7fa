#include "index/columns/derivations.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "index/columns/column_choice.h"

namespace ofindex {
namespace {

std::vector<std::string> ColumnsIn(const Derivations& derivations, std::string_view feature) {
  std::vector<std::string> names;
  for (const DerivedColumn& column : derivations.ColumnsOf(feature)) {
    names.push_back(StrCat(Name(column.role), " ", column.name));
  }
  return names;
}

}  // namespace

TEST_CASE("derivations are sorted, each once, and their text parses to the same ones") {
  struct Row {
    std::vector<std::string> arguments;
    std::vector<std::string> sorted;
    const char* text;
  };
  const std::vector<Row> rows = {
      {{}, {}, ""},
      {{"b:hash", "a:length", "b:image", "b:hash"}, {"a:length", "b:image", "b:hash"}, "a:length,b:image,b:hash"},
      {{"a:b:hash"}, {"a:b:hash"}, "a:b:hash"},
      {{"a,b\\:hash"}, {"a,b\\:hash"}, "a\\,b\\\\:hash"},
      {{":length"}, {":length"}, ":length"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Result<Derivations> derivations = Derivations::Of(row.arguments);
    REQUIRE(derivations);
    CHECK(derivations->Arguments() == row.sorted);
    CHECK(derivations->Text() == row.text);
    CHECK(Derivations::ParseText(row.text) == *derivations);
    CHECK(Derivations::ParseText(row.text)->Features() == derivations->Features());
  }
}

TEST_CASE("what is not NAME:WHAT, and too many derivations, are refused") {
  for (const char* argument : {"", "a", "a:", "a:size", "a:Image", "image", "a:hash:b"}) {
    CHECK_MESSAGE(Derivations::Of({argument}).error().code == ErrorCode::kUsage, argument);
  }
  std::vector<std::string> many;
  for (size_t i = 0; i < kMaxDerivations; ++i) many.push_back(StrCat("feature ", i, ":hash"));
  CHECK(Derivations::Of(many));
  many.push_back("one more:hash");
  CHECK(Derivations::Of(many).error().code == ErrorCode::kLimit);
  CHECK(Derivations::Of({std::string((16 << 10) - 5, 'a') + ":hash"}));
  CHECK(Derivations::Of({std::string((16 << 10) - 4, 'a') + ":hash"}).error().code == ErrorCode::kLimit);
}

TEST_CASE("a text that no choice has is no choice") {
  for (const char* text : {"a", ",", "b:hash,a:hash", "a:hash,a:hash", "a:hash,", "a:what", "a\\:hash"}) {
    CHECK_MESSAGE(!Derivations::ParseText(text), text);
    CHECK_MESSAGE(ColumnChoice::Parse("auto", text).error().code == ErrorCode::kIndex, text);
  }
}

TEST_CASE("the names of derived columns depend on the choice alone, and differ in SQL") {
  const Derivations one = Derivations::Of({"image:length", "image:image", "image:hash"}).value();
  CHECK(ColumnsIn(one, "image") == std::vector<std::string>{"width image#width", "height image#height",
                                                            "channels image#channels", "format image#format",
                                                            "hash image#hash", "length image#length"});
  CHECK(ColumnsIn(one, "other").empty());
  const Derivations alike = Derivations::Of({"a:hash", "A:hash", std::string("\0:hash", 6)}).value();
  CHECK(ColumnsIn(alike, "A") == std::vector<std::string>{"hash A#hash"});
  CHECK(ColumnsIn(alike, "a") == std::vector<std::string>{"hash a#hash_2"});
  CHECK(ColumnsIn(alike, std::string(1, '\0')) == std::vector<std::string>{"hash \\x00#hash"});
}

TEST_CASE("a feature has derived columns if some record has bytes in it") {
  const Derivations derivations = Derivations::Of({"a:hash"}).value();
  FeatureRow row{.name = "a", .kinds = static_cast<uint8_t>(kBytesKind | BitOf(FeatureKind::kInt64))};
  derivations.SetColumns(row);
  CHECK(ColumnNamesOf(row) == std::vector<std::string>{"a#hash"});
  row.kinds = BitOf(FeatureKind::kInt64);
  derivations.SetColumns(row);
  CHECK(ColumnNamesOf(row).empty());
}

TEST_CASE("a feature is kept for the sake of what is derived from it") {
  ColumnChoice choice = ColumnChoice::Parse("b,d", "a:hash,b:hash").value();
  CHECK(choice.Kept() == std::vector<std::string>{"a", "b", "d"});
  CHECK(choice.decodes());
  choice.mode = ColumnChoice::Mode::kNone;
  CHECK(choice.decodes());
  choice.derived = {};
  CHECK_FALSE(choice.decodes());
}

}  // namespace ofindex

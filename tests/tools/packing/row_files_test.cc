#include "tools/packing/row_files.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/temp_dir.h"
#include "tests/tools/packing/rows.h"
#include "tools/packing/line_reader.h"
#include "tools/packing/row_builder.h"
#include "tools/packing/schema_inference.h"

namespace ofindex {
namespace {

TEST_CASE("windows of every size give the same lines") {
  const TempDir dir;
  const std::string path = dir.path() + "/lines";
  std::string text;
  std::vector<size_t> begins;
  for (size_t i = 0; i < 300; ++i) {
    begins.push_back(text.size());
    text += std::string(i * 37 % 101, static_cast<char>('a' + i % 26)) + "\n";
  }
  begins.push_back(text.size());
  text += "the last has no end";
  WriteFile(path, text);
  auto lines = LineReader::Open(path);
  REQUIRE(lines);
  for (const size_t window : {size_t{1}, size_t{2}, size_t{7}, size_t{64}, size_t{1000}, size_t{1} << 20}) {
    lines->SeekTo(0, window);
    std::string_view line;
    std::string joined;
    for (const size_t begin : begins) {
      REQUIRE(lines->offset() == begin);
      REQUIRE(lines->Next(line) == true);
      joined += line;
    }
    CHECK(lines->Next(line) == false);
    CHECK(joined == text);
    for (size_t i = begins.size(); i-- > 0;) {
      lines->SeekTo(begins[i], window);
      REQUIRE(lines->Next(line) == true);
      CHECK(line == std::string_view(text).substr(begins[i], line.size()));
      if (i + 1 < begins.size()) {
        REQUIRE(lines->Extend(line) == true);
        CHECK(line == std::string_view(text).substr(begins[i], line.size()));
      }
    }
  }
}

class RowsOf {
 public:
  RowsOf(const std::string& text, RowFormat format) {
    path_ = dir_.path() + "/rows";
    WriteFile(path_, text);
    rows = std::make_unique<Result<RowFiles>>(RowFiles::Open({path_}, format, progress_));
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  std::unique_ptr<Result<RowFiles>> rows;

 private:
  TempDir dir_;
  Progress progress_;
  std::string path_;
};

TEST_CASE("the end of a name implies the format, in lower or upper case") {
  struct Row {
    std::string path;
    std::optional<RowFormat> format;
  };
  const Row rows[] = {
      {"a.csv", RowFormat::kCsv},
      {"folder.csv/A.TSV", RowFormat::kTsv},
      {"a.jsonl", RowFormat::kJsonLines},
      {"a.Json", RowFormat::kJsonLines},
      {"a.b.ndjson", RowFormat::kJsonLines},
      {"folder.csv/a", std::nullopt},
      {".csv", std::nullopt},  // a hidden file without an extension
      {"a.csv.gz", std::nullopt},
      {"", std::nullopt},
  };
  for (const Row& row : rows) CHECK_MESSAGE(RowFormatOf(row.path) == row.format, row.path);
}

TEST_CASE("a row read alone equals the row read in order") {
  RowsOf source(
      "\xef\xbb\xbf"
      "a,b\r\n\n1,\"x\ny\"\r\n\n2,\"\"\"\"\n3,z",
      RowFormat::kCsv);
  REQUIRE(*source.rows);
  RowFiles& rows = **source.rows;
  std::vector<RowPlace> places;
  ShownRow all;
  const auto note = [&places](RowPlace place) -> Result<void> {
    places.push_back(place);
    return {};
  };
  REQUIRE(rows.ForEach(all, note));
  CHECK(places.size() == 3);
  CHECK(all.lines == std::vector<std::string>{"a/0 text 1", "b/0 text x\\x0ay", "a/0 text 2", "b/0 text \"",
                                              "a/0 text 3", "b/0 text z"});
  const std::vector<RowPlace> first = places;
  places.clear();
  REQUIRE(rows.ForEachPlace(note));
  REQUIRE(places.size() == 3);
  for (size_t i = 3; i-- > 0;) {
    CHECK(places[i].offset == first[i].offset);
    ShownRow one;
    REQUIRE(rows.At(first[i], one, [](RowPlace) -> Result<void> { return {}; }));
    CHECK(one.lines == std::vector<std::string>(all.lines.begin() + static_cast<long>(2 * i),
                                                all.lines.begin() + static_cast<long>(2 * i + 2)));
  }
}

TEST_CASE("an error names the same line whether the row is read alone or in order") {
  RowsOf source("a\n\n\"x\ny\"\n1,2\n", RowFormat::kCsv);
  REQUIRE(*source.rows);
  ShownRow shown;
  const auto take = [](RowPlace) -> Result<void> { return {}; };
  const auto passed = (*source.rows)->ForEach(shown, take);
  const auto visited = (*source.rows)->At({0, 9}, shown, take);
  REQUIRE_FALSE(passed);
  REQUIRE_FALSE(visited);
  CHECK(passed.error().message.find("@9: line 5: ") != std::string::npos);
  CHECK(passed.error().message == visited.error().message);
  CHECK(passed.error().hint.text().find("5p") != std::string::npos);
}

TEST_CASE("a file that grows after it was opened is detected") {
  RowsOf source("{\"a\":1}\n", RowFormat::kJsonLines);
  REQUIRE(*source.rows);
  CHECK((*source.rows)->CheckUnchanged());
  WriteFile(source.path(), "{\"a\":1}\n{\"a\":2}\n");
  const auto changed = (*source.rows)->CheckUnchanged();
  REQUIRE_FALSE(changed);
  CHECK(changed.error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace ofindex

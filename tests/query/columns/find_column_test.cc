#include "query/columns/find_column.h"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

TEST_CASE("a column is found by its SQL name or its feature's name, in any case; otherwise near names are suggested") {
  std::vector<FeatureInMemory> features;
  for (const char* name : {"image/height", "label", "Label", "id"}) {
    features.push_back({name, {Ints({1}), Ints({2})}});
  }
  features.push_back({"photo", {Strings({std::string(100, 'x')}), Strings({"y"})}});
  ColumnStore store(std::make_unique<ColumnsInMemory>(features, std::vector<uint32_t>{2}), {});
  const std::vector<std::array<const char*, 2>> found = {
      {"label", "label_2"},  // the feature; SQL's own `Label` is another one
      {"Label", "Label"},     {"label_2", "label_2"},   {"IMAGE/height", "image/height"},
      {"_LENGTH", "_length"}, {"photo", "photo#bytes"}, {"photo#bytes", "photo#bytes"},
  };
  for (const auto& row : found) {
    CAPTURE(row[0]);
    CHECK(FindColumn(store, row[0]).value().name == row[1]);
  }
  const Result<Column> missing = FindColumn(store, "image/hieght");
  REQUIRE(!missing.has_value());
  CHECK(missing.error().code == ErrorCode::kUsage);
  CHECK(missing.error().message.ends_with("; did you mean 'image/height'?"));
  CHECK(FindColumn(store, "nothing like it\x1b").error().message == "there is no column 'nothing like it\\x1b'");
}

}  // namespace
}  // namespace ofindex

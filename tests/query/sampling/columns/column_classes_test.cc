#include "query/sampling/columns/column_classes.h"

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/columns/value_order.h"
#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

// A column of all kinds of values, in blocks of 64, 130 and 106 records.
std::vector<std::optional<Cell>> AnyCells() {
  std::vector<std::optional<Cell>> cells;
  for (int i = 0; i < 300; ++i) {
    switch (i % 7) {
      case 0: cells.emplace_back(Ints({i % 5})); break;
      case 1: cells.emplace_back(Doubles({static_cast<double>(i % 4) / 2})); break;
      case 2: cells.emplace_back(std::nullopt); break;
      case 3: cells.emplace_back(Strings({"t" + std::to_string(i % 6)})); break;
      case 4: cells.emplace_back(Strings({std::string("\xff") + std::to_string(i % 3)})); break;
      case 5: cells.emplace_back(Floats({i % 2 == 0 ? -0.0 : std::numeric_limits<double>::quiet_NaN()})); break;
      default: cells.emplace_back(Ints({std::numeric_limits<int64_t>::max() - i % 2})); break;
    }
  }
  return cells;
}

struct Classes {
  ColumnsInMemory columns;
  ColumnStore store{std::make_unique<ColumnsInMemory>(columns), ColumnStoreOptions{}};
  uint64_t records;
  Result<ColumnClasses> classes;

  explicit Classes(std::vector<std::optional<Cell>> cells, uint64_t of)
      : columns({FeatureInMemory{"c", std::move(cells)}}, {64, 130, 106}),
        records(of),
        classes(ColumnClasses::Read(store, column(), of)) {}

  Column column() const {
    for (const Column& one : store.columns()) {
      if (one.name == "c") return one;
    }
    return {};
  }
};

TEST_CASE("the classes of a column are its values in SQLite's order, and every record has the class of its value") {
  for (const uint64_t records : std::vector<uint64_t>{300, 299, 194, 100, 64, 1, 0}) {
    CAPTURE(records);
    Classes data(AnyCells(), records);
    REQUIRE(data.classes.has_value());
    const ColumnClasses& classes = *data.classes;
    std::vector<uint64_t> counts(classes.size());
    uint64_t next = 0;
    const auto visited = classes.ForEach(data.store, [&](uint64_t first, std::span<const uint32_t> some) {
      CHECK(first == next);
      for (const uint32_t number : some) {
        const ColumnValue value = data.columns.Expected(data.column(), next++);
        REQUIRE((number == ColumnClasses::kNone) == (value.type == ColumnValue::Type::kNull));
        if (number == ColumnClasses::kNone) continue;
        CHECK(CompareValues(classes.value(number), value) == 0);
        ++counts[number];
      }
    });
    REQUIRE(visited.has_value());
    CHECK(next == records);
    for (uint32_t c = 0; c < classes.size(); ++c) {
      CHECK(counts[c] == classes.count(c));
      CHECK(counts[c] > 0);
      if (c > 0) CHECK(CompareValues(classes.value(c - 1), classes.value(c)) < 0);
    }
  }
}

TEST_CASE("classes have the type of the column") {
  const auto of = [](const Cell& cell) {
    Classes data(std::vector<std::optional<Cell>>(300, cell), 300);
    REQUIRE(data.classes.has_value());
    REQUIRE(data.classes->size() == 1);
    CHECK(data.classes->count(0) == 300);
    return data.classes->value(0);
  };
  CHECK(of(Ints({3})) == CellValue(Ints({3}), 0));
  CHECK(of(Doubles({3})) == CellValue(Doubles({3}), 0));
  CHECK(of(Floats({0.5})) == CellValue(Floats({0.5}), 0));
  CHECK(of(Strings({"a"})) == CellValue(Strings({"a"}), 0));
  CHECK(of(Strings({"\xff"})) == CellValue(Strings({"\xff"}), 0));
}

TEST_CASE("a value that no record has belongs to no class") {
  Classes data(AnyCells(), 300);
  REQUIRE(data.classes.has_value());
  CHECK(data.classes->Find(ViewOf(CellValue(Ints({99}), 0))) == ColumnClasses::kNone);
  CHECK(data.classes->Find(ViewOf(CellValue(Doubles({0.125}), 0))) == ColumnClasses::kNone);
  CHECK(data.classes->Find(ViewOf(CellValue(Doubles({1e300}), 0))) == ColumnClasses::kNone);
  CHECK(data.classes->Find(ViewOf(CellValue(Strings({"x"}), 0))) == ColumnClasses::kNone);
  CHECK(data.classes->Find({}) == ColumnClasses::kNone);
  CHECK(data.classes->Find(ViewOf(CellValue(Doubles({1}), 0))) == data.classes->Find(ViewOf(CellValue(Ints({1}), 0))));
}

TEST_CASE("classes of records that the columns do not have are an error") {
  const Classes data(AnyCells(), 301);
  REQUIRE(!data.classes.has_value());
  CHECK(data.classes.error().code == ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace ofindex

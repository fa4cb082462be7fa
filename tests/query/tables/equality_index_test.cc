#include "query/tables/equality_index.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "query/columns/value_order.h"
#include "tests/query/sql_values.h"

namespace ofindex {
namespace {

EqualityIndex IndexOf(const std::vector<ColumnValue>& values) {
  auto index = EqualityIndex::Build(values.size(), {}, [&](const EqualityIndex::Take& take) -> Result<void> {
    for (size_t row = 0; row < values.size(); ++row) take(row, ViewOf(values[row]));
    return {};
  });
  REQUIRE(index.has_value());
  REQUIRE(index->has_value());
  return std::move(**index);
}

std::vector<uint64_t> Found(const EqualityIndex& index, const std::vector<ColumnValue>& values) {
  AscendingRows found = index.Find(values);
  found.Begin(false);
  std::vector<uint64_t> rows;
  while (const std::optional<uint64_t> row = found.Take()) rows.push_back(*row);
  return rows;
}

bool HasRow(const std::vector<uint64_t>& rows, uint64_t row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

TEST_CASE("rows are found by values equal to theirs, as bytes or as a number") {
  struct Row {
    ColumnValue stored;
    ColumnValue wanted;
  };
  const std::vector<Row> rows = {
      {SqlInt(5), SqlInt(5)},
      {SqlInt(5), SqlReal(5)},
      {SqlReal(5), SqlInt(5)},
      {SqlReal(0.1), SqlReal(0.1)},
      {SqlReal(-0.0), SqlInt(0)},
      {SqlReal(0x1p62), SqlInt(int64_t{1} << 62)},
      {SqlInt(std::numeric_limits<int64_t>::min()), SqlReal(-0x1p63)},
      {SqlReal(1e300), SqlReal(1e300)},
      {SqlText("cat"), SqlText("cat")},
      {SqlText(""), SqlText("")},
      {SqlBlob("cat"), SqlBlob("cat")},
      {SqlText("5"), SqlText("5")},
      {SqlText("5"), SqlInt(5)},
      {SqlText(" +5\n"), SqlInt(5)},
      {SqlText("5.0"), SqlInt(5)},
      {SqlText("5e0"), SqlReal(5)},
      {SqlText(".5"), SqlReal(0.5)},
      {SqlText("5."), SqlReal(5)},
      {SqlText("0.1"), SqlReal(0.1)},
      {SqlText("0.1"), SqlReal(std::nextafter(0.1, 1))},  // another conversion of the text may round to this
      {SqlText("9223372036854775808"), SqlReal(0x1p63)},
      {SqlText("9007199254740993"), SqlInt(9007199254740993)},
      {SqlText("1e999"), SqlReal(std::numeric_limits<double>::infinity())},
      {SqlText("-1e999"), SqlReal(-std::numeric_limits<double>::infinity())},
      {SqlText("1e-999"), SqlInt(0)},
  };
  std::vector<ColumnValue> stored;
  for (const Row& row : rows) stored.push_back(row.stored);
  const EqualityIndex index = IndexOf(stored);
  for (size_t r = 0; r < rows.size(); ++r) {
    CAPTURE(r);
    CHECK(HasRow(Found(index, {rows[r].wanted}), r));
    CHECK(HasRow(Found(index, {SqlText("other"), rows[r].wanted}), r));
  }
  CHECK(Found(index, {}).empty());
  CHECK(Found(index, {ColumnValue{}}).empty());
}

TEST_CASE("rows are found in ascending order without repeats: all rows with equal values, and few others") {
  std::mt19937_64 random(3);
  std::vector<ColumnValue> values;
  for (int i = 0; i < 5000; ++i) {
    const auto n = static_cast<int64_t>(random() % 700);
    const auto sort = random() % 4;
    values.push_back(sort == 0   ? SqlInt(n)
                     : sort == 1 ? SqlReal(static_cast<double>(n) / 2)
                     : sort == 2 ? SqlText(std::to_string(n))
                                 : ColumnValue{});
  }
  const EqualityIndex index = IndexOf(values);
  size_t found_in_all = 0;
  for (int64_t n = 0; n < 700; ++n) {
    const std::vector<ColumnValue> wanted = {SqlInt(n), SqlText(std::to_string(n))};
    const std::vector<uint64_t> found = Found(index, wanted);
    CHECK(std::is_sorted(found.begin(), found.end()));
    CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
    found_in_all += found.size();
    for (size_t row = 0; row < values.size(); ++row) {
      const bool equal = CompareValues(values[row], wanted[0]) == 0 || CompareValues(values[row], wanted[1]) == 0;
      if (equal && !HasRow(found, row)) FAIL_CHECK(row);
    }
  }
  CHECK(found_in_all < 4 * values.size());
}

TEST_CASE("if the values differ in the second pass, building is a stale error and writes nothing out of bounds") {
  struct Row {
    std::vector<ColumnValue> first;
    std::vector<ColumnValue> second;
  };
  const std::vector<ColumnValue> threes(1000, SqlInt(3));
  std::vector<ColumnValue> swapped = {SqlInt(1), SqlInt(2), SqlText("x"), SqlReal(0.5)};
  const std::vector<ColumnValue> unswapped = swapped;
  std::swap(swapped[0], swapped[1]);
  const std::vector<Row> rows = {
      {std::vector<ColumnValue>(1000), threes},                // no values in the first pass
      {threes, std::vector<ColumnValue>(1000)},                // no values in the second pass
      {threes, std::vector<ColumnValue>(1000, SqlInt(4))},     // as many values, but different ones
      {threes, std::vector<ColumnValue>(1000, SqlText("3"))},  // each value is indexed twice in the second pass
      {std::vector<ColumnValue>(1000, SqlText("3")), threes},  // each value is indexed twice in the first pass
      {std::vector<ColumnValue>(1000, SqlInt(3)), {SqlInt(3), SqlInt(3)}},  // fewer rows
      {unswapped, swapped},                                                 // the same rows in another order
  };
  for (size_t r = 0; r < rows.size(); ++r) {
    CAPTURE(r);
    int pass = 0;
    const auto index = EqualityIndex::Build(1000, {}, [&](const EqualityIndex::Take& take) -> Result<void> {
      const std::vector<ColumnValue>& values = pass++ == 0 ? rows[r].first : rows[r].second;
      for (size_t row = 0; row < values.size(); ++row) {
        if (values[row].type != ColumnValue::Type::kNull) take(row, ViewOf(values[row]));
      }
      return {};
    });
    REQUIRE_FALSE(index.has_value());
    CHECK(index.error().code == ErrorCode::kStale);
  }
}

TEST_CASE("an index is not built if there is no room for one of its parts") {
  const std::vector<ColumnValue> strings(1000, SqlText("3"));  // each is indexed twice: as text and as a number
  const auto build = [&](const std::function<bool(uint64_t)>& has_room) {
    auto index = EqualityIndex::Build(strings.size(), {.has_room = has_room}, [&](const auto& take) -> Result<void> {
      for (size_t row = 0; row < strings.size(); ++row) take(row, ViewOf(strings[row]));
      return {};
    });
    REQUIRE(index.has_value());
    return index->has_value();
  };
  int questions = 0;
  uint64_t largest = 0;
  CHECK(build([&](uint64_t bytes) {
    ++questions;
    largest = std::max(largest, bytes);
    return true;
  }));
  CHECK(questions > 1);
  CHECK(largest < 10 * strings.size());
  for (int refused = 1; refused <= questions; ++refused) {
    CAPTURE(refused);
    int question = 0;
    CHECK_FALSE(build([&](uint64_t) { return ++question != refused; }));
  }
}

}  // namespace
}  // namespace ofindex

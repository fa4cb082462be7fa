#pragma once

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "query/columns/column_store.h"
#include "query/columns/value_order.h"
#include "tests/query/columns_in_memory.h"
#include "tests/query/plain_table.h"

namespace ofindex {

/// A dataset of random columns of every kind, in full, tiny and medium blocks; and a plain SQLite table with the same
/// values, for comparison.
class StatsTable {
 public:
  explicit StatsTable(uint32_t seed, ColumnChoice choice = {}) {
    const std::vector<uint32_t> blocks = {700, 1, 64, 300, 129};
    auto source = std::make_unique<ColumnsInMemory>(RandomFeatures(seed, 1194), blocks, std::move(choice));
    columns_ = source.get();
    store_ = std::make_unique<ColumnStore>(std::move(source), ColumnStoreOptions{.threads = 1 + seed % 3});
    FillPlainTable(plain_, *store_, *columns_);
  }

  [[nodiscard]] ColumnStore& store() const { return *store_; }
  [[nodiscard]] const ColumnsInMemory& columns() const { return *columns_; }

  /// Returns all rows from SQLite.
  [[nodiscard]] std::vector<std::vector<ColumnValue>> Ask(const std::string& sql,
                                                          const std::vector<ColumnValue>& values = {}) const {
    sqlite3_stmt* statement = nullptr;
    REQUIRE_MESSAGE(sqlite3_prepare_v2(plain_.db(), sql.c_str(), -1, &statement, nullptr) == SQLITE_OK,
                    sqlite3_errmsg(plain_.db()), ": ", sql);
    for (size_t i = 0; i < values.size(); ++i) Connection::Bind(statement, static_cast<int>(i) + 1, values[i]);
    std::vector<std::vector<ColumnValue>> rows;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        rows.back().push_back(ofindex::ValueOf(sqlite3_column_value(statement, i)));
      }
    }
    sqlite3_finalize(statement);
    return rows;
  }

  /// Returns the single value from SQLite.
  [[nodiscard]] ColumnValue AskOne(const std::string& sql, const std::vector<ColumnValue>& values = {}) const {
    return Ask(sql, values).at(0).at(0);
  }

 private:
  using Random = std::mt19937_64;

  static double SomeReal(Random& random) {
    static const std::vector<double> odd = {
        0.0, -0.0, 1, -7, 2.5, 0x1p53, 0x1p62, -0x1p63, 1e-300, NAN, std::numeric_limits<double>::infinity(), 0.1};
    if (random() % 3 == 0) return odd[random() % odd.size()];
    return static_cast<double>(random() % 1000) / 8 - 30;
  }

  static int64_t SomeInteger(Random& random) {
    static const std::vector<int64_t> odd = {std::numeric_limits<int64_t>::min(),
                                             std::numeric_limits<int64_t>::max(),
                                             int64_t{1} << 53,
                                             (int64_t{1} << 53) + 1,
                                             0,
                                             -1};
    if (random() % 3 == 0) return odd[random() % odd.size()];
    return static_cast<int64_t>(random() % 2000) - 1000;
  }

  static std::string SomeBytes(Random& random) {
    static const std::vector<std::string> odd = {"", std::string("a\0b", 3), "\xff", "é", "label", "Label", "\xff\xfe"};
    if (random() % 2 == 0) return odd[random() % odd.size()];
    return std::string(random() % 20, static_cast<char>('a' + random() % 20));
  }

  static Cell SomeOfAnyKind(Random& random) {
    switch (random() % 5) {
      case 0: return Ints({SomeInteger(random)});
      case 1: return Floats({double{static_cast<float>(SomeReal(random))}});
      case 2: return Doubles({SomeReal(random)});
      case 3: return Strings({SomeBytes(random)});
      default: return Cell{};
    }
  }

  template <typename Value>
  static std::vector<Value> SomeList(Random& random, const std::function<Value()>& make) {
    std::vector<Value> values(random() % 4);
    for (Value& value : values) value = make();
    return values;
  }

  static std::vector<FeatureInMemory> RandomFeatures(uint32_t seed, size_t records) {
    Random random(seed);
    std::vector<std::pair<std::string, std::function<Cell()>>> makers = {
        {"class", [&] { return Ints({static_cast<int64_t>(random() % 9)}); }},
        {"words", [&] { return Ints({static_cast<int64_t>(random() % 3000) - 9}); }},
        {"narrow at the end", [&] { return Ints({std::numeric_limits<int64_t>::max() - int64_t(random() % 9)}); }},
        {"integers", [&] { return Ints({SomeInteger(random)}); }},
        {"float", [&] { return Floats({double{static_cast<float>(SomeReal(random))}}); }},
        {"finite", [&] { return Floats({static_cast<double>(random() % 64) / 4}); }},
        {"double", [&] { return Doubles({SomeReal(random)}); }},
        {"text", [&] { return Strings({std::string(1, static_cast<char>('a' + random() % 7))}); }},
        {"bytes", [&] { return Strings({SomeBytes(random)}); }},
        {"mixed", [&] { return SomeOfAnyKind(random); }},
        {"one value", [] { return Ints({42}); }},
        {"nothing", [] { return Cell{}; }},
        {"not a number", [] { return Floats({NAN}); }},
        {"x\"; DROP TABLE records; --", [&] { return Ints({static_cast<int64_t>(random() % 2)}); }},
        {"boxes", [&] { return Ints(SomeList<int64_t>(random, [&] { return int64_t(random() % 20); })); }},
        {"reals", [&] { return Doubles(SomeList<double>(random, [&] { return SomeReal(random); })); }},
        {"words of",
         [&] { return Strings(SomeList<std::string>(random, [&] { return std::string(random() % 3, 'w'); })); }},
    };
    std::vector<FeatureInMemory> features;
    for (const auto& [name, make] : makers) {
      features.push_back({name, {}});
      for (size_t i = 0; i < records; ++i) {
        features.back().cells.push_back(random() % 6 == 0 ? std::nullopt : std::optional<Cell>(make()));
      }
    }
    return features;
  }

  Connection plain_;
  std::unique_ptr<ColumnStore> store_;
  const ColumnsInMemory* columns_ = nullptr;
};

/// Returns true if both are NULL, or are equal in SQL.
[[nodiscard]] inline bool Same(const ColumnValue& a, const ColumnValue& b) {
  return (a.type == ColumnValue::Type::kNull) == (b.type == ColumnValue::Type::kNull) && CompareValues(a, b) == 0;
}

/// Returns true if `found` equals SQL's avg(), up to rounding; if there are infinities of both signs, SQL's result is
/// NULL and `found` is empty.
[[nodiscard]] inline bool Near(const std::optional<double>& found, const ColumnValue& expected, double scale) {
  if (expected.type == ColumnValue::Type::kNull) return !found;
  if (!found) return false;
  return *found == expected.real || std::abs(*found - expected.real) <= 1e-12 * scale;
}

}  // namespace ofindex

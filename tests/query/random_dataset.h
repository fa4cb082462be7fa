#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "query/tables/values/has_function.h"
#include "tests/query/columns_in_memory.h"
#include "tests/query/plain_table.h"

namespace ofindex {

/// A random generator with short names.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}

  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  template <typename T>
  const T& Of(const std::vector<T>& values) {
    return values[Below(values.size())];
  }

 private:
  std::mt19937_64 random_;
};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline const std::vector<int64_t> kIntegers = {0,
                                               1,
                                               -1,
                                               2,
                                               3,
                                               5,
                                               17,
                                               255,
                                               256,
                                               65535,
                                               65536,
                                               1'000'000,
                                               int64_t{1} << 53,
                                               (int64_t{1} << 53) + 1,
                                               std::numeric_limits<int64_t>::max(),
                                               std::numeric_limits<int64_t>::max() - 1,
                                               std::numeric_limits<int64_t>::min()};
inline const std::vector<double> kReals = {0.0, -0.0,   0.5,     1,     1.5,    -2.25,     3,          17,     0x1p53,
                                           255, 0x1p63, -0x1p63, 1e300, -1e300, kInfinity, -kInfinity, 5e-324, NAN};
inline const std::vector<float> kFloats = {0.0F,  -0.0F,  0.1F,   0.5F, 1.0F,     -3.0F,   17.0F,
                                           3e38F, -3e38F, 1e-45F, NAN,  INFINITY, 65536.0F};
inline const std::vector<std::string> kTexts = {"",
                                                "a",
                                                "A",
                                                "b",
                                                "ab",
                                                "cat",
                                                "Cat",
                                                "CAT",
                                                "5",
                                                "1.5",
                                                "17",
                                                "-1",
                                                " 5",
                                                "zz",
                                                "\xc3\xa9",
                                                "\xf0\x9f\x90\x88",
                                                std::string("a\0b", 3),
                                                std::string("\0", 1),
                                                "\xff",
                                                "a\xff",
                                                "\xed\xa0\x80",
                                                "it's",
                                                "per%cent",
                                                "under_score",
                                                "[1,2]",
                                                "null"};
inline const std::vector<std::string> kNames = {"label",
                                                "Label",
                                                "LABEL",
                                                "_id",
                                                "rowid",
                                                "id",
                                                "_shard",
                                                "x\"; DROP TABLE shard; --",
                                                "\xf0\x9f\x90\x88",
                                                "image/height",
                                                "a'b",
                                                "select",
                                                "",
                                                " ",
                                                "a\nb",
                                                std::string("nul\0l", 5),
                                                "\xff\xfe",
                                                "x#count",
                                                "x",
                                                "x#bytes",
                                                std::string(1000, '\x81'),
                                                "[]",
                                                "oid",
                                                "_rowid_",
                                                "has",
                                                "records",
                                                "%s%n"};

inline Cell SomeCell(Dice& dice, size_t kind, size_t count) {
  Cell cell;
  if (kind == 0) cell.kind = FeatureKind::kInt64;
  if (kind == 1) cell.kind = FeatureKind::kInt32;
  if (kind == 2) cell.kind = FeatureKind::kDouble;
  if (kind == 3) cell.kind = FeatureKind::kFloat;
  if (kind == 4) cell.kind = FeatureKind::kBytes;
  for (size_t i = 0; i < count; ++i) {
    if (kind == 0) cell.integers.push_back(dice.Of(kIntegers));
    if (kind == 1) cell.integers.push_back(static_cast<int64_t>(dice.Below(12)) - 3);
    if (kind == 2) cell.reals.push_back(dice.Of(kReals));
    if (kind == 3) cell.reals.push_back(double{dice.Of(kFloats)});
    if (kind == 4) cell.strings.push_back(dice.Of(kTexts));
  }
  return cell;
}

inline FeatureInMemory SomeFeature(Dice& dice, const std::string& name, size_t records) {
  FeatureInMemory feature{name, {}};
  const size_t habit = dice.Below(5);  // the most frequent kind
  const bool mixed = dice.OneIn(4);
  const size_t missing = dice.Of(std::vector<size_t>{2, 10, 1000});
  const bool listed = dice.OneIn(3);
  for (size_t r = 0; r < records; ++r) {
    if (dice.OneIn(missing)) {
      feature.cells.emplace_back();
      continue;
    }
    const size_t kind = mixed ? dice.Below(6) : habit;
    const size_t count = listed ? dice.Below(4) : dice.OneIn(60) ? 0 : 1;
    feature.cells.emplace_back(SomeCell(dice, kind, count));
  }
  return feature;
}

/// A random dataset in two forms, and random expressions about it.
class RandomDataset {
 public:
  explicit RandomDataset(uint64_t seed) : dice_(seed) {
    std::vector<uint32_t> blocks;
    size_t records = 0;
    for (size_t b = dice_.Below(5) + 1; b > 0; --b) {
      blocks.push_back(static_cast<uint32_t>(dice_.Of(std::vector<size_t>{1, 5, 30, 64, 65, 130})));
      records += blocks.back();
    }
    std::vector<FeatureInMemory> features;
    ColumnChoice choice{.mode = dice_.OneIn(2) ? ColumnChoice::Mode::kNamed : ColumnChoice::Mode::kAuto};
    std::vector<std::string> names = kNames;
    for (int i = 0; i < 6; ++i) {
      const size_t n = dice_.Below(names.size());
      features.push_back(SomeFeature(dice_, names[n], records));
      choice.names.push_back(names[n]);
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(n));
    }
    std::sort(choice.names.begin(), choice.names.end());
    if (choice.mode == ColumnChoice::Mode::kAuto) choice.names.clear();
    columns_ = std::make_unique<ColumnsInMemory>(std::move(features), blocks, choice, SomeGaps(seed, blocks.size()));
    store_ =
        std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(*columns_), ColumnStoreOptions{.threads = 2});
    FillPlainTable(plain_, *store_, *columns_);
    REQUIRE(RegisterHas(plain_.db()).has_value());
  }

 protected:
  // Returns gaps in the ordinals for every other seed.
  static std::vector<uint64_t> SomeGaps(uint64_t seed, size_t blocks) {
    Dice dice(seed);
    std::vector<uint64_t> gaps(seed % 2 == 0 ? blocks + 1 : 0);
    for (uint64_t& gap : gaps) gap = dice.OneIn(2) ? 0 : dice.Of(std::vector<uint64_t>{1, 40, 1000});
    return gaps;
  }

  std::string SomeColumn() { return QuotedName(SomeShown().name); }

  const Column& SomeShown() {
    for (;;) {
      const Column& column = dice_.Of(store_->columns());
      if (!column.is_hidden()) return column;
    }
  }

  ColumnValue SomeValue() {
    switch (dice_.Below(6)) {
      case 0: return {.type = ColumnValue::Type::kInteger, .integer = dice_.Of(kIntegers)};
      case 1: return {.type = ColumnValue::Type::kInteger, .integer = static_cast<int64_t>(dice_.Below(200))};
      case 2: {
        const double real = dice_.OneIn(3) ? double{dice_.Of(kFloats)} : dice_.Of(kReals);
        if (std::isnan(real)) return {};
        return {.type = ColumnValue::Type::kReal, .real = real};
      }
      case 3:
      case 4: return {.type = ColumnValue::Type::kText, .bytes = dice_.Of(kTexts)};
      default:
        return {.type = dice_.OneIn(4) ? ColumnValue::Type::kNull : ColumnValue::Type::kBlob,
                .bytes = dice_.Of(kTexts)};
    }
  }

  // Returns a value as a parameter or, if that is equivalent, as a literal.
  std::string SomeOperand(std::vector<ColumnValue>& values) {
    ColumnValue value = SomeValue();
    if (value.type == ColumnValue::Type::kNull) value.bytes.clear();
    if (dice_.OneIn(2)) {
      if (value.type == ColumnValue::Type::kNull) return "NULL";
      if (value.type == ColumnValue::Type::kInteger && value.integer != std::numeric_limits<int64_t>::min()) {
        return std::to_string(value.integer);
      }
      if (value.type == ColumnValue::Type::kText && IsText(AsBytes(value.bytes)))
        return "'" + Doubled(value.bytes) + "'";
      if (value.type == ColumnValue::Type::kBlob) return "x'" + ToHex(AsBytes(value.bytes)) + "'";
    }
    values.push_back(std::move(value));
    const std::string place = "?" + std::to_string(values.size());
    if (!dice_.OneIn(8)) return place;
    return "CAST(" + place + " AS " + dice_.Of(std::vector<std::string>{"INTEGER", "REAL", "TEXT", "BLOB", "NUMERIC"}) +
           ")";
  }

  static std::string Doubled(const std::string& text) {
    std::string doubled;
    for (const char c : text) doubled += c == '\'' ? "''" : std::string(1, c);
    return doubled;
  }

  std::string SomeLeaf(std::vector<ColumnValue>& values) {
    const std::string column = SomeColumn();
    static const std::vector<std::string> kOperators = {"=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "==", "!="};
    switch (dice_.Below(14)) {
      case 0: return column + " BETWEEN " + SomeOperand(values) + " AND " + SomeOperand(values);
      case 1: {
        std::string list;
        for (size_t n = dice_.Below(7); n > 0; --n) list += (list.empty() ? "" : ", ") + SomeOperand(values);
        return column + (dice_.OneIn(4) ? " NOT IN (" : " IN (") + list + ")";
      }
      case 2: return column + (dice_.OneIn(2) ? " IS NULL" : " IS NOT NULL");
      case 3:
        return column + (dice_.OneIn(4) ? " NOT LIKE '" : " LIKE '") +
               dice_.Of(
                   std::vector<std::string>{"%", "a%", "C%", "cat", "_", "%5%", "1_", "", "\xc3\xa9%", "x%y", "%t"}) +
               "'";
      case 4: return column + " = " + SomeColumn();
      case 5: return column + " = " + SomeOperand(values) + " COLLATE NOCASE";
      case 6: return SomeOperand(values) + " " + dice_.Of(std::vector<std::string>{"=", "<", ">="}) + " " + column;
      case 7: return "_id " + dice_.Of(kOperators) + " " + std::to_string(dice_.Below(300));
      default: return column + " " + dice_.Of(kOperators) + " " + SomeOperand(values);
    }
  }

  std::string SomeExpression(std::vector<ColumnValue>& values, int depth) {
    if (depth == 0 || dice_.OneIn(3)) return SomeLeaf(values);
    const std::string left = SomeExpression(values, depth - 1);
    switch (dice_.Below(6)) {
      case 0: return "NOT (" + left + ")";
      case 1: return "(" + left + " OR " + SomeExpression(values, depth - 1) + ")";
      default: return "(" + left + " AND " + SomeExpression(values, depth - 1) + ")";
    }
  }

  // Returns the first row that differs.
  static std::string Difference(const std::vector<std::string>& rows, const std::vector<std::string>& expected) {
    if (rows.size() != expected.size()) return StrCat(": ", rows.size(), " rows, expected ", expected.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != expected[i])
        return StrCat(": row ", i, ": ", Printable(rows[i]), ", expected ", Printable(expected[i]));
    }
    return "";
  }

  static std::string Shown(const std::string& sql, const std::vector<ColumnValue>& values) {
    std::string text = sql;
    for (const ColumnValue& value : values) {
      text += " / " + std::to_string(static_cast<int>(value.type)) + ":" + std::to_string(value.integer) + ":" +
              std::to_string(value.real) + ":" + value.bytes;
    }
    return text;
  }

  Dice dice_;
  std::unique_ptr<ColumnsInMemory> columns_;
  std::shared_ptr<ColumnStore> store_;
  Connection plain_;  // the dataset as an ordinary table of SQLite
};

}  // namespace ofindex

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "base/text.h"
#include "query/sql/where.h"
#include "query/tables/values/has_function.h"
#include "query/tables/tables.h"
#include "tests/query/plain_table.h"

// Random queries on random datasets: SQLite over a plain table of the values, SQLite over the virtual table, and
// Where() must give the same answers.

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

// The number of generated datasets: 70, or the number in the environment.
int Datasets() {
  const char* const given = std::getenv("OFINDEX_QUERY_DATASETS");
  return given == nullptr ? 70 : std::atoi(given);
}

constexpr int kExpressions = 330;  // per dataset
constexpr int kQueries = 90;       // per dataset

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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::vector<int64_t> kIntegers = {0,
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
const std::vector<double> kReals = {0.0, -0.0,   0.5,     1,     1.5,    -2.25,     3,          17,     0x1p53,
                                    255, 0x1p63, -0x1p63, 1e300, -1e300, kInfinity, -kInfinity, 5e-324, NAN};
const std::vector<float> kFloats = {0.0F,  -0.0F,  0.1F,   0.5F, 1.0F,     -3.0F,   17.0F,
                                    3e38F, -3e38F, 1e-45F, NAN,  INFINITY, 65536.0F};
const std::vector<std::string> kTexts = {"",
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
const std::vector<std::string> kNames = {"label",
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

Cell SomeCell(Dice& dice, size_t kind, size_t count) {
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

FeatureInMemory SomeFeature(Dice& dice, const std::string& name, size_t records) {
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

/// A random dataset in three forms.
class World {
 public:
  explicit World(uint64_t seed) : dice_(seed) {
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
    columns_ = std::make_unique<ColumnsInMemory>(std::move(features), blocks, choice);
    store_ =
        std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(*columns_), ColumnStoreOptions{.threads = 2});
    FillPlainTable(plain_, *store_, *columns_);
    REQUIRE(RegisterRecords(virtual_.db(), store_).has_value());
    REQUIRE(RegisterHas(plain_));
  }

  // Asks the plain table, the virtual table and Where() for the records of one random expression.
  void AskExpression() {
    std::vector<ColumnValue> values;
    const std::string expression = SomeExpression(values, 2);
    const std::string sql = "SELECT _id FROM records WHERE " + expression + " ORDER BY _id";
    const auto expected = plain_.Rows(sql, values);
    CHECK_MESSAGE(virtual_.Rows(sql, values) == expected, Shown(sql, values));
    std::vector<SqlParameter> parameters;
    for (size_t i = 0; i < values.size(); ++i) parameters.push_back({std::to_string(i + 1), values[i]});
    const auto selection = Where(store_, expression, parameters);
    std::vector<std::string> rows;
    if (selection) {
      for (const uint64_t ordinal : selection->Ordinals()) rows.push_back("I" + std::to_string(ordinal) + "|");
      CHECK_MESSAGE(rows == expected, "Where: " << Shown(expression, values));
    } else {
      const bool both = expected.size() == 1 && expected[0].starts_with("error: ");
      CHECK_MESSAGE(both, selection.error().message << ": " << Shown(expression, values));
    }
    pushed_ += NeedsNoRows(store_, expression, parameters).value_or(false) ? 1 : 0;
  }

  void AskQuery() {
    std::vector<ColumnValue> values;
    const std::string a = SomeColumn();
    const std::string b = SomeColumn();
    const std::string where = " WHERE " + SomeExpression(values, 1);
    const std::string leaf = SomeLeaf(values);  // without OR, which gives rows in any order
    const std::string limit = dice_.OneIn(2) ? " LIMIT " + std::to_string(dice_.Below(9)) : "";
    const std::string offset = limit.empty() ? "" : " OFFSET " + std::to_string(dice_.Below(9));
    const std::vector<std::string> queries = {
        "SELECT * FROM records" + where + " ORDER BY _id",
        "SELECT " + a + ", " + b + " FROM records" + where + " ORDER BY _id DESC" + limit + offset,
        "SELECT " + a + ", _id FROM records" + where + " ORDER BY 1, 2" + limit + offset,
        "SELECT count(*), count(" + a + "), min(" + a + "), max(" + b + ") FROM records" + where,
        "SELECT " + a + ", count(*), min(_id) FROM records" + where + " GROUP BY 1 ORDER BY 1",
        "SELECT DISTINCT " + a + " FROM records" + where + " ORDER BY 1" + limit,
        "SELECT r._id, s._id FROM records r JOIN records s ON r." + a + " = s." + b +
            " AND s._id < 9 WHERE r._id > 3 "
            "ORDER BY 1, 2" +
            limit,
        "SELECT r._id, s._id FROM records r LEFT JOIN records s ON s._id = r._id + 1 AND s." + a + " > r." + b +
            " ORDER BY 1, 2" + limit,
        "SELECT _id FROM records WHERE " + a + " IN (SELECT " + b + " FROM records" + where + ") ORDER BY _id",
        "SELECT r._id, s._id FROM records r JOIN records s ON r." + a + " = s." + a +
            " AND r._id < s._id WHERE r._id < 40 ORDER BY 1, 2",
        "SELECT r._id, s._id FROM records r JOIN records s ON r." + a + " = s." + b + " AND r." + b + " = s." + a +
            " ORDER BY 1, 2" + limit,
        "SELECT r._id, s._id FROM records r LEFT JOIN records s ON s." + a + " = r." + b + " AND s." + b +
            " IS NOT NULL WHERE r._id < 30 ORDER BY 1, 2 DESC",
        "SELECT r._id, s._id FROM records r JOIN records s ON s." + a + " IS r." + b +
            " WHERE r._id < 30 ORDER BY 1, 2" + limit,
        "SELECT r._id, s._id FROM records r JOIN records s ON s." + a + " IN (r." + b +
            ", r._id) WHERE r._id < 30 "
            "ORDER BY 1, 2 DESC",
        "SELECT r._id, s._id FROM records r JOIN records s ON s." + a + " = +r." + b +
            " WHERE r._id < 30 ORDER BY 1, 2",
        "SELECT r._id, s._id FROM records r JOIN records s ON s." + a + " = r." + b +
            " COLLATE NOCASE WHERE r._id < 30 "
            "ORDER BY 1, 2",
        "SELECT r._id, s._id FROM records r JOIN records s ON s." + a + " = CAST(r." + b + " AS " +
            dice_.Of(std::vector<std::string>{"INTEGER", "REAL", "TEXT", "NUMERIC"}) + ") ORDER BY 1, 2" + limit,
        "SELECT _id, (SELECT max(s._id) FROM records s WHERE s." + a + " = r." + b +
            "), (SELECT count(*) FROM records s "
            "WHERE s." +
            b + " = r." + b + " AND s._id > r._id) FROM records r WHERE _id < 40 ORDER BY 1",
        "SELECT _id FROM records r WHERE " + a + " = (SELECT max(" + a + ") FROM records s WHERE s." + b + " = r." + b +
            ") ORDER BY 1",
        "SELECT _id FROM records r WHERE EXISTS (SELECT 1 FROM records s WHERE s." + a + " = r." + b +
            " AND s._id BETWEEN r._id - 9 AND r._id - 1) ORDER BY 1",
        "SELECT _id FROM records r WHERE _id NOT IN (SELECT s._id FROM records s WHERE s." + a + " = r." + a +
            " AND s._id <> r._id) ORDER BY 1",
        "WITH n AS MATERIALIZED (SELECT " + a +
            " AS k FROM records WHERE _id < 25) SELECT r._id FROM n JOIN records r "
            "ON r." +
            b + " = n.k ORDER BY 1",
        "SELECT r._id, s._id, t._id FROM records r JOIN records s ON s." + a + " = r." + a + " JOIN records t ON t." +
            b + " = s." + b + " WHERE r._id < 9 ORDER BY 1, 2, 3 LIMIT 300",
        "SELECT _id FROM records" + where + " AND (" + a + ", " + b + ") >= (1, 'a') ORDER BY _id" + limit + offset,
        "SELECT _id FROM records WHERE " + leaf + " UNION ALL SELECT _id FROM records WHERE _id < 4" + limit + offset,
    };
    const std::string& sql = dice_.Of(queries);
    const auto rows = virtual_.Rows(sql, Used(sql, values));
    const auto expected = plain_.Rows(sql, Used(sql, values));
    CHECK_MESSAGE(rows == expected, Shown(sql, values) << Difference(rows, expected));
  }

  [[nodiscard]] int pushed() const { return pushed_; }

 private:
  static bool RegisterHas(const Connection& connection) { return ofindex::RegisterHas(connection.db()).has_value(); }

  static std::vector<ColumnValue> Used(const std::string& sql, const std::vector<ColumnValue>& values) {
    return sql.find('?') == std::string::npos ? std::vector<ColumnValue>() : values;
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

  std::string SomeColumn() { return QuotedName(dice_.Of(store_->columns()).name); }

  ColumnValue SomeValue() {
    switch (dice_.Below(6)) {
      case 0: return {.type = Type::kInteger, .integer = dice_.Of(kIntegers)};
      case 1: return {.type = Type::kInteger, .integer = static_cast<int64_t>(dice_.Below(200))};
      case 2: {
        const double real = dice_.OneIn(3) ? double{dice_.Of(kFloats)} : dice_.Of(kReals);
        if (std::isnan(real)) return {};
        return {.type = Type::kReal, .real = real};
      }
      case 3:
      case 4: return {.type = Type::kText, .bytes = dice_.Of(kTexts)};
      default: return {.type = dice_.OneIn(4) ? Type::kNull : Type::kBlob, .bytes = dice_.Of(kTexts)};
    }
  }

  // Returns a value as a parameter or, if that is equivalent, as a literal.
  std::string SomeOperand(std::vector<ColumnValue>& values) {
    ColumnValue value = SomeValue();
    if (value.type == Type::kNull) value.bytes.clear();
    if (dice_.OneIn(2)) {
      if (value.type == Type::kNull) return "NULL";
      if (value.type == Type::kInteger && value.integer != std::numeric_limits<int64_t>::min()) {
        return std::to_string(value.integer);
      }
      if (value.type == Type::kText && IsText(AsBytes(value.bytes))) return "'" + Doubled(value.bytes) + "'";
      if (value.type == Type::kBlob) return "x'" + ToHex(AsBytes(value.bytes)) + "'";
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

  Dice dice_;
  std::unique_ptr<ColumnsInMemory> columns_;
  std::shared_ptr<ColumnStore> store_;
  Connection plain_;
  Connection virtual_;
  int pushed_ = 0;
};

TEST_CASE("random queries give the same answer from a plain table, from the virtual table and from Where()") {
  const int datasets = Datasets();
  int pushed = 0;
  for (int seed = 1; seed <= datasets; ++seed) {
    CAPTURE(seed);
    World world(static_cast<uint64_t>(seed));
    for (int i = 0; i < kExpressions; ++i) world.AskExpression();
    for (int i = 0; i < kQueries; ++i) world.AskQuery();
    pushed += world.pushed();
  }
  // Both paths of Where() are exercised often.
  CHECK(pushed > datasets * kExpressions / 10);
  CHECK(pushed < datasets * kExpressions * 9 / 10);
  MESSAGE((datasets * kExpressions) << " expressions, " << pushed << " of them answered by kernels alone; "
                                    << (datasets * kQueries) << " queries");
}

TEST_CASE("has() finds in lists what json_each() finds in their text") {
  Dice dice(7);
  for (int round = 0; round < 40; ++round) {
    FeatureInMemory feature{"list", {}};
    for (int r = 0; r < 100; ++r) {
      if (dice.OneIn(8)) {
        feature.cells.emplace_back();
        continue;
      }
      Cell cell = SomeCell(dice, dice.Of(std::vector<size_t>{0, 1, 3, 4}), dice.Below(5));
      // json_each() reads reals in its own way, and takes bytes that are not text for objects.
      for (double& real : cell.reals) real = static_cast<double>(dice.Below(40)) / 4;
      for (std::string& text : cell.strings) text = IsText(AsBytes(text)) ? text : "cat";
      feature.cells.push_back(std::move(cell));
    }
    const ColumnsInMemory columns({feature}, {30, 64, 6}, {.mode = ColumnChoice::Mode::kNamed, .names = {"list"}});
    const auto store = std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(columns), ColumnStoreOptions{});
    if (!store->columns()[4].is_list()) continue;
    const Connection plain;
    FillPlainTable(plain, *store, columns);
    for (int i = 0; i < 25; ++i) {
      const std::string value =
          dice.Of(std::vector<std::string>{"1", "3", "0", "17", "2.5", "'cat'", "'5'", "'17'", "' 2.50'", "5", "0.25",
                                           "''", "9223372036854775807", "x'61'", "NULL", "'it''s'", "-1"});
      const auto expected = plain.Rows(
          "SELECT _id FROM records WHERE EXISTS (SELECT 1 FROM json_each(list) j WHERE CASE "
          "typeof(j.value) WHEN 'text' THEN CAST(j.value AS TEXT) = " +
          value + " ELSE CAST(j.value AS NUMERIC) = " + value + " END) ORDER BY _id");
      for (const char* sign : {"", "+"}) {
        std::vector<std::string> rows;
        const auto selection = Where(store, sign + ("has(list, " + value) + ")");
        REQUIRE_MESSAGE(selection.has_value(), selection.error().message);
        for (const uint64_t ordinal : selection->Ordinals()) rows.push_back("I" + std::to_string(ordinal) + "|");
        CHECK_MESSAGE(rows == expected, sign << value);
      }
    }
  }
}

}  // namespace
}  // namespace ofindex

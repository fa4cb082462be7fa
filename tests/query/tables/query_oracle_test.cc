#include <doctest/doctest.h>

#include <cstdlib>

#include "base/text.h"
#include "query/sql/where.h"
#include "query/tables/tables.h"
#include "tests/query/plain_table.h"
#include "tests/query/random_dataset.h"

// Random queries on random datasets: SQLite over a plain table of the values, SQLite over the virtual table, and
// Where() must give the same answers.

namespace ofindex {
namespace {

// The number of generated datasets: 70, or the number in the environment.
int Datasets() {
  const char* const given = std::getenv("OFINDEX_QUERY_DATASETS");
  return given == nullptr ? 70 : std::atoi(given);
}

constexpr int kExpressions = 330;  // per dataset
constexpr int kQueries = 90;       // per dataset

/// A random dataset, also as a virtual table.
class World : public RandomDataset {
 public:
  explicit World(uint64_t seed) : RandomDataset(seed) { REQUIRE(RegisterRecords(virtual_.db(), store_).has_value()); }

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
        "SELECT _id FROM records WHERE " + leaf + " AND " + a + " <> 'zz' COLLATE NOCASE ORDER BY " + b + " DESC, 1" +
            limit,
        "SELECT " + a + ", " + b + ", _id FROM records" + where + " ORDER BY 1 DESC, 2, 3 LIMIT -1" + offset,
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
  static std::vector<ColumnValue> Used(const std::string& sql, const std::vector<ColumnValue>& values) {
    return sql.find('?') == std::string::npos ? std::vector<ColumnValue>() : values;
  }

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

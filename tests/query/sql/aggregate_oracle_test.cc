#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>

#include "query/sql/grouped_statements.h"
#include "query/tables/records_table.h"
#include "tests/query/plain_table.h"
#include "tests/query/random_dataset.h"

// Random statements that aggregate: a session that may answer in groups must give row for row what SQLite gives over an
// ordinary table, in the same order. Some of the statements only look as if they could be answered in groups.

namespace ofindex {
namespace {

constexpr int kPerDataset = 250;

// The number of random statements: 15,000, or the number in the environment.
int Statements() {
  const char* const given = std::getenv("OFINDEX_AGGREGATE_STATEMENTS");
  return given == nullptr ? 15'000 : std::atoi(given);
}

std::string Line(const SqlRows& rows) {
  std::string line;
  for (size_t i = 0; i < rows.columns().size(); ++i) {
    const SqlValue value = rows.At(i);
    line += std::string(" NIRTB").substr(1 + static_cast<size_t>(value.type), 1);
    if (value.type == ColumnValue::Type::kInteger) line += std::to_string(value.integer);
    if (value.type == ColumnValue::Type::kReal) line += std::to_string(std::bit_cast<uint64_t>(value.real));
    line += std::string(AsText(value.bytes)) + "|";
  }
  return line;
}

class Aggregates : public RandomDataset {
 public:
  explicit Aggregates(uint64_t seed) : RandomDataset(seed) {
    const auto add = [this](sqlite3* db, const WorkLimits& limits, const std::shared_ptr<GroupedScans>& scans) {
      return RegisterRecordsTable(db, {.store = store_, .groups = scans, .limits = limits});
    };
    auto grouped = GroupedStatements::Open(store_, add, {"records"});
    REQUIRE_MESSAGE(grouped.has_value(), grouped.error().message);
    grouped_ = *std::move(grouped);
  }

  void Ask() {
    std::vector<ColumnValue> values;
    const std::string sql = SomeStatement(values);
    std::vector<SqlParameter> parameters;
    for (size_t i = 0; i < values.size(); ++i) parameters.push_back({std::to_string(i + 1), values[i]});
    const std::optional<std::vector<std::string>> rows = Rows(sql, parameters);
    if (!rows) return;
    ++answered_;
    computed_ += sql.find("/* computed */") != std::string::npos ? 1 : 0;
    std::vector<std::string> expected = plain_.Rows(sql, values);
    if (expected.size() == 1 && expected[0].starts_with("error: ")) expected = {"error"};
    CHECK_MESSAGE(*rows == expected, Shown(sql, values) << Difference(*rows, expected));
  }

  [[nodiscard]] int answered() const { return answered_; }
  [[nodiscard]] int computed() const { return computed_; }

 private:
  // Returns nothing if the statement is left to an ordinary session.
  std::optional<std::vector<std::string>> Rows(const std::string& sql, const std::vector<SqlParameter>& parameters) {
    auto asked = grouped_->Query(sql, parameters, {});
    REQUIRE(asked.has_value());
    if (!*asked) return std::nullopt;
    std::vector<std::string> rows;
    CHECK_MESSAGE((*asked)->columns() == plain_.Columns(sql), sql);
    for (;;) {
      const Result<bool> more = (*asked)->Next();
      if (!more) return std::vector<std::string>{"error"};
      if (!*more) return rows;
      rows.push_back(Line(**asked));
    }
  }

  std::string SomeCall() {
    static const std::vector<std::string> kCalls = {"count(*)",
                                                    "count(@)",
                                                    "sum(@)",
                                                    "total(@)",
                                                    "avg(@)",
                                                    "min(@)",
                                                    "max(@)",
                                                    "count(DISTINCT @)",
                                                    "sum(DISTINCT @)",
                                                    "avg(DISTINCT @)",
                                                    "total(DISTINCT @)",
                                                    "min(DISTINCT @)"};
    static const std::vector<std::string> kMisses = {"group_concat(@)",
                                                     "sum(@ + 1)",
                                                     "count(*) FILTER (WHERE @ > 1)",
                                                     "max(@, 3)",
                                                     "min(@ COLLATE NOCASE)",
                                                     "count(DISTINCT @ COLLATE NOCASE)",
                                                     "sum(-@)",
                                                     "@",
                                                     "json_group_array(@)",
                                                     "sum(@) FILTER (WHERE @ IS NOT NULL)"};
    std::string call = dice_.OneIn(12) ? dice_.Of(kMisses) : dice_.Of(kCalls);
    for (size_t at = call.find('@'); at != std::string::npos; at = call.find('@')) call.replace(at, 1, SomeColumn());
    return call;
  }

  // One to four functions, perhaps in expressions; some columns are used several times.
  std::string SomeFunctions() {
    std::string functions;
    for (size_t n = dice_.Below(4) + 1; n > 0; --n) {
      std::string call = SomeCall();
      if (dice_.OneIn(8)) call = "coalesce(" + call + ", 0)";
      if (dice_.OneIn(8)) call = call + " * 2";
      if (dice_.OneIn(8)) call = "typeof(" + call + ")";
      functions += (functions.empty() ? "" : ", ") + call;
    }
    return functions;
  }

  std::string SomeWhere(std::vector<ColumnValue>& values) {
    switch (dice_.Below(4)) {
      case 0: return "";
      case 1: return " WHERE " + SomeExpression(values, 1);
      default: return " WHERE " + SomeLeaf(values);
    }
  }

  std::string SomeKeys() {
    std::string keys = SomeColumn();
    for (size_t n = dice_.Below(3); n > 1; --n) keys += ", " + SomeColumn();
    if (dice_.OneIn(20)) keys += " COLLATE NOCASE";
    if (dice_.OneIn(20)) keys += " + 0";
    if (dice_.OneIn(30)) keys += ", 'x'";
    if (dice_.OneIn(30)) keys += ", rowid";
    return keys;
  }

  std::string SomeHaving() {
    return dice_.Of(std::vector<std::string>{"", "", "", " HAVING count(*) > 2", " HAVING c > 1", " HAVING NOT c < 4",
                                             " HAVING " + SomeCall() + " IS NOT NULL"});
  }

  // Most often a column without bytes.
  std::string SomeNumber() {
    for (;;) {
      const Column& column = SomeShown();
      const bool bytes = (store_->kinds(column) & (1U << static_cast<unsigned>(FeatureKind::kBytes))) != 0;
      if ((!bytes && !column.is_list()) || dice_.OneIn(15)) return QuotedName(column.name);
    }
  }

  // Arithmetic on columns, or something that only looks like it.
  std::string SomeArithmetic() {
    static const std::vector<std::string> kForms = {"@ / 2",
                                                    "@ % 3",
                                                    "@ * @",
                                                    "@ + @",
                                                    "-@",
                                                    "@ - 0.5",
                                                    "(@ + 1) * 0.1",
                                                    "@ / 3 * 3",
                                                    "@ / @",
                                                    "@ % @",
                                                    "@ * 1e300",
                                                    "CAST(@ AS INTEGER)",
                                                    "CAST(@ AS REAL)",
                                                    "CAST(@ * 10 AS INT) / 10",
                                                    "@ - -@",
                                                    "@ * -0.0",
                                                    "@ + 9223372036854775807",
                                                    "2.5 / @",
                                                    "@ / CAST(2 AS REAL)",
                                                    "@ * CAST(1.9 AS INT)",
                                                    "@ * (1 + 1)",
                                                    "@ * CAST(-0.0 AS INTEGER)",
                                                    "@ % 100 - 9223372036854775807 - 2",
                                                    "CAST(CAST(7 AS REAL) / 2 AS INTEGER) + @",
                                                    "@ / -9223372036854775808",
                                                    "1000 * -@",
                                                    "records.@ + 1"};
    static const std::vector<std::string> kMisses = {
        "abs(@) + 1", "@ + 1 COLLATE NOCASE", "@ || 1", "round(@ * 2)", "@ + rowid", "@ + 'a'",
        "@ + NULL",   "CAST(@ AS TEXT)",      "@ & 3",  "@ / 2 > 1",    "@ + x'31'", "~@ + 1"};
    std::string text = dice_.OneIn(10) ? dice_.Of(kMisses) : dice_.Of(kForms);
    for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) text.replace(at, 1, SomeNumber());
    return text;
  }

  // One or two keys that are arithmetic, each by its number, its alias or its text.
  std::string SomeComputed(std::vector<ColumnValue>& values) {
    std::string results;
    std::string keys;
    std::string order;
    for (size_t n = dice_.Below(2) + 1, i = 1; i <= n; ++i) {
      const std::string text = dice_.OneIn(5) ? SomeColumn() : SomeArithmetic();
      const std::string alias = "k" + std::to_string(i);
      const size_t form = dice_.Below(3);
      results += text + (form == 1 ? " AS " + alias : dice_.OneIn(4) ? " " + alias : "") + ", ";
      const std::string key = form == 0 ? std::to_string(i) : form == 1 ? alias : text;
      keys += (keys.empty() ? "" : ", ") + key;
      order += (order.empty() ? "" : ", ") + key + dice_.Of(std::vector<std::string>{"", " DESC", " ASC"});
    }
    std::string call = SomeCall();
    if (dice_.OneIn(3))
      call = dice_.Of(std::vector<std::string>{"sum", "avg", "total", "count", "max", "min"}) + "(" +
             (dice_.OneIn(4) ? "DISTINCT " : "") + SomeArithmetic() + ")";
    if (dice_.OneIn(8)) call = "coalesce(" + call + ", 0) + 1";
    const std::string having =
        dice_.Of(std::vector<std::string>{"", "", "", " HAVING count(*) > 2", " HAVING k1 > 1",
                                          " HAVING k1 = CAST(1 AS TEXT)", " HAVING sum(_id * 2) > 9"});
    switch (dice_.Below(8)) {
      case 0: return "SELECT DISTINCT " + SomeArithmetic() + " /* computed */ FROM records" + SomeWhere(values);
      case 1: return "SELECT /* computed */ " + call + ", count(*) FROM records" + SomeWhere(values);
      case 2: return "SELECT * FROM (SELECT " + results + call + " FROM records GROUP BY " + keys + ")";
      default:
        return "SELECT /* computed */ " + results + "count(*) AS c, " + call + " FROM records" + SomeWhere(values) +
               " GROUP BY " + keys + having +
               dice_.Of(std::vector<std::string>{"", " ORDER BY c DESC, " + order, " ORDER BY " + order}) +
               dice_.Of(std::vector<std::string>{"", "", " LIMIT 4"});
    }
  }

  // SELECT keys, count(*) AS c, functions ... GROUP BY keys.
  std::string SomeGrouped(std::vector<ColumnValue>& values, bool ordered) {
    const std::string keys = SomeKeys();
    const bool shown = !dice_.OneIn(4);
    std::string sql = "SELECT " + (shown ? keys + ", " : std::string()) + "count(*) AS c, " + SomeFunctions() +
                      " FROM records" + SomeWhere(values) + " GROUP BY " + keys + SomeHaving();
    if (!ordered) return sql;
    switch (dice_.Below(4)) {
      case 0: return sql + " ORDER BY c DESC, " + keys + (dice_.OneIn(2) ? " LIMIT 5" : "");
      case 1:
        return sql + " ORDER BY " + keys + (dice_.OneIn(2) ? " DESC" : "") +
               (dice_.OneIn(2) ? " LIMIT 3 OFFSET 1" : "");
      case 2: return sql + " ORDER BY " + SomeCall() + " NULLS LAST, " + keys;
      default: return sql;
    }
  }

  std::string SomeStatement(std::vector<ColumnValue>& values) {
    const std::string a = SomeColumn();
    const std::string b = SomeColumn();
    switch (dice_.Below(36)) {
      case 0: return "SELECT count(*), sum(c), max(c), total(c) FROM (" + SomeGrouped(values, false) + ")";
      case 1: return "WITH g AS (" + SomeGrouped(values, true) + ") SELECT g.*, (SELECT count(*) FROM g) FROM g";
      case 2: return "SELECT DISTINCT " + a + " FROM records" + SomeWhere(values);
      case 3: return "SELECT DISTINCT " + a + ", " + b + " FROM records" + SomeWhere(values) + " ORDER BY 1, 2 LIMIT 7";
      case 4:
        return "SELECT DISTINCT " + a + dice_.Of(std::vector<std::string>{", rowid % 3", " || 'x'", ", _id > 5"}) +
               " FROM records" + SomeWhere(values);
      case 5: return "SELECT DISTINCT " + a + " FROM records WHERE rowid % 3 = 1 AND " + SomeLeaf(values);
      case 6:
        return "SELECT " + SomeCall() + " FROM records" + SomeWhere(values) + " UNION ALL SELECT " + SomeCall() +
               " FROM records";
      case 7:
        return "SELECT count(*) FROM records WHERE " + a + " IN (SELECT " + b + " FROM records" + SomeWhere(values) +
               " GROUP BY 1 HAVING count(*) > 1)";
      case 8:
        return "SELECT " + a + ", count(*), sum(count(*)) OVER (ORDER BY " + a + ") FROM records GROUP BY 1 ORDER BY 1";
      case 9:
        return "SELECT _id, (SELECT " + SomeCall() + " FROM records s WHERE s." + a + " = r." + a +
               ") FROM records r WHERE _id < 9 ORDER BY 1";
      case 10: return "SELECT " + a + ", max(" + b + "), " + SomeColumn() + " FROM records GROUP BY 1";
      case 11:
        return "SELECT v.column1, " + SomeFunctions() + " FROM (VALUES (1), (2), (1)) v, records r WHERE r." + a +
               " >= v.column1 GROUP BY 1";
      case 12:
        return "SELECT v.column1, count(*), sum(r." + b + ") FROM (VALUES (1), (2), ('a')) v JOIN records r ON r." + a +
               " = v.column1";
      case 13: return "SELECT count(*) FROM (SELECT DISTINCT " + a + " FROM records" + SomeWhere(values) + ")";
      case 14:
        return "SELECT g.c, (SELECT " + SomeCall() + " FROM records) FROM (" + SomeGrouped(values, false) +
               ") g JOIN (" + "SELECT count(*) AS n, avg(" + a + ") FROM records GROUP BY " + b + ") h ON h.n = g.c";
      case 15:
        return "SELECT " + a + ", count(" + a + "), sum(" + a + "), avg(" + a + "), min(" + a + "), max(" + a +
               "), count(DISTINCT " + a + ") FROM records" + SomeWhere(values) + " GROUP BY 1";
      case 16:
        return "SELECT count(" + a + "), count(DISTINCT " + a + "), sum(" + a + "), sum(DISTINCT " + a + "), min(" + a +
               "), max(" + a + ") FROM records" + SomeWhere(values);
      case 17:
        return "SELECT DISTINCT " + a + " FROM records WHERE " +
               dice_.Of(std::vector<std::string>{"typeof(" + a + ") = 'real'", a + " || '' > '1'",
                                                 "quote(" + a + ") < '2'"});
      case 18: return "SELECT * FROM (SELECT DISTINCT " + a + " AS k FROM records) WHERE typeof(k) <> 'integer'";
      case 19:
        return "SELECT " + a +
               ", count(*) OVER (), count(*), sum(count(*)) OVER (ROWS 2 PRECEDING) FROM records GROUP BY " + a +
               " ORDER BY 1";
      case 20:
        return "SELECT r." + a + ", (SELECT count(*) FROM records s WHERE s." + b + " = r." + a +
               ") FROM records r WHERE r._id < 40 GROUP BY 1";
      case 21:
      case 22: return "SELECT " + SomeFunctions() + " FROM records" + SomeWhere(values);
      case 23:
      case 24:
      case 25:
      case 26:
      case 27:
      case 28:
      case 29:
      case 30: return SomeComputed(values);
      default: return SomeGrouped(values, true);
    }
  }

  std::unique_ptr<GroupedStatements> grouped_;
  int answered_ = 0;
  int computed_ = 0;  // answered, with arithmetic in keys or arguments
};

TEST_CASE("random statements answered in groups give what SQLite gives over an ordinary table") {
  const int statements = Statements();
  int asked = 0;
  int answered = 0;
  int computed = 0;
  for (uint64_t seed = 1; asked < statements; ++seed) {
    CAPTURE(seed);
    Aggregates aggregates(seed);
    for (int i = 0; i < kPerDataset; ++i) aggregates.Ask();
    asked += kPerDataset;
    answered += aggregates.answered();
    computed += aggregates.computed();
  }
  CHECK(answered > asked / 4);
  CHECK(computed > asked / 20);
  MESSAGE(asked << " statements, " << answered << " of them answered in groups, " << computed << " with arithmetic");
}

}  // namespace
}  // namespace ofindex

#include "query/tables/records_table.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <chrono>
#include <cmath>

#include "base/progress.h"
#include "base/text.h"
#include "index/build/builder.h"
#include "query/tables/tables.h"
#include "tests/query/plain_table.h"
#include "tests/query/tables/values_of_types.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

// 40 records in blocks of 16, 16 and 8.
std::vector<FeatureInMemory> ScoresAndTags() {
  FeatureInMemory label{"label", {}}, score{"score", {}}, name{"x\"; DROP TABLE records; --", {}}, tags{"tags", {}};
  for (int i = 0; i < 40; ++i) {
    label.cells.emplace_back(Ints({i % 10}));
    score.cells.emplace_back(i % 5 == 4 ? std::optional<Cell>() : Doubles({i % 7 == 6 ? NAN : i * 0.5}));
    name.cells.emplace_back(Strings({i % 3 == 0 ? "cat" : i % 3 == 1 ? "Dog" : "5"}));
    tags.cells.emplace_back(i % 4 == 0   ? Ints({i, 17})
                            : i % 4 == 1 ? Ints({i})
                            : i % 4 == 2 ? Ints({})
                                         : std::optional<Cell>());
  }
  return {label, score, name, tags};
}

/// A connection with `records`, next to one with a plain table of the same values.
class Tables {
 public:
  Tables()
      : columns_(
            ScoresAndTags(), {16, 16, 8},
            {.mode = ColumnChoice::Mode::kNamed, .names = {"label", "score", "tags", "x\"; DROP TABLE records; --"}}),
        store_(std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(columns_), ColumnStoreOptions{})) {
    REQUIRE(RegisterRecords(virtual_.db(), store_).has_value());
    FillPlainTable(plain_, *store_, columns_);
  }

  /// Returns the rows of `sql` over `records`, which must equal those of the plain table.
  std::vector<std::string> Same(const std::string& sql, const std::vector<ColumnValue>& values = {}) {
    const auto rows = virtual_.Rows(sql, values);
    CHECK_MESSAGE(rows == plain_.Rows(sql, values), sql);
    return rows;
  }

  [[nodiscard]] const Connection& records() const { return virtual_; }
  [[nodiscard]] ColumnStore& store() { return *store_; }

 private:
  ColumnsInMemory columns_;
  std::shared_ptr<ColumnStore> store_;
  Connection virtual_;
  Connection plain_;
};

TEST_CASE("records has every value of every record") {
  Tables tables;
  CHECK(tables.Same("SELECT * FROM records").size() == 40);
  CHECK(tables.Same("SELECT \"x\"\"; DROP TABLE records; --\" FROM records WHERE _id = 3") ==
        std::vector<std::string>{"Tcat|"});
  CHECK(tables.Same("SELECT tags, \"tags#count\" FROM records WHERE _id < 4") ==
        std::vector<std::string>{"T[0,17]|I2|", "T[1]|I1|", "T[]|I0|", "N|N|"});
}

TEST_CASE("general SQL over records gives the same answers as over a plain table") {
  Tables tables;
  for (const char* sql : {
           "SELECT count(*) FROM records",
           "SELECT label, count(*), min(score), max(_shard) FROM records GROUP BY label ORDER BY label",
           "SELECT a._id, b._id FROM records a JOIN records b ON a._id = b.label WHERE a.score > 1 ORDER BY 1, 2",
           "SELECT a._id, b._id FROM records a LEFT JOIN records b ON b._id = a.score WHERE a._id < 9 ORDER BY 1",
           "SELECT a._id, b._id FROM records a LEFT JOIN records b ON b._id = a.score AND b.score IS NULL WHERE "
           "b.score IS NULL ORDER BY 1, 2",
           "SELECT a._id FROM records a LEFT JOIN records b ON b._id = a.score WHERE b.score IS NULL ORDER BY 1",
           "SELECT sum(value) FROM records, json_each(tags)",
           "SELECT _id FROM records WHERE (label, score) = (3, 1.5)",
           "SELECT _id FROM records WHERE (label, score) < (3, 1.5)",
           "SELECT _id FROM records WHERE (label, score) >= (3, 1.5) LIMIT 5 OFFSET 3",
           "SELECT _id FROM records WHERE (label, score) IN (SELECT label, score FROM records WHERE _id IN (4, 7, 13))",
           "SELECT _id FROM records WHERE (label, score) IN (VALUES (3, 1.5), (5, 2.5)) LIMIT 2 OFFSET 1",
           "SELECT _id FROM records WHERE label = 1 OR label = 3 OR score < 4 ORDER BY _id",
           "SELECT _id FROM records WHERE label = _id",
           "SELECT _id FROM records WHERE label = (SELECT max(label) FROM records WHERE score < 10)",
           "SELECT DISTINCT label FROM records WHERE _id > 20 ORDER BY 1 DESC",
       }) {
    tables.Same(sql);
  }
  CHECK(tables.records().Rows("SELECT rowid FROM records WHERE rowid BETWEEN 5 AND 8 AND rowid <> 6") ==
        std::vector<std::string>{"I5|", "I7|", "I8|"});
}

TEST_CASE("a column of one kind has the affinity of that kind, whatever the type of the other value") {
  Tables tables;
  using Type = ColumnValue::Type;
  const std::string name = "\"x\"\"; DROP TABLE records; --\"";
  const std::vector<ColumnValue> values = {
      {.type = Type::kText, .bytes = "5"},     {.type = Type::kInteger, .integer = 5},
      {.type = Type::kText, .bytes = " 5.0 "}, {.type = Type::kReal, .real = 5},
      {.type = Type::kText, .bytes = "1.5"},   {.type = Type::kReal, .real = 1.5},
      {.type = Type::kBlob, .bytes = "5"},     {.type = Type::kText, .bytes = "cat"},
      {.type = Type::kText, .bytes = "5e0x"},  {}};
  for (const std::string& column : {std::string("label"), std::string("score"), name, std::string("_id"),
                                    std::string("_shard"), std::string("\"tags#count\""), std::string("tags")}) {
    for (const char* test : {" = ?", " IS ?", " IS NOT ?", " <> ?", " < ?", " >= ?", " IN (?, 7)", " NOT IN (?)",
                             " BETWEEN ? AND 7", " LIKE ?", " IN (SELECT ?)", " = CAST(? AS TEXT)"}) {
      for (const ColumnValue& value : values) {
        tables.Same("SELECT _id FROM records WHERE " + column + test + " ORDER BY _id", {value});
      }
    }
  }
  CHECK(tables.Same("SELECT count(*) FROM records WHERE label = '3'") == std::vector<std::string>{"I4|"});
  CHECK(tables.Same("SELECT count(*) FROM records WHERE score = '1.5'") == std::vector<std::string>{"I1|"});
  CHECK(tables.Same("SELECT count(*) FROM records WHERE _id = '3' AND \"tags#count\" IS NULL") ==
        std::vector<std::string>{"I1|"});
}

TEST_CASE("a column is compared with columns of every affinity as SQLite compares a column of its own") {
  FeatureInMemory number{"number", {}}, text{"text", {}};
  for (size_t i = 0; i < kSpelledNumbers.size(); ++i) {
    const auto integer = static_cast<int64_t>(i) * 5;
    number.cells.emplace_back(Ints({integer}));
    text.cells.emplace_back(Strings({kSpelledNumbers[i]}));
  }
  ColumnsInMemory columns({number, text}, {8}, {.mode = ColumnChoice::Mode::kNamed, .names = {"number", "text"}});
  const Connection connection;
  REQUIRE(RegisterRecords(connection.db(), std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(columns),
                                                                         ColumnStoreOptions{})));
  AddValuesOfTypes(connection);
  CheckComparedAsPlain(connection, "records", "_id", "INTEGER");
  CheckComparedAsPlain(connection, "records", "number", "INTEGER");
  CheckComparedAsPlain(connection, "records", "text", "TEXT");
}

TEST_CASE("comparisons of text with a value of numeric affinity are left to SQLite") {
  Tables tables;
  const std::string name = "\"x\"\"; DROP TABLE records; --\"";
  CHECK(tables.Same("SELECT count(*) FROM records WHERE " + name + " = 5") == std::vector<std::string>{"I13|"});
  CHECK(tables.Same("SELECT count(*) FROM records WHERE " + name + " = CAST('5' AS INTEGER)") ==
        std::vector<std::string>{"I13|"});
  tables.Same("SELECT count(*) FROM records WHERE " + name + " < CAST(6 AS REAL)");
  tables.Same("SELECT count(*) FROM records WHERE " + name + " <> CAST(5 AS REAL)");
  tables.Same("SELECT count(*) FROM records WHERE " + name + " IN (SELECT CAST(5 AS INTEGER))");
  tables.Same("SELECT count(*) FROM records WHERE " + name + " = ?",
              {{.type = ColumnValue::Type::kInteger, .integer = 5}});
  tables.Same("SELECT count(*) FROM records WHERE " + name + " = ?",
              {{.type = ColumnValue::Type::kText, .bytes = "5"}});
}

TEST_CASE("collations other than BINARY are left to SQLite") {
  Tables tables;
  const std::string name = "\"x\"\"; DROP TABLE records; --\"";
  CHECK(tables.Same("SELECT count(*) FROM records WHERE " + name + " = 'dog' COLLATE NOCASE") ==
        std::vector<std::string>{"I13|"});
  tables.Same("SELECT count(*) FROM records WHERE " + name + " IN ('dog', 'CAT') COLLATE NOCASE");
  tables.Same("SELECT count(*) FROM records WHERE " + name + " >= 'cat ' COLLATE RTRIM");
}

TEST_CASE("LIKE with the pragma that makes it case-sensitive is left to SQLite") {
  Tables tables;
  const std::string sql = "SELECT count(*) FROM records WHERE \"x\"\"; DROP TABLE records; --\" LIKE 'd%'";
  CHECK(tables.Same(sql) == std::vector<std::string>{"I13|"});
  CHECK(tables.records().Rows("PRAGMA case_sensitive_like = 1").empty());
  CHECK(tables.records().Rows(sql) == std::vector<std::string>{"I0|"});
}

TEST_CASE("the table itself orders rows by _id, and LIMIT and OFFSET are right") {
  Tables tables;
  for (const char* where :
       {"", "WHERE label > 4", "WHERE score IS NULL", "WHERE _id > 12 AND label <> 3", "WHERE label IN (1, 2)",
        "WHERE label + 0 > 4", "WHERE label > 4 AND +label < 7", "WHERE (label, score) >= (3, 1.5)"}) {
    for (const char* order :
         {"ORDER BY _id", "ORDER BY _id DESC", "ORDER BY _id DESC, label", "ORDER BY label, _id", ""}) {
      for (const char* limit : {"", "LIMIT 5", "LIMIT 7 OFFSET 3", "LIMIT 100 OFFSET 30", "LIMIT 0",
                                "LIMIT -1 OFFSET 17", "LIMIT 3 OFFSET -1", "LIMIT 2 OFFSET 1000"}) {
        tables.Same(std::string("SELECT _id FROM records ") + where + " " + order + " " + limit);
      }
    }
  }
  const auto plan =
      tables.records().Rows("EXPLAIN QUERY PLAN SELECT _id FROM records WHERE label > 4 ORDER BY _id DESC");
  REQUIRE(plan.size() == 1);
  CHECK(plan[0].find("TEMP B-TREE") == std::string::npos);
}

// The table itself finds the first records of an order, if they are few.
TEST_CASE("SQLite sorts the records unless LIMIT and OFFSET together ask for at most 10,000") {
  struct Row {
    const char* limit;
    bool sorts;
  };
  const bool told = sqlite3_libversion_number() >= 3038000;  // by SQLite, what LIMIT is
  Tables tables;
  for (const Row& row : std::vector<Row>{
           {"", true},
           {"LIMIT 5", false},
           {"LIMIT 0", false},
           {"LIMIT 10000", false},
           {"LIMIT 10001", true},
           {"LIMIT 2147483647", true},
           {"LIMIT 5 OFFSET 9995", false},
           {"LIMIT 5 OFFSET 9996", true},
           {"LIMIT 2147483647 OFFSET 2147483647", true},
       }) {
    const std::string sql = std::string("SELECT _id FROM records ORDER BY score, _id ") + row.limit;
    CAPTURE(sql);
    tables.Same(sql);
    const auto plan = tables.records().Rows("EXPLAIN QUERY PLAN " + sql);
    REQUIRE(!plan.empty());
    const bool sorts = row.sorts || !told;
    CHECK((plan.back().find("TEMP B-TREE") != std::string::npos) == sorts);
    CHECK((plan[0].find("the first by score, _id") != std::string::npos) == !sorts);
  }
}

TEST_CASE("LIMIT and OFFSET of a compound, a subquery or a join are left to SQLite") {
  Tables tables;
  for (const char* sql : {
           "SELECT _id FROM records WHERE label = 3 UNION ALL SELECT _id FROM records WHERE label = 5 LIMIT 5 OFFSET 2",
           "SELECT _id FROM records WHERE _id < 1 UNION ALL SELECT _id FROM records WHERE label = 5 LIMIT 3 OFFSET 2",
           "SELECT * FROM (SELECT _id FROM records WHERE label = 3 LIMIT 2 OFFSET 1) UNION ALL SELECT _id FROM records "
           "WHERE label = 5 LIMIT 4",
           "SELECT (SELECT b._id FROM records b WHERE b.label = a.label LIMIT 1 OFFSET 1) FROM records a WHERE a._id < "
           "12",
           "SELECT a._id FROM records a, records b WHERE a.label = b._id LIMIT 4 OFFSET 5",
           "SELECT count(*) FROM (SELECT 1 FROM records WHERE label > 2 LIMIT 100 OFFSET 4)",
           "SELECT _id FROM records WHERE label BETWEEN 2 AND 4 LIMIT 3 OFFSET 2",
           "SELECT label, count(*) FROM records WHERE _id > 3 GROUP BY label LIMIT 2 OFFSET 1",
           "SELECT DISTINCT label FROM records WHERE _id > 3 LIMIT 2 OFFSET 1",
           "SELECT max(_id) FROM records WHERE label > 3 LIMIT 1 OFFSET 0",
           "SELECT _id FROM records WHERE label = 3 AND _id IN (SELECT _id FROM records LIMIT 30 OFFSET 10) LIMIT 2",
       }) {
    tables.Same(sql);
  }
}

TEST_CASE("has() answers the same from the kernel and from the text of the list") {
  Tables tables;
  const auto pushed = tables.records().Rows("SELECT _id FROM records WHERE has(tags, 17)");
  CHECK(pushed.size() == 11);
  CHECK(tables.records().Rows("SELECT _id FROM records WHERE +has(tags, 17)") == pushed);
  for (const char* value : {"17.0", "'17'", "' 17.0'"}) {
    CHECK(tables.records().Rows("SELECT _id FROM records WHERE has(tags, " + std::string(value) + ")") == pushed);
    CHECK(tables.records().Rows("SELECT _id FROM records WHERE +has(tags, " + std::string(value) + ")") == pushed);
  }
  CHECK(tables.records().Rows("SELECT count(*) FROM records WHERE NOT has(tags, 17)") ==
        std::vector<std::string>{"I19|"});
  CHECK(tables.records().Rows("SELECT has(tags, 1), has(tags, NULL) FROM records WHERE _id IN (1, 3)") ==
        std::vector<std::string>{"I1|N|", "N|N|"});
}

TEST_CASE("has() accepts JSON arrays as lists, and nothing else") {
  Tables tables;
  const auto has = [&](const std::string& list, const std::string& value) {
    return tables.records().Rows("SELECT has(" + list + ", " + value + ")")[0];
  };
  CHECK(has("'[]'", "1") == "I0|");
  CHECK(has("' [ 1 , 2.5,\"a\\u00e9\\n\", null ] '", "2.5") == "I1|");
  CHECK(has("'[1, 2]'", "2.0") == "I1|");
  CHECK(has("'[\"a\\ud83d\\udc08\"]'", "'a' || char(0x1f408)") == "I1|");
  CHECK(has("'[{\"base64\": \"/w==\"}]'", "x'ff'") == "I1|");
  CHECK(has("'[{\"base64\": \"/w==\"}]'", "'{\"base64\": \"/w==\"}'") == "I0|");
  CHECK(has("'[9223372036854775807]'", "9223372036854775807") == "I1|");
  CHECK(has("'[9e999, -9e999, 1e-999]'", "-9e999") == "I1|");
  CHECK(has("'[1e-999]'", "0") == "I1|");
  CHECK(has("'[\"5\"]'", "5") == "I1|");
  CHECK(has("'[\"5\"]'", "5.0") == "I0|");
  CHECK(has("'[\"5.0\"]'", "5.0") == "I1|");
  CHECK(has("'[5]'", "'5.0'") == "I1|");
  CHECK(has("'[5]'", "x'35'") == "I0|");
  CHECK(has("NULL", "1") == "N|");
  for (const char* list :
       {"''", "'['", "'[1'", "'[1,]'", "'[,1]'", "'[1 2]'", "'[1]x'", "'[[1]]'", "'[\"a]'", "'[\"\\x\"]'",
        "'[\"\\ud83d\"]'", "'[{\"base64\":\"a\"}]'", "'{}'", "'[-]'", "'[1.2.3]'", "5", "x'5b5d'"}) {
    CHECK_MESSAGE(has(list, "1").starts_with("error: has(list, value)"), list);
  }
}

TEST_CASE("the planner expects few records if few can match") {
  Tables tables;
  // The join reads the table with the better constraint first, and the other one by its ordinal.
  const auto plan = tables.records().Rows(
      "EXPLAIN QUERY PLAN SELECT count(*) FROM records a JOIN records b ON b._id = a._id WHERE a.label = 3");
  REQUIRE(plan.size() == 2);
  CHECK(plan[0].find("SCAN a") != std::string::npos);
}

TEST_CASE("joins and correlated subqueries that look up values find what a scan for each row would find") {
  Tables tables;
  for (
      const char* sql : {
          "SELECT a._id, b._id FROM records a JOIN records b ON a.label = b.label AND a._id < b._id ORDER BY 1, 2",
          "SELECT a._id, b._id FROM records a JOIN records b ON a._shard = b._shard AND a.score = b.score ORDER BY 1, "
          "2",
          "SELECT a._id, b._id FROM records a JOIN records b ON a._id = b.score ORDER BY 1, 2",
          "SELECT a._id, b._id FROM records a JOIN records b ON a.label = b.\"x\"\"; DROP TABLE records; --\" ORDER "
          "BY "
          "1, 2",
          "SELECT a._id, b._id FROM records a JOIN records b ON a._offset = b._offset AND a._length = b._length "
          "ORDER BY 1, 2 DESC",
          "SELECT a._id FROM records a WHERE score = (SELECT max(score) FROM records b WHERE b.label = a.label)",
          "SELECT a._id, (SELECT min(b._id) FROM records b WHERE b.label IN (a.label, a._id)) FROM records a",
          "SELECT a._id, b._id FROM records a LEFT JOIN records b ON b.score = a.label AND b.label > 3 ORDER BY 1",
          "SELECT a._id, (SELECT count(*) FROM records b WHERE b.label = a.label AND b._id < a._id) FROM records a",
          "SELECT a._id, (SELECT min(b._id) FROM records b WHERE b.label = a.label AND b._id >= a._id) FROM records a",
          "SELECT a._id, (SELECT sum(b._id) FROM records b WHERE b.label = a.label AND b._id = a.score) FROM records a",
          "SELECT a._id, (SELECT group_concat(_id) FROM (SELECT _id FROM records b WHERE b.label = a.label AND b._id > "
          "a.score AND b._id <= a._id ORDER BY _id DESC)) FROM records a",
          "SELECT a._id, (SELECT count(*) FROM records b WHERE b.label = a.label AND b._id < -1) FROM records a",
          "SELECT a._id, (SELECT count(*) FROM records b WHERE b.label = a.label AND b._id BETWEEN a._id AND a.label) "
          "FROM "
          "records a",
          "SELECT a._id, (SELECT group_concat(_id) FROM (SELECT _id FROM records b WHERE b._shard = a._shard AND b._id "
          "<> "
          "a._id ORDER BY _id LIMIT 3)) FROM records a",
          "SELECT a._id, (SELECT group_concat(_id) FROM (SELECT _id FROM records b WHERE b._id IN (a.label, a.label, "
          "7) "
          "AND b._id > 3 ORDER BY _id DESC)) FROM records a",
          "SELECT a._id, b.tags FROM records a LEFT JOIN records b ON b.label = a.label AND b.tags IS NOT NULL ORDER "
          "BY "
          "1, b._id DESC",
      }) {
    tables.Same(sql);
  }
}

// Records with a column of few values and one of many, in blocks of 8192.
std::shared_ptr<ColumnStore> FewAndMany(int records, int few) {
  FeatureInMemory some{"few", {}}, all{"many", {}}, same{"same", {}};
  for (int i = 0; i < records; ++i) {
    some.cells.emplace_back(Ints({i % few}));
    all.cells.emplace_back(Ints({i}));
    same.cells.emplace_back(Ints({i % 100 == 99 ? 1 : 0}));
  }
  std::vector<uint32_t> blocks(static_cast<size_t>(records / 8192), 8192);
  blocks.push_back(static_cast<uint32_t>(records % 8192));
  return std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(std::vector{some, all, same}, blocks),
                                       ColumnStoreOptions{.threads = 1});
}

TEST_CASE("the cost of a lookup does not depend on how many records have the value") {
  constexpr int kRecords = 60'000;
  const Connection connection;
  REQUIRE(RegisterRecords(connection.db(), FewAndMany(kRecords, 4)).has_value());
  const auto seconds = [&](const std::string& sql, const std::string& answer) {
    const auto begin = std::chrono::steady_clock::now();
    CHECK_MESSAGE(connection.Rows(sql)[0] == answer, sql);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  struct Row {
    const char* term;  // a search in b that finds at most one row or ends at the first
    const char* answer;
  };
  for (const Row& row :
       {Row{"EXISTS (SELECT 1 FROM records b WHERE b.# = a.# AND b._id < a._id)", "I59996|"},
        {"(SELECT count(*) FROM records b WHERE b.# = a.# AND b._id = a._id)", "I60000|"},
        {"(SELECT count(*) FROM records b WHERE b.# = a.# AND b._id BETWEEN a._id AND a._id + 3)", "I60000|"},
        {"(SELECT b._id FROM records b WHERE b.# = a.# ORDER BY b._id DESC LIMIT 1) >= a._id", "I60000|"},
        {"EXISTS (SELECT 1 FROM records b WHERE b.same = a.same AND b.# = a.#)", "I60000|"}}) {
    const auto count = [&](const std::string& column) {
      std::string sql = std::string("SELECT count(*) FROM records a WHERE ") + row.term;
      for (size_t at = sql.find('#'); at != std::string::npos; at = sql.find('#')) sql.replace(at, 1, column);
      return sql;
    };
    CAPTURE(row.term);
    const std::string none =
        std::string(row.term).starts_with("EXISTS (SELECT 1 FROM records b WHERE b.#") ? "I0|" : "I60000|";
    const double many = seconds(count("many"), none);
    const double few = seconds(count("few"), row.answer);
    CHECK(few < 0.2 + 8 * many);  // copying the records of a value takes 50 times as long
  }
}

TEST_CASE("only the columns that a query uses are decoded") {
  auto source = std::make_unique<ColumnsInMemory>(ScoresAndTags(), std::vector<uint32_t>{16, 16, 8});
  const ColumnsInMemory& columns = *source;
  const Connection connection;
  REQUIRE(RegisterRecords(connection.db(), std::make_shared<ColumnStore>(std::move(source), ColumnStoreOptions{}))
              .has_value());
  CHECK(connection.Rows("SELECT count(*) FROM records")[0] == "I40|");
  CHECK(columns.reads == 0);
  CHECK(connection.Rows("SELECT count(*) FROM records WHERE label >= 0")[0] == "I40|");  // known from the zone maps
  CHECK(columns.reads == 0);
  CHECK(connection.Rows("SELECT count(*) FROM records WHERE label > 100")[0] == "I0|");
  CHECK(columns.reads == 0);
  CHECK(connection.Rows("SELECT score FROM records WHERE _id = 17").size() == 1);
  CHECK(columns.reads == 1);
}

TEST_CASE("no more blocks are read after a LIMIT is reached") {
  auto source = std::make_unique<ColumnsInMemory>(ScoresAndTags(), std::vector<uint32_t>{16, 16, 8});
  const ColumnsInMemory& columns = *source;
  const Connection connection;
  REQUIRE(RegisterRecords(connection.db(), std::make_shared<ColumnStore>(std::move(source), ColumnStoreOptions{}))
              .has_value());
  CHECK(connection.Rows("SELECT _id FROM records WHERE label > 3 LIMIT 5").size() == 5);
  CHECK(columns.reads == 1);
  CHECK(connection.Rows("SELECT _id FROM records WHERE label > 3 ORDER BY _id DESC LIMIT 3").size() == 3);
  CHECK(columns.reads == 2);
}

TEST_CASE("writing to the table is refused") {
  Tables tables;
  for (const char* sql :
       {"INSERT INTO records(_id) VALUES (1)", "DELETE FROM records", "UPDATE records SET label = 1"}) {
    CHECK(tables.records().Rows(sql)[0].starts_with("error: "));
  }
}

TEST_CASE("USING ofindex() opens an index on disk by the path of the index or of its data") {
  const TempDir dir;
  const std::vector<std::string> payloads = SomePayloads(30, 50);
  WriteFile(dir / "shard", ShardBytes(Framing::kTfRecord, payloads));
  Progress progress;
  BuildOptions options;
  options.data = {dir / "shard"};
  options.format.framing = Framing::kTfRecord;
  REQUIRE(BuildIndex(options, progress).has_value());
  const std::vector<uint64_t> boundaries = RecordBoundaries(Framing::kTfRecord, payloads);
  std::vector<std::string> expected;
  for (size_t r = 0; r < payloads.size(); ++r) {
    expected.push_back(StrCat("I", r, "|Tshard|I", boundaries[r], "|I", payloads[r].size(), "|"));
  }
  for (const char* name : {"shard", "shard.ofidx"}) {
    const Connection connection;
    REQUIRE(RegisterIndexModule(connection.db()).has_value());
    CHECK(connection.Rows("CREATE VIRTUAL TABLE t USING ofindex('" + (dir / name) + "')").empty());
    CHECK(connection.Rows("SELECT _id, _shard, _offset, _length FROM t") == expected);
  }
}

TEST_CASE("USING ofindex() reports what is wrong with its path") {
  const Connection connection;
  REQUIRE(RegisterIndexModule(connection.db()).has_value());
  for (const char* arguments : {"", "('/no/such/index')", "('a', 'b')"}) {
    const auto rows = connection.Rows(std::string("CREATE VIRTUAL TABLE t USING ofindex") + arguments);
    REQUIRE(rows.size() == 1);
    CHECK_MESSAGE(rows[0].starts_with("error: "), rows[0]);
  }
}

}  // namespace
}  // namespace ofindex

#include "query/sql/where.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "query/filter/predicate.h"
#include "tests/query/plain_table.h"

namespace ofindex {
namespace {

// 300 records in blocks of 64, 130 and 106.
std::vector<FeatureInMemory> ImageFeatures() {
  FeatureInMemory label{"label", {}}, height{"image/height", {}}, name{"name", {}}, boxes{"boxes", {}};
  for (int i = 0; i < 300; ++i) {
    label.cells.emplace_back(Ints({i % 10}));
    height.cells.emplace_back(i % 50 == 49 ? std::optional<Cell>() : Ints({i * 7 % 400}));
    name.cells.emplace_back(Strings({"img_" + std::to_string(i % 20)}));
    boxes.cells.emplace_back(Ints({i % 30, i % 7}));
  }
  return {label, height, name, boxes};
}

struct Data {
  ColumnsInMemory columns{ImageFeatures(),
                          {64, 130, 106},
                          {.mode = ColumnChoice::Mode::kNamed, .names = {"boxes", "image/height", "label", "name"}}};
  std::shared_ptr<ColumnStore> store =
      std::make_shared<ColumnStore>(std::make_unique<ColumnsInMemory>(columns), ColumnStoreOptions{});
  Connection plain;

  Data() { FillPlainTable(plain, *store, columns); }

  void CheckSame(const std::string& expression, const std::vector<ColumnValue>& values = {}) const {
    std::vector<SqlParameter> parameters;
    for (size_t i = 0; i < values.size(); ++i) parameters.push_back({std::to_string(i + 1), values[i]});
    const auto selection = Where(store, expression, parameters);
    REQUIRE_MESSAGE(selection.has_value(), expression << ": " << selection.error().message);
    std::vector<std::string> rows;
    for (const uint64_t ordinal : selection->Ordinals()) rows.push_back("I" + std::to_string(ordinal) + "|");
    CHECK_MESSAGE(rows == plain.Rows("SELECT _id FROM records WHERE " + expression + " ORDER BY _id", values),
                  expression);
    CHECK(selection->count() == rows.size());
  }
};

// Expressions that kernels evaluate alone, and expressions for which SQLite has to step through the rows.
const std::vector<std::string> kPushed = {
    "label = 3",
    "label = 3.0 AND \"image/height\" > 100",
    "\"image/height\" BETWEEN 20 AND 80.5",
    "label IN (1, 2, NULL, 'x')",
    "label IN (1)",
    "\"image/height\" IS NULL",
    "\"image/height\" IS NOT NULL AND label <> 4",
    "label IS NOT 7",
    "name = 'img_3'",
    "name IN ('img_1', 'img_2')",
    "name LIKE 'IMG_1%'",
    "name > 'img_15'",
    "name = 5",
    "+name IS NOT NULL AND +\"image/height\" IS NOT NULL",
    "_id < 100",
    "_id IN (1, 5, 299, 300)",
    "_shard = 'data/part-0'",
    "_length > 50",
    "label > abs(-5)",
    "label = 1 OR label = 4",
    "\"boxes#count\" = 2",
    "label = 300",
    "label = NULL",
};
const std::vector<std::string> kStepped = {
    "label = 3 OR _id < 10",
    "NOT label = 3",
    "label + 1 = 3",
    "label = _id",
    "name = CAST('5' AS INTEGER)",
    "label = (SELECT max(label) FROM records)",
    "label IN (SELECT value FROM json_each('[2, 3]'))",
    "1",
    "1 = 0",
    "label",
    "name = 'IMG_3' COLLATE NOCASE",
    "label = 1 AND name LIKE '%0' ESCAPE '!'",
    "EXISTS (SELECT 1 FROM records b WHERE b._id = records.label AND b.label = 3)",
    "CASE WHEN label = 1 THEN 1 ELSE 0 END",
    "typeof(label) = 'integer' AND \"image/height\" < 30",
    "label = 3 -- a comment",
};

TEST_CASE("constraints that kernels evaluate need no step through the rows, and give the same answer") {
  const Data data;
  for (const std::string& expression : kPushed) {
    data.CheckSame(expression);
    CHECK_MESSAGE(NeedsNoRows(data.store, expression).value(), expression);
  }
  CHECK(NeedsNoRows(data.store, "has(boxes, 17)").value());
  CHECK(Where(data.store, "has(boxes, 17)")->Ordinals() == Where(data.store, "+has(boxes, 17)")->Ordinals());
}

TEST_CASE("lists of pairs, and a list behind many constraints, select what SQLite selects") {
  const Data data;
  std::string many;
  for (int i = 0; i < 40; ++i) many += "label >= " + std::to_string(-i) + " AND ";
  for (const std::string& expression :
       {std::string("(label, name) IN (VALUES (1, 'img_1'), (2, 'img_12'), (3, 'img_1'))"),
        std::string("(label, name) IN (SELECT 1, 'img_1' UNION ALL SELECT 2, 'img_2')"), many + "label IN (3, 4)"}) {
    data.CheckSame(expression);
  }
}

TEST_CASE("for all other expressions, SQLite steps through the rows") {
  const Data data;
  for (const std::string& expression : kStepped) {
    if (expression.find("--") == std::string::npos) data.CheckSame(expression);
    CHECK_MESSAGE(Where(data.store, expression).has_value(), expression);
  }
  CHECK(!NeedsNoRows(data.store, "NOT label = 3").value());
  CHECK(!NeedsNoRows(data.store, "name = CAST('5' AS INTEGER)").value());
  CHECK(NeedsNoRows(data.store, "label = 3 -- a comment").value());
}

TEST_CASE("parameters are bound by position and by name") {
  const Data data;
  data.CheckSame("label = ? AND \"image/height\" > ?", {{.type = ColumnValue::Type::kInteger, .integer = 7},
                                                        {.type = ColumnValue::Type::kReal, .real = 99.5}});
  data.CheckSame("name = ?", {{.type = ColumnValue::Type::kText, .bytes = "img_7"}});
  data.CheckSame("name = ?", {{.type = ColumnValue::Type::kInteger, .integer = 7}});
  data.CheckSame("name < ?", {{.type = ColumnValue::Type::kBlob, .bytes = "img_7"}});
  const auto named =
      Where(data.store, "label = :class", {{"class", {.type = ColumnValue::Type::kInteger, .integer = 7}}});
  REQUIRE(named.has_value());
  CHECK(named->count() == 30);
}

TEST_CASE("an expression that is wrong, misspelt or followed by more SQL is refused") {
  const Data data;
  for (const char* expression :
       {"", "label =", "\"image/hieght\" > 5", "labell = 3", "label = 3; SELECT 1", "label = 3)", "(label = 3",
        "label = ?", "nosuch(label)", "1) UNION SELECT 5000 WHERE (1", "1) UNION SELECT 'x' WHERE (1",
        "1) UNION SELECT -1 WHERE (1", "1) UNION SELECT (1", "1) OR (1", "1) -- (\n) OR (1", "1) /*",
        "1) ORDER BY _id LIMIT 1 /*", "SELECT _id FROM records WHERE label = 3",
        "with a AS (SELECT 1) SELECT * FROM a"}) {
    const auto selection = Where(data.store, expression);
    REQUIRE_MESSAGE(!selection.has_value(), expression);
    CHECK_MESSAGE(selection.error().code == ErrorCode::kUsage, expression << ": " << selection.error().message);
  }
  CHECK(Where(data.store, "\"image/hieght\" > 5").error().message.find("image/height") != std::string::npos);
}

TEST_CASE("a query can be cancelled") {
  const Data data;
  const std::atomic<bool> cancel = true;
  CHECK(Where(data.store, "label = 3", {}, {.cancel = &cancel}).error().code == ErrorCode::kInterrupted);
  CHECK(Where(data.store, "label + 1 = 3", {}, {.cancel = &cancel}).error().code == ErrorCode::kInterrupted);
}

TEST_CASE("a predicate that is cancelled meanwhile ends with the block that it reads") {
  const Data data;
  const std::vector<Column>& columns = data.store->columns();
  uint32_t label = 0;
  while (columns[label].name != "label") ++label;
  const Constraint constraint{.column = label, .values = {{.type = ColumnValue::Type::kInteger, .integer = 3}}};
  std::atomic<bool> cancel = false;
  const auto predicate = Predicate::Of(*data.store, std::vector{constraint}, &cancel);
  REQUIRE(predicate);
  for (const unsigned threads : {1U, 4U}) {
    cancel = false;
    CHECK(predicate->Evaluate(0, 3, threads).has_value());
    cancel = true;
    const auto cancelled = predicate->Evaluate(0, 3, threads);
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().code == ErrorCode::kInterrupted);
  }
}

TEST_CASE("a selection keeps no bitmap for blocks that are selected completely or not at all") {
  const Data data;
  const auto selection = Where(data.store, "_id < 64");
  REQUIRE(selection.has_value());
  CHECK(selection->count() == 64);
  for (const BlockSelection& block : selection->selected()) CHECK(block.words.empty());
  const auto all = Where(data.store, "label + 1 > 0");
  REQUIRE(all.has_value());
  CHECK(all->count() == 300);
  for (const BlockSelection& block : all->selected()) CHECK(block.words.empty());
}

TEST_CASE("a dataset without records has no matches") {
  const auto store = std::make_shared<ColumnStore>(
      std::make_unique<ColumnsInMemory>(std::vector<FeatureInMemory>(), std::vector<uint32_t>()), ColumnStoreOptions{});
  CHECK(Where(store, "_id >= 0")->count() == 0);
  CHECK(Where(store, "_id + 1 > 0")->count() == 0);
}

TEST_CASE("errors count bytes from the start of the expression") {
  struct Row {
    const char* expression;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"lable = 3", R"(SQL@0: no such column: "lable"; did you mean "label"?)"},
      {"label = 3 AND nmae = 1", R"(SQL@14: no such column: "nmae"; did you mean "name"?)"},
      {"label = ", "SQL@7: the expression ends too early, after `label =`"},
      {"label = 3) OR (1", "SQL@9: near \")\": syntax error"},
      {"label = 3); SELECT 1", "a second statement begins at byte 12"},
  };
  const Data data;
  for (const Row& row : rows) {
    const auto selection = Where(data.store, row.expression, {});
    REQUIRE_FALSE(selection.has_value());
    CHECK_MESSAGE(selection.error().message.find(row.message) != std::string::npos, selection.error().message);
  }
}

TEST_CASE("a word without quotes that is compared is advised as a string, whole, and nothing else is") {
  struct Row {
    const char* expression;
    const char* advice;  // empty: about columns
  };
  const std::vector<Row> rows = {
      {"name = jpeg", R"("name = 'jpeg'")"},
      {"name = münchen", R"("name = 'münchen'")"},  // a letter outside of ASCII
      {"name = Ürümqi", R"("name = 'Ürümqi'")"},    // at the beginning
      {"name = Zürich-Süd OR 1", R"("name = 'Zürich-Süd' OR 1")"},
      {"name = us$x", R"("name = 'us$x'")"},
      {"name IS NOT jpeg", R"("name IS NOT 'jpeg'")"},
      {"name = cat.jpg", R"("name = 'cat.jpg'")"},  // no table is called cat
      {"NOT truncated", ""},
      {"1 AND NOT truncated", ""},
      {"_id = records.ordinal", ""},
      {"_id = (SELECT 1 FROM records AS Other WHERE _id = other.ordinal)", ""},
      {"_id = (SELECT 1 FROM records b WHERE _id = b.ordinal)", ""},
      {"_id = (SELECT 1 FROM (SELECT 1 AS x) b WHERE x = b.ordinal)", ""},
      {"truncated", ""},
  };
  const Data data;
  for (const Row& row : rows) {
    CAPTURE(row.expression);
    const auto selection = Where(data.store, row.expression);
    REQUIRE_FALSE(selection.has_value());
    const std::string hint = selection.error().hint.text();
    CAPTURE(hint);
    const size_t advice = hint.find("of Python: ");
    CHECK((advice == std::string::npos ? "" : hint.substr(advice + 11)) == row.advice);
  }
}

TEST_CASE("the columns that an expression reads are told, however it is answered") {
  const Data data;
  const auto read = [&](const char* expression) {
    ColumnsRead columns = {{"old", {"old"}}};
    CHECK_MESSAGE(Where(data.store, expression, {}, {}, nullptr, &columns).has_value(), expression);
    return columns;
  };
  const auto columns = [](std::set<std::string> names) { return ColumnsRead{{"records", std::move(names)}}; };
  CHECK(read("label = 3") == columns({"_id", "label"}));                                // by kernels
  CHECK(read("LABEL + 1 = 3 OR name = 'label'") == columns({"_id", "label", "name"}));  // by SQLite
  CHECK(read("1") == columns({"_id"}));
}

}  // namespace
}  // namespace ofindex

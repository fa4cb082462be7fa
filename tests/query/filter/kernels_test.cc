#include "query/filter/kernels.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/query/plain_table.h"
#include "tests/query/sql_values.h"

namespace ofindex {
namespace {

using Cells = std::vector<std::optional<Cell>>;

// Returns `count` cells from `make`, every seventh of them absent.
template <typename Make>
Cells SomeCells(size_t count, Make make) {
  Cells cells;
  for (size_t i = 0; i < count; ++i) cells.push_back(i % 7 == 3 ? std::nullopt : std::optional<Cell>(make(i)));
  return cells;
}

struct NamedCells {
  const char* name;
  Cells cells;
};

std::vector<NamedCells> Forms() {
  std::vector<NamedCells> forms;
  const auto integers = [](int64_t base, uint64_t step) {
    return [=](size_t i) { return Ints({static_cast<int64_t>(static_cast<uint64_t>(base) + step * (i * 31 % 97))}); };
  };
  forms.push_back({"nothing", SomeCells(70, [](size_t) { return Cell{}; })});
  forms.push_back({"one value", SomeCells(130, [](size_t) { return Ints({7}); })});
  forms.push_back({"bytes of offsets", SomeCells(300, integers(-5, 1))});
  forms.push_back({"words of offsets", SomeCells(300, integers(-40, 600))});
  forms.push_back({"double words of offsets", SomeCells(300, integers(-3, 20'000'000))});
  forms.push_back({"quad words of offsets", SomeCells(300, integers(INT64_MIN, 190'000'000'000'000'000))});
  forms.push_back({"integers at the least end", SomeCells(65, integers(INT64_MIN, 1))});
  forms.push_back({"integers at the greatest end", SomeCells(65, integers(INT64_MAX - 96, 1))});
  const std::vector<double> reals = {0.0,       -0.0, 1,      1.5,    -2.5,    1e300,  -1e300, INFINITY,
                                     -INFINITY, NAN,  0x1p53, 0x1p63, -0x1p63, 5e-324, 7,      0.1};
  forms.push_back({"doubles", SomeCells(200, [&](size_t i) { return Doubles({reals[i % reals.size()]}); })});
  forms.push_back({"floats", SomeCells(200, [&](size_t i) {
                     const double value = reals[i % reals.size()];
                     return Floats(
                         {std::isfinite(value) && std::abs(value) > 1e38 ? 3.0 : double{static_cast<float>(value)}});
                   })});
  const std::vector<std::string> strings = {"",
                                            "a",
                                            "A",
                                            "ab",
                                            "abc",
                                            "b",
                                            "7",
                                            "1.5",
                                            "\xff",
                                            std::string("a\0b", 3),
                                            "\xc3\xa9t\xc3\xa9",
                                            "zz",
                                            "\xf0\x9f\x90\x88",
                                            "a\xff"};
  forms.push_back({"texts", SomeCells(200, [&](size_t i) { return Strings({strings[i % strings.size()]}); })});
  forms.push_back({"all kinds", SomeCells(400, [&](size_t i) {
                     if (i % 4 == 0) return Ints({static_cast<int64_t>(i)});
                     if (i % 4 == 1) return Doubles({reals[i % reals.size()]});
                     if (i % 4 == 2) return Strings({strings[i % strings.size()]});
                     return Floats({0.5});
                   })});
  return forms;
}

const std::vector<ColumnValue>& Wanted() {
  static const std::vector<ColumnValue> kWanted = {ColumnValue{},
                                                   SqlInt(0),
                                                   SqlInt(-5),
                                                   SqlInt(7),
                                                   SqlInt(91),
                                                   SqlInt(92),
                                                   SqlInt(560),
                                                   SqlInt(INT64_MIN),
                                                   SqlInt(INT64_MIN + 1),
                                                   SqlInt(INT64_MAX),
                                                   SqlInt(INT64_MAX - 96),
                                                   SqlInt(20'000'000),
                                                   SqlInt(INT64_MIN + 190'000'000'000'000'000),
                                                   SqlInt(int64_t{1} << 53),
                                                   SqlInt((int64_t{1} << 53) + 1),
                                                   SqlReal(0),
                                                   SqlReal(-0.0),
                                                   SqlReal(6.5),
                                                   SqlReal(7),
                                                   SqlReal(1.5),
                                                   SqlReal(-4.5),
                                                   SqlReal(0.1),
                                                   SqlReal(double{0.1f}),
                                                   SqlReal(0x1p63),
                                                   SqlReal(-0x1p63),
                                                   SqlReal(INFINITY),
                                                   SqlReal(-INFINITY),
                                                   SqlReal(1e300),
                                                   SqlReal(5e-324),
                                                   SqlReal(9.3e18),
                                                   SqlText(""),
                                                   SqlText("a"),
                                                   SqlText("AB"),
                                                   SqlText("abc"),
                                                   SqlText("7"),
                                                   SqlText("\xc3\xa9t\xc3\xa9"),
                                                   SqlText("zzz"),
                                                   SqlText("\xff"),
                                                   SqlBlob(""),
                                                   SqlBlob("a"),
                                                   SqlBlob("\xff"),
                                                   SqlBlob(std::string("a\0b", 3)),
                                                   SqlBlob("zz")};
  return kWanted;
}

struct Operator {
  Op op;
  const char* sql;
};

constexpr Operator kOperators[] = {{Op::kEq, "v = ?"},         {Op::kNe, "v <> ?"},
                                   {Op::kLt, "v < ?"},         {Op::kLe, "v <= ?"},
                                   {Op::kGt, "v > ?"},         {Op::kGe, "v >= ?"},
                                   {Op::kIs, "v IS ?"},        {Op::kIsNot, "v IS NOT ?"},
                                   {Op::kIsNull, "v IS NULL"}, {Op::kNotNull, "v IS NOT NULL"}};

/// One form of chunk, next to a plain table with the same values.
class Pair {
 public:
  explicit Pair(const NamedCells& form)
      : columns_({{"v", form.cells}}, {static_cast<uint32_t>(form.cells.size())}),
        store_(std::make_unique<ColumnsInMemory>(columns_), {.threads = 1}) {
    const Column column{.name = "v"};
    chunk_ = store_.Load(column, 0).value();
    zone_ = (*store_.ZonesOf(column).value())[0];
    sqlite3_exec(plain_.db(), "CREATE TABLE t(v)", nullptr, nullptr, nullptr);
    for (uint64_t r = 0; r < columns_.records(); ++r) {
      CHECK(plain_.Rows("INSERT INTO t VALUES (?)", {columns_.Expected(column, r)}).empty());
    }
  }

  void Check(const Constraint& constraint, const std::string& sql) {
    const ValueFilter filter = ValueFilter::Of(constraint);
    std::vector<uint64_t> words(WordCount(chunk_->records()), 0x5555555555555555);
    Match(filter, *chunk_, words);
    std::vector<std::string> rows;
    for (uint32_t r = 0; r < words.size() * 64; ++r) {
      if (BitAt(words, r)) rows.push_back("I" + std::to_string(r + 1) + "|");
    }
    const auto expected = plain_.Rows("SELECT rowid FROM t WHERE " + sql, constraint.values);
    CHECK_MESSAGE(rows == expected, sql);
    const auto verdict = filter.EvaluateZone(zone_);
    if (verdict == ValueFilter::Verdict::kNone) CHECK_MESSAGE(expected.empty(), sql);
    if (verdict == ValueFilter::Verdict::kAll) CHECK_MESSAGE(expected.size() == chunk_->records(), sql);
  }

  [[nodiscard]] const Connection& plain() const { return plain_; }

 private:
  ColumnsInMemory columns_;
  ColumnStore store_;
  std::shared_ptr<const Chunk> chunk_;
  Zone zone_;
  Connection plain_;
};

TEST_CASE("every operator on every form of chunk finds what SQLite finds, and zone maps never contradict it") {
  for (const NamedCells& form : Forms()) {
    CAPTURE(form.name);
    Pair pair(form);
    for (const ColumnValue& value : Wanted()) {
      for (const auto& [op, sql] : kOperators) {
        const bool unary = op == Op::kIsNull || op == Op::kNotNull;
        pair.Check({.op = op, .values = unary ? std::vector<ColumnValue>() : std::vector{value}}, sql);
      }
    }
  }
}

TEST_CASE("IN finds what SQLite finds for lists of few and many values, with and without NULL") {
  std::mt19937 random(1);
  for (const NamedCells& form : Forms()) {
    CAPTURE(form.name);
    Pair pair(form);
    for (const size_t count : {0U, 1U, 2U, 4U, 5U, 12U, 40U}) {
      for (int round = 0; round < 5; ++round) {
        Constraint constraint{.op = Op::kIn};
        std::string sql = "v IN (";
        for (size_t i = 0; i < count; ++i) {
          constraint.values.push_back(Wanted()[random() % Wanted().size()]);
          sql += i == 0 ? "?" : ",?";
        }
        pair.Check(constraint, sql + ")");
      }
    }
  }
}

TEST_CASE("two filters on one column merge into one filter that accepts only what both accept") {
  std::mt19937 random(2);
  const auto forms = Forms();
  for (const NamedCells& form : forms) {
    CAPTURE(form.name);
    ColumnsInMemory columns({{"v", form.cells}}, {static_cast<uint32_t>(form.cells.size())});
    ColumnStore store(std::make_unique<ColumnsInMemory>(columns), {.threads = 1});
    const auto chunk = store.Load({.name = "v"}, 0).value();
    for (int round = 0; round < 200; ++round) {
      const auto some = [&] {
        return ValueFilter::Of(
            {.op = kOperators[random() % std::size(kOperators)].op, .values = {Wanted()[random() % Wanted().size()]}});
      };
      const ValueFilter a = some();
      const ValueFilter b = some();
      ValueFilter both = a;
      if (!both.Merge(b)) continue;
      std::vector<uint64_t> one(WordCount(chunk->records())), other(one), merged(one);
      Match(a, *chunk, one);
      Match(b, *chunk, other);
      Match(both, *chunk, merged);
      for (size_t w = 0; w < one.size(); ++w) CHECK(merged[w] == (one[w] & other[w]));
    }
  }
}

TEST_CASE("LIKE matches text as SQLite does, and never blobs") {
  for (const NamedCells& form : Forms()) {
    if (std::string(form.name) != "texts") continue;
    Pair pair(form);
    for (const char* pattern : {"", "%", "a%", "A%", "%B", "_", "__", "%b%", "a_c", "\xc3\xa9%", "\xc3\x89%", "zz", "7",
                                "%%", "_%_", "%\xf0\x9f\x90\x88"}) {
      pair.Check({.op = Op::kLike, .values = {SqlText(pattern)}}, "v LIKE ?");
    }
    pair.Check({.op = Op::kLike, .values = {ColumnValue{}}}, "v LIKE ?");
  }
}

TEST_CASE("ordinals are compared without loading a chunk") {
  for (const uint32_t records : {1U, 63U, 64U, 65U, 1000U, 65536U}) {
    for (const uint64_t first : {uint64_t{0}, uint64_t{7}, uint64_t{1} << 40}) {
      const auto base = static_cast<int64_t>(first);
      for (const ColumnValue& value :
           {SqlInt(base), SqlInt(base - 1), SqlInt(base + 3), SqlReal(static_cast<double>(first) + 2.5), SqlText("x"),
            SqlInt(base + records)}) {
        for (const auto& [op, sql] : kOperators) {
          const auto shown = sql;
          const ValueFilter filter = ValueFilter::Of({.op = op, .values = {value}});
          std::vector<uint64_t> words(WordCount(records));
          MatchOrdinals(filter, first, records, words);
          bool same = true;
          for (uint32_t r = 0; r < words.size() * 64; ++r) {
            const bool expected =
                r < records && filter.Accepts({.type = ColumnValue::Type::kInteger, .integer = base + r});
            same = same && BitAt(words, r) == expected;
          }
          CHECK_MESSAGE(same, shown << " at " << first << ", " << records);
        }
      }
    }
  }
}

TEST_CASE("has() finds a value in lists of every kind, comparing as SQL does") {
  const Cells lists = {Ints({1, 2, 17}),
                       Ints({}),
                       Ints({17}),
                       Doubles({1.5, 17, NAN}),
                       Floats({0.5, 17, -0.0}),
                       std::nullopt,
                       Cell{},
                       Strings({"a", "17"}),
                       Strings({"\xff", ""}),
                       Ints({INT64_MIN, INT64_MAX}),
                       Doubles({INFINITY}),
                       Doubles({-0.0, 0x1p63})};
  const auto columns = std::make_shared<ColumnsInMemory>(
      std::vector<FeatureInMemory>{{"v", lists}}, std::vector<uint32_t>{static_cast<uint32_t>(lists.size())},
      ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"v"}});
  ColumnStore store(std::make_unique<ColumnsInMemory>(*columns), {.threads = 1});
  const Column column{.name = "v", .role = ColumnRole::kList};
  const auto chunk = store.Load(column, 0).value();
  REQUIRE(chunk->form() == Chunk::Form::kLists);
  for (const ColumnValue& wanted : Wanted()) {
    std::vector<uint64_t> words(1);
    Match(ValueFilter::Of({.op = Op::kHas, .values = {wanted}}), *chunk, words);
    for (uint32_t r = 0; r < lists.size(); ++r) {
      bool expected = false;
      for (size_t i = 0; lists[r] && i < lists[r]->size(); ++i) {
        const ColumnValue value = CellValue(*lists[r], i);
        const Connection sqlite;
        expected = expected || sqlite.Rows("SELECT ? = ?", {value, wanted}) == std::vector<std::string>{"I1|"};
      }
      CHECK_MESSAGE(BitAt(words, r) == expected, "record " << r);
    }
  }
}

}  // namespace
}  // namespace ofindex

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <ofindex/query.h>

#include "tests/library/example_data.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

const std::string kEndless = "SELECT count(*) FROM records a, records b, records c, records d, records e, records f";

TEST_CASE("Where selects the records for which an expression is true") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  struct Row {
    std::string expression;
    std::vector<SqlParameter> parameters;
    std::vector<uint64_t> ordinals;
  };
  for (const Row& row : {
           Row{"id >= 97", {}, {97, 98, 99}}, Row{"id < 0", {}, {}}, Row{"word = 'odd' AND id < 6", {}, {1, 3, 5}},
           Row{"word = ? AND id < ?", {{"1", "even"}, {"2", int64_t{3}}}, {0, 2}},
           Row{"half = :half", {{"half", 2.5}}, {5}}, Row{"id % 40 = 1", {}, {1, 41, 81}},  // needs SQLite
       }) {
    const Selection selection = Must(Where(dataset, row.expression, row.parameters));
    CHECK(selection.Ordinals() == row.ordinals);
    CHECK(selection.size() == row.ordinals.size());
    for (size_t i = 0; i < row.ordinals.size(); ++i) CHECK(selection[i] == row.ordinals[i]);
  }
}

TEST_CASE("Where ignores the limit on rows and obeys the timeout") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  for (const char* expression : {"id >= 50", "id % 2 = 1"}) {
    CHECK(Must(Where(dataset, expression, {}, {.rows = 3})).size() == 50);
  }
  const std::string endless = "id IN (" + kEndless + ")";
  const auto slow = Where(dataset, endless, {}, {.timeout = std::chrono::milliseconds(20)});
  REQUIRE_FALSE(slow);
  CHECK(slow.error().code == ErrorCode::kLimit);
}

TEST_CASE("a selection knows its records and can be sliced") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  const Selection odd = Must(Where(dataset, "word = 'odd'"));
  CHECK(odd.Contains(3));
  CHECK_FALSE(odd.Contains(4));
  CHECK_FALSE(odd.Contains(~uint64_t{0}));
  CHECK(odd.Slice(1, 3).Ordinals() == std::vector<uint64_t>{3, 5});
  CHECK(odd.Slice(49, 1000).Ordinals() == std::vector<uint64_t>{99});
  CHECK(odd.Slice(5, 2).size() == 0);
  CHECK(Selection().size() == 0);
  CHECK(Selection::Range(5, 7).Ordinals() == std::vector<uint64_t>{5, 6});
  CHECK(Selection::Range(7, 5).size() == 0);
  CHECK(Selection::Range(0, ~uint64_t{0}).size() == uint64_t{1} << 48);
}

TEST_CASE("a selection outlives its dataset") {
  std::optional<Selection> selection;
  {
    const TempDir dir;
    selection = Must(Where(OpenExamples(dir / "data.tfrecord", 10), "id > 7"));
  }
  CHECK(selection->Ordinals() == std::vector<uint64_t>{8, 9});
}

TEST_CASE("a query returns values of every type") {
  const TempDir dir;
  const SqlSession session = Must(SqlSession::Open(OpenExamples(dir / "data.tfrecord", 10)));
  SqlRows rows =
      Must(session.Query("SELECT id, half, word, NULL AS absent, x'0001' AS blob FROM records WHERE id > 8"));
  CHECK(rows.columns() == std::vector<std::string>{"id", "half", "word", "absent", "blob"});
  REQUIRE(Must(rows.Next()));
  CHECK(rows.At(0) == SqlValue(int64_t{9}));
  CHECK(rows.At(1) == SqlValue(4.5));
  CHECK(rows.At(2) == SqlValue("odd"));
  CHECK(rows.At(3) == SqlValue());
  CHECK(rows.At(4) == SqlValue(std::vector<uint8_t>{0, 1}));
  CHECK_FALSE(Must(rows.Next()));
  CHECK_FALSE(rows.truncated());
}

TEST_CASE("rows keep their session and dataset alive") {
  const TempDir dir;
  std::optional<SqlRows> rows;
  {
    const SqlSession session = Must(SqlSession::Open(OpenExamples(dir / "data.tfrecord", 10)));
    rows = Must(session.Query("SELECT id FROM records"));
  }
  int64_t sum = 0;
  while (Must(rows->Next())) sum += std::get<int64_t>(rows->At(0));
  CHECK(sum == 45);
}

TEST_CASE("moved-from rows have no columns and cannot be stepped") {
  const TempDir dir;
  const SqlSession session = Must(SqlSession::Open(OpenExamples(dir / "data.tfrecord", 10)));
  SqlRows rows = Must(session.Query("SELECT id FROM records"));
  SqlRows taken = std::move(rows);
  CHECK(rows.columns().empty());  // NOLINT(bugprone-use-after-move): tested here
  CHECK_FALSE(rows.truncated());
  const auto stepped = rows.Next();
  REQUIRE_FALSE(stepped);
  CHECK(stepped.error().code == ErrorCode::kUsage);
  CHECK(Must(taken.Next()));
}

TEST_CASE("a statement ends at its limit of rows, its timeout, or when it is cancelled") {
  const TempDir dir;
  const SqlSession session = Must(SqlSession::Open(OpenExamples(dir / "data.tfrecord", 100)));
  SqlRows few = Must(session.Query("SELECT id FROM records", {}, {.rows = 3}));
  for (int i = 0; i < 3; ++i) CHECK(Must(few.Next()));
  CHECK_FALSE(Must(few.Next()));
  CHECK(few.truncated());

  const auto outcome = [&](const QueryLimits& limits) {
    auto rows = session.Query(kEndless, {}, limits);
    const auto next = rows ? rows->Next() : Result<bool>(tl::unexpected(rows.error()));
    return next ? ErrorCode() : next.error().code;
  };
  CHECK(outcome({.timeout = std::chrono::milliseconds(20)}) == ErrorCode::kLimit);
  const std::atomic<bool> cancel = true;
  CHECK(outcome({.cancel = &cancel}) == ErrorCode::kInterrupted);
}

TEST_CASE("a wrong or refused statement is a usage error") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
  const SqlSession session = Must(SqlSession::Open(dataset));
  for (const char* statement : {"SELECT idd FROM records", "DELETE FROM records", "SELECT 1; SELECT 2", "",
                                "ATTACH 'x' AS y", "SELECT ?", "SELECT id FROM no_such"}) {
    const auto rows = session.Query(statement);
    REQUIRE_FALSE(rows);
    CHECK(rows.error().code == ErrorCode::kUsage);
  }
  for (const char* expression : {"idd = 1", "1) OR (1", "id = :x"}) {
    const auto selection = Where(dataset, expression);
    REQUIRE_FALSE(selection);
    CHECK(selection.error().code == ErrorCode::kUsage);
  }
  CHECK(Where(dataset, "idd = 1").error().message.find("did you mean") != std::string::npos);
}

}  // namespace
}  // namespace ofindex

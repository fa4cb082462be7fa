// Measures SQL over `records`, compared with an ordinary SQLite table. tools/bench compares queries with other
// programs.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/pairs/child_tasks.h"
#include "bench/pairs/input/example_data.h"
#include "bench/pairs/pair.h"
#include "bench/pairs/plain_table.h"
#include "query/columns/snapshot.h"
#include "query/sql/open_session.h"

namespace ofindex {
namespace {

/// The records as the virtual table, and as an ordinary table.
struct SqlFixture {
  SqlSession session;
  PlainTable table;
};

Result<SqlFixture> MakeSqlFixture() {
  OFINDEX_ASSIGN(const DataSet data, ImageRecords());
  OFINDEX_TRY(Rebuild(data.folder, kFourColumns));
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(data.folder));
  OFINDEX_ASSIGN(SqlSession session, OpenSession(*snapshot));
  OFINDEX_ASSIGN(PlainTable table, PlainTable::Copy(session, MemoryFolder() + "/plain-table.sqlite"));
  return SqlFixture{std::move(session), std::move(table)};
}

// Created once, by the first benchmark that needs it.
Result<SqlFixture>& TheSqlFixture() {
  static Result<SqlFixture> fixture = MakeSqlFixture();
  return fixture;
}

void Ask(benchmark::State& state, const BenchClaim& claim, const Question& question) {
  auto& fixture = TheSqlFixture();
  if (!fixture) return Stop(state, fixture.error());
  const auto data = ImageRecords();
  if (!data) return Stop(state, data.error());
  Measure(state, {.claim = claim,
                  .records = data->records,
                  .ours = [&] { return SumOver(fixture->session, question); },
                  .bare = [&] { return fixture->table.SumOver(question); }});
}

// Runs the same query twice: on `records`, and on a copy that the statement creates and SQLite indexes automatically.
void AskCopy(benchmark::State& state, const BenchClaim& claim, const Question& question, const Question& of_copy) {
  auto& fixture = TheSqlFixture();
  if (!fixture) return Stop(state, fixture.error());
  const auto data = ImageRecords();
  if (!data) return Stop(state, data.error());
  Measure(state, {.claim = claim,
                  .records = data->records,
                  .ours = [&] { return SumOver(fixture->session, question); },
                  .bare = [&] { return SumOver(fixture->session, of_copy); }});
}

BenchClaim AtLeast(std::string name, double asked) { return {std::move(name), BenchClaim::Bound::kAtLeast, asked}; }

BENCHMARK_CAPTURE(Ask, scan, AtLeast("columns (d) SQL, a scan: records / plain table", 1.3),
                  Question{"SELECT count(*), sum(height), sum(score) FROM records WHERE height + width > 3000", 3})
    ->Name("columns/sql/scan")
    ->Iterations(7)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Ask, group, AtLeast("columns (d) SQL, groups: records / plain table", 1.3),
                  Question{"SELECT label, count(*), avg(score) FROM records GROUP BY label", 3})
    ->Name("columns/sql/group")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Ask, predicate, AtLeast("columns (d) SQL, a predicate: records / plain table", 20),
                  Question{"SELECT count(*), sum(height), sum(score) FROM records WHERE height > 2000 AND label = 17",
                           3})
    ->Name("columns/sql/predicate")
    ->Iterations(7)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(AskCopy, join, AtLeast("columns (d) SQL, a self-join: records / MATERIALIZED", 0.67),
                  Question{"SELECT count(*), sum(b._id) FROM records a JOIN records b ON a.label = b.label AND "
                           "a._id < b._id WHERE a._id < 50000 AND b._id < 50000",
                           2},
                  Question{"WITH m AS MATERIALIZED (SELECT _id, label FROM records WHERE _id < 50000) SELECT count(*), "
                           "sum(b._id) FROM m a JOIN m b ON a.label = b.label AND a._id < b._id",
                           2})
    ->Name("columns/sql/join")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(AskCopy, correlated, AtLeast("columns (d) SQL, a correlated subquery: records / MATERIALIZED", 0.67),
                  Question{"SELECT count(*), sum(_id) FROM records a WHERE _id < 50000 AND score = (SELECT max(score) "
                           "FROM records b WHERE b.height = a.height AND b.width = a.width AND b._id < 50000)",
                           2},
                  Question{"WITH m AS MATERIALIZED (SELECT _id, height, width, score FROM records WHERE _id < 50000) "
                           "SELECT count(*), sum(_id) FROM m a WHERE score = (SELECT max(score) FROM m b WHERE "
                           "b.height = a.height AND b.width = a.width)",
                           2})
    ->Name("columns/sql/correlated")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ofindex

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "query/columns/snapshot.h"
#include "query/sql/open_session.h"
#include "query/sql/where.h"
#include "tests/query/built_dataset.h"

namespace ofindex {
namespace {

// Uses all parts of a snapshot. Returns how many answers were wrong.
int WrongAnswers(const Snapshot& snapshot, uint64_t records) {
  int wrong = 0;
  const auto columns = snapshot.Columns();
  const auto found = columns.and_then([](const auto& store) { return Where(store, "_offset >= 0"); });
  wrong += !found || found->count() != records;
  const auto damage = snapshot.Catalog().and_then([](const auto& catalog) { return catalog->Damage(); });
  wrong += !damage || !damage->empty();
  auto session = OpenSession(snapshot);
  auto rows =
      session.and_then([](SqlSession& open) { return open.Query("SELECT count(*), max(_length) FROM records"); });
  const auto row = rows.and_then([](SqlRows& open) { return open.Next(); });
  wrong += !row || rows->At(0).integer != static_cast<int64_t>(records);
  return wrong;
}

TEST_CASE("many threads use a new snapshot at once: its catalog, its columns, and one session for each thread") {
  const BuiltDataset built(Framing::kTfRecord);
  for (int round = 0; round < 10; ++round) {
    const auto snapshot = Snapshot::Open(built / "train.ofidx").value();
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          for (int times = 0; times < 5; ++times) wrong += WrongAnswers(*snapshot, built.payloads().size());
        });
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace ofindex

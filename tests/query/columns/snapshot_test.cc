#include "query/columns/snapshot.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "index/catalog/paths.h"
#include "query/dataset.h"
#include "query/sql/sql_session.h"
#include "query/sql/where.h"
#include "tests/query/built_dataset.h"
#include "tests/support/child_process.h"

namespace ofindex {
namespace {

std::shared_ptr<const Snapshot> OpenBuilt(const BuiltDataset& built) {
  auto snapshot = Snapshot::Open(built / "train.ofidx");
  REQUIRE_MESSAGE(snapshot, snapshot.error().message);
  return *snapshot;
}

uint64_t CountWhere(const Snapshot& snapshot, const char* expression) {
  return Where(snapshot.Columns().value(), expression).value().count();
}

TEST_CASE("each part of a snapshot is opened once, and all that use it share it") {
  const BuiltDataset built(Framing::kTfRecord);
  const auto snapshot = OpenBuilt(built);
  CHECK(snapshot->Columns().value() == snapshot->Columns().value());
  CHECK(snapshot->Catalog().value() == snapshot->Catalog().value());
  CHECK(snapshot->Map().value() == snapshot->Map().value());
  const Dataset dataset = Dataset::Open(snapshot).value();
  CHECK(dataset.snapshot() == snapshot);
  CHECK(&dataset.reader().map() == snapshot->Map().value().get());
}

TEST_CASE("a query leaves the chunks it decoded to the next session on the snapshot") {
  const BuiltDataset built(Framing::kTfRecord);
  const auto snapshot = OpenBuilt(built);
  SqlSession session = SqlSession::Open(*snapshot).value();
  SqlRows rows = session.Query("SELECT max(_offset) FROM records").value();
  REQUIRE(rows.Next().value());
  CHECK(snapshot->Columns().value()->cached_bytes() > 0);
}

TEST_CASE("threads that ask for the columns at the same time get the same ones") {
  const BuiltDataset built(Framing::kTfRecord);
  for (int round = 0; round < 20; ++round) {
    const auto snapshot = OpenBuilt(built);
    std::vector<std::shared_ptr<ColumnStore>> got(4);
    {
      std::vector<std::jthread> threads;
      for (auto& one : got) threads.emplace_back([&] { one = snapshot->Columns().value(); });
    }
    CHECK(std::set(got.begin(), got.end()).size() == 1);
  }
}

TEST_CASE("without a map, the catalog and the columns answer; only offsets make one") {
  const BuiltDataset built(Framing::kTfRecord);
  const std::string map = MapPathOf(built / "train.ofidx");
  std::filesystem::remove(map);
  const auto snapshot = OpenBuilt(built);
  const uint64_t records = snapshot->Catalog().value()->facts().records;
  CHECK(CountWhere(*snapshot, "_id >= 0") == records);
  CHECK_FALSE(std::filesystem::exists(map));
  CHECK(CountWhere(*snapshot, "_offset >= 0") == records);
  CHECK(std::filesystem::exists(map));
}

TEST_CASE("a forked child opens its own parts, and its parent's answer as before") {
  const BuiltDataset built(Framing::kTfRecord);
  const auto snapshot = OpenBuilt(built);
  const auto columns = snapshot->Columns().value();
  const auto catalog = snapshot->Catalog().value();
  const uint64_t records = CountWhere(*snapshot, "_offset >= 0");
  for (int child = 0; child < 3; ++child) {
    CHECK(RunInChild([&] {
            if (snapshot->Columns().value() == columns || snapshot->Catalog().value() == catalog) return 1;
            if (snapshot->Columns().value() != snapshot->Columns().value()) return 2;
            return CountWhere(*snapshot, "_offset >= 0") == records ? 0 : 3;
          }) == 0);
    CHECK(snapshot->Columns().value() == columns);
    CHECK(CountWhere(*snapshot, "_offset >= 0") == records);
  }
}

}  // namespace
}  // namespace ofindex

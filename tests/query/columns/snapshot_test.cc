#include "query/columns/snapshot.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "index/catalog/paths.h"
#include "query/dataset.h"
#include "query/sql/open_session.h"
#include "query/sql/where.h"
#include "tests/query/built_dataset.h"
#include "tests/support/child_process.h"
#include "tests/support/sanitizers.h"

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

TEST_CASE("each part of a snapshot is opened once and shared by all its users") {
  const BuiltDataset built(Framing::kTfRecord);
  const auto snapshot = OpenBuilt(built);
  CHECK(snapshot->Columns().value() == snapshot->Columns().value());
  CHECK(snapshot->Catalog().value() == snapshot->Catalog().value());
  CHECK(snapshot->Map().value() == snapshot->Map().value());
  const Dataset dataset = Dataset::Open(snapshot).value();
  CHECK(dataset.snapshot() == snapshot);
  CHECK(&dataset.reader().map() == snapshot->Map().value().get());
}

TEST_CASE("the chunks that a query decodes stay cached for the next session on the snapshot") {
  const BuiltDataset built(Framing::kTfRecord);
  const auto snapshot = OpenBuilt(built);
  SqlSession session = OpenSession(*snapshot).value();
  SqlRows rows = session.Query("SELECT max(_offset) FROM records").value();
  REQUIRE(rows.Next().value());
  CHECK(snapshot->Columns().value()->cached_bytes() > 0);
}

TEST_CASE("threads that request the columns at the same time get the same columns") {
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

TEST_CASE("the catalog and sessions of a snapshot are read any number of times") {
  const TempDir dir;
  std::filesystem::create_directory(dir / "many");
  for (int i = 0; i < 400; ++i)
    WriteFile(dir / ("many/part-" + std::to_string(i)), ShardBytes(Framing::kTfRecord, {"x"}));
  BuildOptions options;
  options.data = {dir / "many"};
  options.format.framing = Framing::kTfRecord;
  Progress progress;
  REQUIRE(BuildIndex(options, progress));
  const auto snapshot = Snapshot::Open(dir / "many").value();
  const auto catalog = snapshot->Catalog().value();
  const auto read_shards = [](CatalogReader& reader) { return reader.Shards(); };
  for (int i = 0; i < 600; ++i) REQUIRE(catalog->With(read_shards));
  for (int i = 0; i < 100; ++i) REQUIRE(OpenSession(*snapshot));
}

TEST_CASE("a map that could not be built is built when it is next asked for") {
  const BuiltDataset built(Framing::kTfRecord);
  const std::string index = built / "train.ofidx";
  std::filesystem::remove(MapPathOf(index));
  Progress progress;
  progress.cancel = true;
  const auto snapshot = Snapshot::Open(index, {.progress = &progress}).value();
  for (int time = 0; time < 2; ++time) {
    const auto map = snapshot->Map();
    REQUIRE_FALSE(map.has_value());
    CHECK(map.error().code == ErrorCode::kInterrupted);
  }
  progress.cancel = false;
  const auto map = snapshot->Map();
  REQUIRE_MESSAGE(map.has_value(), map.error().message);
  CHECK((*map)->records() == snapshot->Catalog().value()->facts().records);
}

TEST_CASE("closed columns are opened again on request, and those who still hold the old ones can read them") {
  const BuiltDataset built(Framing::kTfRecord);
  const auto snapshot = OpenBuilt(built);
  const auto before = snapshot->Columns().value();
  const uint64_t records = CountWhere(*snapshot, "_offset >= 0");
  snapshot->CloseColumns();
  CHECK(snapshot->Columns().value() != before);
  CHECK(CountWhere(*snapshot, "_offset >= 0") == records);
  CHECK(Where(before, "_offset >= 0").value().count() == records);
}

TEST_CASE("a snapshot without a map can be queried, and only a query of offsets builds the map") {
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

TEST_CASE("a forked child opens its own parts of a snapshot, and those of its parent still work") {
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

TEST_CASE("children that are forked while a thread opens sessions and runs queries can run queries too") {
  if (kSanitized) return;  // the thread may hold the sanitizer's allocator
  const BuiltDataset built(Framing::kTfRecord);
  const auto snapshot = OpenBuilt(built);
  const uint64_t records = CountWhere(*snapshot, "_offset >= 0");
  std::atomic<bool> done{false};
  std::jthread busy([&] {
    while (!done) {
      SqlSession session = OpenSession(*snapshot).value();
      SqlRows rows = session.Query("SELECT group_concat(hex(_offset)) FROM records").value();
      if (!rows.Next()) break;
    }
  });
  int answered = 0;
  for (int child = 0; child < 50; ++child) {
    answered += RunInChild([&] {
                  ::alarm(20);  // a child that hangs is killed
                  return CountWhere(*snapshot, "_offset >= 0") == records ? 0 : 1;
                }) == 0;
  }
  done = true;
  CHECK(answered == 50);
}

}  // namespace
}  // namespace ofindex

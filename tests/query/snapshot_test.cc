#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/build/builder.h"
#include "index/verify/verifier.h"
#include "query/columns/find_column.h"
#include "query/dataset.h"
#include "query/sampling/columns/split.h"
#include "query/sampling/open_sampler.h"
#include "query/sampling/reading_facts.h"
#include "query/sql/open_session.h"
#include "query/sql/where.h"
#include "query/stats/stats.h"
#include "tests/index/working_folder.h"
#include "tests/query/decoding/reading_datasets.h"
#include "tests/support/child_process.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

/// A path at which the indexes of several folders of shards are built in turn. The folders stay.
class NamedIndex {
 public:
  /// Makes a folder of two shards of Examples, of `count` records in all, with x = first, first + 1, ...
  void Put(const std::string& folder, int64_t first, size_t count) {
    fs::create_directory(dir_ / folder);
    const std::vector<std::string> payloads = NumberedExamples(first, count);
    const auto middle = payloads.begin() + static_cast<std::ptrdiff_t>(count / 3);
    WriteFile(dir_ / folder + "/part-0", ShardBytes(Framing::kTfRecord, {payloads.begin(), middle}));
    WriteFile(dir_ / folder + "/part-1", ShardBytes(Framing::kTfRecord, {middle, payloads.end()}));
  }

  /// Builds the index of `folder` at `index`, replacing any existing one.
  void Build(const std::string& folder, const std::string& index, bool columns = true) const {
    Progress progress;
    BuildOptions options;
    options.data = {dir_ / folder};
    options.index = index;
    options.threads = 1;
    options.force = true;
    options.durability = AtomicFile::Durability::kCached;
    if (!columns) options.columns = ColumnChoice{.mode = ColumnChoice::Mode::kNone, .names = {}};
    const auto report = BuildIndex(options, progress);
    if (!report) throw std::runtime_error(report.error().message);
  }

  [[nodiscard]] std::string index() const { return dir_ / "named.ofidx"; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return dir_ / name; }

 private:
  TempDir dir_;
};

/// An open dataset with its columns and an SQL session.
struct Opened {
  Dataset dataset;
  std::shared_ptr<ColumnStore> store;
  SqlSession session;

  static Result<Opened> Of(const std::string& index) {
    OFINDEX_ASSIGN(Dataset dataset, Dataset::Open(index));
    OFINDEX_ASSIGN(std::shared_ptr<ColumnStore> store, dataset.snapshot()->Columns());
    OFINDEX_ASSIGN(SqlSession session, OpenSession(*dataset.snapshot()));
    return Opened{std::move(dataset), std::move(store), std::move(session)};
  }
};

// Opens the columns of an index without its map.
Result<std::shared_ptr<ColumnStore>> OpenColumns(const std::string& index) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(index));
  return snapshot->Columns();
}

std::string SpellSqlValue(const SqlValue& value) {
  return value.type == ColumnValue::Type::kInteger ? std::to_string(value.integer) : std::string(AsText(value.bytes));
}

Result<std::string> Rows(SqlSession& session, std::string_view sql) {
  OFINDEX_ASSIGN(SqlRows rows, session.Query(sql));
  std::string text;
  for (;;) {
    OFINDEX_ASSIGN(const bool more, rows.Next());
    if (!more) return text;
    for (size_t i = 0; i < rows.columns().size(); ++i) text += SpellSqlValue(rows.At(i)) + " ";
  }
}

Result<std::string> Selected(const std::shared_ptr<ColumnStore>& store, const std::string& expression) {
  OFINDEX_ASSIGN(const Selection selection, Where(store, expression));
  std::string text;
  for (const uint64_t ordinal : selection.Ordinals()) text += std::to_string(ordinal) + " ";
  return text;
}

Result<std::string> SampledBy(const std::shared_ptr<ColumnStore>& store, const SampleRequest& request) {
  const GenerationRow generation{.number = 1, .records = store->records(), .fingerprint = std::string(32, '0')};
  OFINDEX_ASSIGN(Sampler sampler, OpenSampler(store, {generation}, request));
  std::vector<uint64_t> ordinals(10);
  ordinals.resize(sampler.Next(ordinals));
  std::string text;
  for (const uint64_t ordinal : ordinals) text += std::to_string(ordinal) + " ";
  return text;
}

Result<std::string> Parts(ColumnStore& store, const char* key) {
  SplitOptions options;
  options.parts = {{"a", 0.5}, {"b", 0.5}};
  if (key != nullptr) {
    OFINDEX_ASSIGN(options.key, FindColumn(store, key));
  }
  OFINDEX_ASSIGN(const std::vector<OrdinalSet> sets, Split(store, store.records(), options));
  return StrCat(sets[0].size(), " ", sets[1].size());
}

Result<std::string> StatsText(ColumnStore& store) {
  OFINDEX_ASSIGN(const Column column, FindColumn(store, "x"));
  OFINDEX_ASSIGN(const ColumnStats stats, StatsOf(store, column, {}));
  return StrCat(stats.rows, " ", stats.min.integer, " ", stats.max.integer);
}

struct Door {
  const char* name;
  std::function<Result<std::string>(Opened&)> ask;
};

// Every way to read the contents of an index through a dataset. Those "of now" open what they need at each call.
const std::vector<Door> kDoors = {
    {"record",
     [](Opened& o) -> Result<std::string> {
       std::vector<uint8_t> bytes;
       OFINDEX_TRY(o.dataset.reader().Copy(7, bytes));
       return std::string(AsText(bytes));
     }},
    {"place",
     [](Opened& o) -> Result<std::string> {
       OFINDEX_ASSIGN(const RecordLocation at, o.dataset.reader().Locate(11));
       return StrCat(at.shard, " ", at.offset, " ", at.length);
     }},
    {"sql", [](Opened& o) { return Rows(o.session, "SELECT _id, x FROM records"); }},
    {"sql of places", [](Opened& o) { return Rows(o.session, "SELECT _shard, _offset, _length FROM records"); }},
    {"sql of shards", [](Opened& o) { return Rows(o.session, "SELECT path, records, bytes FROM shards"); }},
    {"sql of features", [](Opened& o) { return Rows(o.session, "SELECT name, present, \"column\" FROM features"); }},
    {"sql of now",
     [](Opened& o) -> Result<std::string> {
       OFINDEX_ASSIGN(SqlSession session, OpenSession(*o.dataset.snapshot()));
       return Rows(session, "SELECT _id, x, _offset FROM records");
     }},
    {"where", [](Opened& o) { return Selected(o.store, "x % 10 = 3"); }},
    {"where by kernels", [](Opened& o) { return Selected(o.store, "x > 15"); }},
    {"where by places", [](Opened& o) { return Selected(o.store, "_offset > 300"); }},
    {"where of now",
     [](Opened& o) -> Result<std::string> {
       OFINDEX_ASSIGN(const auto store, o.dataset.snapshot()->Columns());
       return Selected(store, "x > 15 AND _length > 0");
     }},
    {"stats", [](Opened& o) { return StatsText(*o.store); }},
    {"split", [](Opened& o) { return Parts(*o.store, nullptr); }},
    {"split by a key", [](Opened& o) { return Parts(*o.store, "x"); }},
    {"sample", [](Opened& o) { return SampledBy(o.store, {}); }},
    {"sample by weights", [](Opened& o) { return SampledBy(o.store, {.weights = "x"}); }},
    {"sample by balance", [](Opened& o) { return SampledBy(o.store, {.balance = "x"}); }},
    {"sample where", [](Opened& o) { return SampledBy(o.store, {.where = "x > 15"}); }},
    {"reading facts",
     [](Opened& o) -> Result<std::string> {
       OFINDEX_ASSIGN(const ReadingFacts facts, ReadingFactsOf(o.dataset));
       return StrCat(facts.records, " ", facts.payload_bytes);
     }},
    {"facts of now",
     [](Opened& o) -> Result<std::string> {
       OFINDEX_ASSIGN(const auto catalog, o.dataset.snapshot()->Catalog());
       OFINDEX_ASSIGN(const auto skipped, catalog->Skipped());
       return StrCat(ToHex(catalog->facts().id), " ", catalog->features().size(), " ", skipped.size());
     }},
    {"verify of now",
     [](Opened& o) -> Result<std::string> {
       Progress progress;
       VerifyOptions options;
       options.index = o.dataset.index_path();
       options.opened = o.dataset.snapshot()->index();
       options.threads = 1;
       OFINDEX_ASSIGN(const VerifyReport report, VerifyDataset(options, progress));
       return StrCat(report.records_checked, " ", report.shards.size(), " ", report.clean() ? 1 : 0);
     }},
};

// The changes made to an index that is open.
struct IndexChange {
  const char* name;
  std::function<void(NamedIndex&)> make;
  bool in_place = false;
};

const std::vector<IndexChange> kIndexChanges = {
    {"another dataset with as many records", [](NamedIndex& n) { n.Build("as-many", n.index()); }},
    {"fewer records", [](NamedIndex& n) { n.Build("fewer", n.index()); }},
    {"more records", [](NamedIndex& n) { n.Build("more", n.index()); }},
    {"the same data without columns", [](NamedIndex& n) { n.Build("own", n.index(), false); }},
    {"deleted, with its map", [](NamedIndex& n) { fs::remove(n.index()), fs::remove(MapPathOf(n.index())); }},
    {"its map deleted", [](NamedIndex& n) { fs::remove(MapPathOf(n.index())); }},
    {"replaced by a file that is not an index", [](NamedIndex& n) { ReplaceFile(n.index(), "no index"); }},
    {"overwritten in place by another index, as cp does",
     [](NamedIndex& n) { n.Build("as-many", n / "x.ofidx"), WriteFile(n.index(), ReadFile(n / "x.ofidx")); }, true},
    {"overwritten in place without truncation, as rsync --inplace does",
     [](NamedIndex& n) { n.Build("as-many", n / "x.ofidx"), OverwriteAt(n.index(), 0, ReadFile(n / "x.ofidx")); },
     true},
    {"cut to nothing", [](NamedIndex& n) { TruncateTo(n.index(), 0); }, true},
    {"index and map overwritten in place",
     [](NamedIndex& n) {
       n.Build("as-many", n / "x.ofidx");
       WriteFile(n.index(), ReadFile(n / "x.ofidx"));
       WriteFile(MapPathOf(n.index()), ReadFile(MapPathOf(n / "x.ofidx")));
     },
     true},
};

void PutFolders(NamedIndex& named) {
  named.Put("own", 10, 30);
  named.Put("as-many", 1, 30);
  named.Put("fewer", 500, 20);
  named.Put("more", 900, 50);
}

TEST_CASE("whatever happens to an index, an open dataset gives the old answers or reports that it is stale") {
  for (const IndexChange& change : kIndexChanges) {
    for (const bool asked_before : {false, true}) {
      NamedIndex named;
      PutFolders(named);
      named.Build("own", named.index());
      std::vector<std::string> answers;
      {
        auto opened = Opened::Of(named.index());
        REQUIRE_MESSAGE(opened, opened.error().message);
        for (const Door& door : kDoors) answers.push_back(door.ask(*opened).value());
      }
      auto opened = Opened::Of(named.index());
      REQUIRE(opened);
      if (asked_before) {
        for (const Door& door : kDoors) REQUIRE(door.ask(*opened));
      }
      change.make(named);
      size_t old = 0;
      for (size_t i = 0; i < kDoors.size(); ++i) {
        CAPTURE(change.name);
        CAPTURE(kDoors[i].name);
        CAPTURE(asked_before);
        const auto answer = kDoors[i].ask(*opened);
        if (!answer) {
          CHECK_MESSAGE(answer.error().code == ErrorCode::kStale, answer.error().message);
          CHECK(change.in_place);
          continue;
        }
        CHECK(*answer == answers[i]);
        ++old;
      }
      CHECK(old >= 1);
    }
  }
}

TEST_CASE("columns opened without a map never use the map of another index") {
  for (const IndexChange& change : kIndexChanges) {
    CAPTURE(change.name);
    NamedIndex named;
    PutFolders(named);
    named.Build("own", named.index());
    const auto before = Selected(OpenColumns(named.index()).value(), "_offset > 300");
    REQUIRE(before);
    const auto store = OpenColumns(named.index());
    REQUIRE(store);
    change.make(named);
    const auto after = Selected(*store, "_offset > 300");
    if (after) {
      CHECK(*after == *before);
    } else {
      CHECK_MESSAGE(after.error().code == ErrorCode::kStale, after.error().message);
    }
  }
}

// Returns true if the number x of every record is the same when it is read as a record and as a column.
Result<bool> RecordsAgreeWithColumns(const std::string& index) {
  OFINDEX_ASSIGN(Opened opened, Opened::Of(index));
  OFINDEX_ASSIGN(const std::string columns, Rows(opened.session, "SELECT x FROM records"));
  std::string records;
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < opened.dataset.size(); ++i) {
    OFINDEX_TRY(opened.dataset.reader().Copy(i, bytes));
    const std::string payload(AsText(bytes));
    for (int64_t x = 0; x < 1000; ++x) {
      if (payload != Example(Ints("x", {x}))) continue;
      records += std::to_string(x) + " ";
      break;
    }
  }
  return records == columns;
}

TEST_CASE("an index that another process keeps rebuilding always opens as a single build") {
  const char* rounds_text = std::getenv("OFINDEX_REBUILDS");
  const int rounds = rounds_text == nullptr ? 12 : std::atoi(rounds_text);
  NamedIndex named;
  PutFolders(named);
  named.Build("own", named.index());
  std::atomic<bool> done{false};
  std::atomic<int> agreed{0}, failed{0}, mixed{0};
  const pid_t builder = StartChild([&] {
    constexpr const char* kFolders[] = {"as-many", "fewer", "more", "own"};
    for (int i = 0; i < rounds; ++i) named.Build(kFolders[i % 4], named.index());
    return 0;
  });
  {
    std::vector<std::jthread> openers;
    for (int t = 0; t < 2; ++t) {
      openers.emplace_back([&] {
        do {
          const auto agree = RecordsAgreeWithColumns(named.index());
          if (agree) {
            ++(*agree ? agreed : mixed);
          } else {
            failed += agree.error().code != ErrorCode::kStale;
          }
        } while (!done);
      });
    }
    const int code = WaitForChild(builder);
    done = true;
    CHECK(code == 0);
  }
  MESSAGE("datasets opened: ", agreed.load());
  CHECK(agreed > 0);
  CHECK(mixed == 0);
  CHECK(failed == 0);
}

TEST_CASE("a forked child uses the index that its parent opened, even if another index has been built since") {
  NamedIndex named;
  PutFolders(named);
  named.Build("own", named.index());
  const auto dataset = Dataset::Open(named.index());
  REQUIRE(dataset);
  named.Build("as-many", named.index());
  CHECK(RunInChild([&] {
          const auto store = dataset->snapshot()->Columns();
          if (!store) return 1;
          const auto selected = Selected(*store, "x = 13");
          return selected && *selected == "3 " ? 0 : 2;
        }) == 0);
}

TEST_CASE("a dataset opened by a relative path works after any change of the working directory") {
  NamedIndex named;
  PutFolders(named);
  named.Build("own", named.index());
  fs::create_directory(named / "elsewhere");
  const InFolder here(named / "");
  auto opened = Opened::Of("named.ofidx");
  REQUIRE(opened);
  std::vector<std::string> answers;
  {
    auto other = Opened::Of("named.ofidx");
    REQUIRE(other);
    for (const Door& door : kDoors) answers.push_back(door.ask(*other).value());
  }
  auto mapless = OpenColumns("named.ofidx");
  REQUIRE(mapless);
  const InFolder away(named / "elsewhere");
  for (size_t i = 0; i < kDoors.size(); ++i) {
    CAPTURE(kDoors[i].name);
    const auto answer = kDoors[i].ask(*opened);
    REQUIRE_MESSAGE(answer, answer.error().message);
    CHECK(*answer == answers[i]);
  }
  CHECK(Selected(*mapless, "_offset > 300"));
  CHECK(opened->dataset.index_path() == "named.ofidx");
  fs::remove(named / "own/part-1");
  auto again = Opened::Of("../named.ofidx");
  REQUIRE(again);
  std::vector<uint8_t> bytes;
  CHECK(again->dataset.reader().Copy(29, bytes).error().message.starts_with("../own/part-1"));
}

}  // namespace
}  // namespace ofindex

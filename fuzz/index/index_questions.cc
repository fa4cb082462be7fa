#include "fuzz/index/index_questions.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/index/small_dataset.h"
#include "index/build/map_builder.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/paths.h"
#include "index/merge/merger.h"
#include "index/verify/verifier.h"
#include "query/columns/find_column.h"
#include "query/dataset.h"
#include "query/sampling/open_sampler.h"
#include "query/sql/open_session.h"
#include "query/sql/where.h"
#include "query/stats/stats.h"

namespace ofindex {
namespace {

// Far more than the records of SmallDataset: an index may claim any number.
constexpr uint64_t kMostAsked = 120;

// Counts answers and errors.
class Questions {
 public:
  template <typename T>
  bool Ask(const Result<T>& result) {
    ++(result ? count_.answers : count_.errors);
    if (!result && count_.first_error.empty()) count_.first_error = result.error().message;
    return IsThere(result);
  }

  [[nodiscard]] const IndexAnswers& count() const { return count_; }

 private:
  IndexAnswers count_;
};

using OpenedSnapshot = std::shared_ptr<const Snapshot>;

void AskInfo(const std::string& path, Questions& ask) {
  Result<CatalogReader> catalog = CatalogReader::Open(path);
  if (!ask.Ask(catalog)) return;
  ask.Ask(catalog->Shards());
  ask.Ask(catalog->Damage());
  ask.Ask(catalog->Bad());
  ask.Ask(catalog->Generations());
  ask.Ask(catalog->Features());
  const auto pieces = catalog->Pieces();
  if (ask.Ask(pieces)) {
    for (uint32_t i = 0; i < std::min<size_t>(pieces->size(), 8); ++i) ask.Ask(catalog->TotalsOf((*pieces)[i], i));
  }
  ask.Ask(catalog->ForEachBlockByShard([](const BlockRow&) -> Result<void> { return {}; }));
  ask.Ask(catalog->ForEachBlock([](const BlockRow&) -> Result<void> { return {}; }));
}

// Reads the blocks with their chunks as a merge does, and again from the middle.
void AskBlocks(const std::string& path, Questions& ask) {
  Result<CatalogReader> catalog = CatalogReader::Open(path);
  if (!ask.Ask(catalog)) return;
  for (const uint64_t after : {uint64_t{0}, uint64_t{1}, uint64_t{2}}) {
    const auto position = catalog->PositionAfter(after);
    if (!ask.Ask(position)) continue;
    Result<BlockCursor> cursor = catalog->BlocksAfter(*position);
    if (!ask.Ask(cursor)) continue;
    BlockRow block;
    std::vector<ChunkRow> chunks;
    for (Result<bool> more = true; more && *more;) {
      more = cursor->Next(block, chunks);
      ask.Ask(more);
    }
    ask.Ask(catalog->HashData(after + 1));
  }
  ask.Ask(catalog->Skipped());
}

void AskMap(const std::string& path, Questions& ask) {
  const auto index = IndexFile::Open(path);
  if (!ask.Ask(index)) return;
  std::filesystem::copy_file(MapPathOf(SmallDataset::Get().index()), MapPathOf(path));  // which is of another index
  ask.Ask(OpenMap(*index));
  const auto damage = FindMapDamage(**index, {});
  if (ask.Ask(damage)) Expect(damage->what.empty(), "a map is damaged that was just made");
  std::fstream map(MapPathOf(path), std::ios::binary | std::ios::in | std::ios::out);
  map.seekp(-40, std::ios::end);
  map << 'x';
  map.close();
  ask.Ask(RepairMap(*index, {}));
}

// Returns whether the files have these bytes. Nearly always they are those of a record, which is found faster.
bool FilesHave(std::string_view bytes) {
  static const std::set<std::string, std::less<>> payloads(SmallDataset::Get().payloads().begin(),
                                                           SmallDataset::Get().payloads().end());
  return payloads.contains(bytes) || SmallDataset::Get().bytes().find(bytes) != std::string::npos;
}

// Reads records from both ends. Whatever the index says, their bytes are those of the files.
void AskRecordsOf(const std::string& path, Questions& ask) {
  const Result<Dataset> dataset = Dataset::Open(path, {.allow_bad = true});
  if (!ask.Ask(dataset)) return;
  const RecordReader& reader = dataset->reader();
  const uint64_t each = std::min<uint64_t>(reader.size(), kMostAsked / 2);
  for (uint64_t i = 0; i < 2 * each; ++i) {
    const uint64_t ordinal = i < each ? i : reader.size() - 1 - (i - each);
    std::vector<uint8_t> bytes;
    if (!ask.Ask(reader.Copy(ordinal, bytes))) continue;
    Expect(FilesHave(AsText(bytes)), "record ", ordinal, " has bytes that no file has");
  }
}

void AskWhere(const OpenedSnapshot& snapshot, const char* expression, Questions& ask) {
  const auto store = snapshot->Columns();
  if (!ask.Ask(store)) return;
  const uint64_t ordinals = (*store)->ordinals();
  const Result<Selection> selection = Where(*store, expression, {}, {.timeout = std::chrono::seconds(5)});
  if (!ask.Ask(selection)) return;
  Expect(selection->count() <= ordinals, "more records selected than there are");
  if (selection->count() > kMostAsked) return;
  for (const uint64_t ordinal : selection->Ordinals()) Expect(ordinal < ordinals, "a record that does not exist");
}

void AskStatsOf(const OpenedSnapshot& snapshot, const char* name, Questions& ask) {
  const auto store = snapshot->Columns();
  if (!ask.Ask(store)) return;
  const Result<Column> column = FindColumn(**store, name);
  if (ask.Ask(column)) ask.Ask(StatsOf(**store, *column, {}));
}

void AskSampler(const OpenedSnapshot& snapshot, const SampleRequest& request, Questions& ask) {
  const auto catalog = snapshot->Catalog();
  const auto store = snapshot->Columns();
  if (!ask.Ask(catalog) || !ask.Ask(store)) return;
  Result<Sampler> sampler = OpenSampler(*store, (*catalog)->generations(), request);
  if (!ask.Ask(sampler)) return;
  std::vector<uint64_t> drawn(kMostAsked);
  drawn.resize(sampler->Next(drawn));
  for (const uint64_t ordinal : drawn) Expect(ordinal < (*store)->ordinals(), "a record is drawn that does not exist");
  if (request.weights || request.balance) return;
  std::sort(drawn.begin(), drawn.end());
  Expect(std::adjacent_find(drawn.begin(), drawn.end()) == drawn.end(), "a record is drawn twice");
}

void AskSql(const OpenedSnapshot& snapshot, const char* sql, Questions& ask) {
  Result<SqlSession> session = OpenSession(*snapshot);
  if (!ask.Ask(session)) return;
  Result<SqlRows> rows = session->Query(sql, {}, {.timeout = std::chrono::seconds(5), .rows = kMostAsked});
  if (!ask.Ask(rows)) return;
  for (;;) {
    const Result<bool> row = rows->Next();
    if (!ask.Ask(row) || !*row) break;
  }
}

void AskVerify(const std::string& path, Questions& ask) {
  Progress progress;
  ask.Ask(VerifyDataset({.index = path, .opened = nullptr, .root = {}, .threads = 1}, progress));
}

// An index that was made of it answers, too.
void AskMerge(const std::string& path, Questions& ask) {
  const std::string merged = StrCat(path, "-merged.ofidx");
  Progress progress;
  const MergeOptions options{
      .inputs = {path}, .index = merged, .threads = 1, .durability = AtomicFile::Durability::kCached};
  if (ask.Ask(MergeIndexes(options, progress))) {
    AskInfo(merged, ask);
    AskRecordsOf(merged, ask);
    AskVerify(merged, ask);
  }
  std::error_code ignored;
  std::filesystem::remove(merged, ignored);
  std::filesystem::remove(MapPathOf(merged), ignored);
}

constexpr std::array kAskedExpressions = {"label = 3",
                                          "name LIKE 'image 4%'",
                                          "score BETWEEN 2.5 AND 9",
                                          "_length > 70",
                                          "\"boxes#count\" = 2",
                                          "has(boxes, 6)",
                                          "_offset < 300 AND _shard LIKE '%-1'",
                                          "label IN (1, 2) OR name IS NULL"};
constexpr std::array kAskedColumns = {"label", "name", "score", "boxes", "raw", "_length"};
constexpr std::array kAskedStatements = {
    "SELECT count(*), sum(label), min(name), max(score), sum(_length) FROM records",
    "SELECT label, count(*), avg(score) FROM records GROUP BY label ORDER BY 2 DESC LIMIT 3",
    "SELECT * FROM records ORDER BY score LIMIT 5",
    "SELECT * FROM shards",
    "SELECT * FROM features",
    "SELECT * FROM bad",
    "SELECT * FROM damage"};
const std::vector<SampleRequest>& AskedSamples() {
  static const std::vector<SampleRequest> requests = {
      {}, {.weights = "_length", .seed = 1}, {.balance = "label", .seed = 1}};
  return requests;
}

// All questions, as functions of the path of an index.
using Question = std::function<void(const std::string& path, Questions& ask)>;

template <typename Asked, typename Ask>
void AddQuestions(const Asked& asked, const Ask& ask_one, std::vector<Question>& questions) {
  for (const auto& each : asked) {
    questions.emplace_back([&each, ask_one](const std::string& path, Questions& ask) {
      const auto snapshot = Snapshot::Open(path, {.columns = {.threads = 1}});
      if (ask.Ask(snapshot)) ask_one(*snapshot, each, ask);
    });
  }
}

std::vector<Question> AllQuestions() {
  std::vector<Question> all = {AskInfo, AskVerify, AskRecordsOf, AskBlocks, AskMap};
  AddQuestions(kAskedExpressions, AskWhere, all);
  AddQuestions(kAskedColumns, AskStatsOf, all);
  AddQuestions(AskedSamples(), AskSampler, all);
  AddQuestions(kAskedStatements, AskSql, all);
  all.emplace_back(AskMerge);
  return all;
}

}  // namespace

IndexAnswers AskIndex(const std::string& path, size_t question) {
  static const std::vector<Question> questions = AllQuestions();
  Questions ask;
  questions[question % questions.size()](path, ask);
  return ask.count();
}

}  // namespace ofindex

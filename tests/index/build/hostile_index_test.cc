#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "index/build/map_builder.h"
#include "index/catalog/catalog_reader.h"
#include "index/database/sqlite.h"
#include "index/update/updater.h"
#include "index/verify/verifier.h"
#include "mmap/record_reader.h"
#include "tests/index/built_set.h"
#include "tests/index/forgery.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

/// How often a hostile index was refused, and how often it was read anyway.
struct IndexOutcomes {
  int refused = 0;
  int read = 0;

  template <typename T>
  void Count(const Result<T>& result) {
    ++(result ? read : refused);
    if (!result) CHECK(!result.error().message.empty());
  }
};

// Runs every operation on an index. They may fail, but must return, and access nothing out of bounds.
void UseIndex(const BuiltSet& set, IndexOutcomes& outcomes) {
  if (Result<CatalogReader> catalog = CatalogReader::Open(set.index())) {
    outcomes.Count(catalog->Shards());
    outcomes.Count(catalog->Damage());
    outcomes.Count(catalog->Bad());
    outcomes.Count(catalog->Generations());
    outcomes.Count(catalog->Features());
    const auto pieces = catalog->Pieces();
    outcomes.Count(pieces);
    for (uint32_t i = 0; pieces && i < pieces->size(); ++i) outcomes.Count(catalog->TotalsOf((*pieces)[i], i));
    outcomes.Count(catalog->ForEachBlockByShard([](const BlockRow&) -> Result<void> { return {}; }));
    outcomes.Count(catalog->ForEachBlock([](const BlockRow&) -> Result<void> { return {}; }));
  } else {
    outcomes.Count(catalog);
  }
  Progress progress;
  outcomes.Count(VerifyDataset({.index = set.index(), .root = {}, .threads = 1}, progress));
  Result<OffsetMap> map = MapOf(set.index());
  outcomes.Count(map);
  if (!map) return;
  const RecordReader reader = RecordReader::Open(std::move(*map), set.folder());
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < std::min<uint64_t>(reader.size(), 10); ++i) {
    outcomes.Count(reader.Copy(i, bytes));
    outcomes.Count(reader.Copy(reader.size() - 1 - i, bytes));
  }
}

// Returns the offsets of meaningful bytes of the file: all except long runs of zeros inside pages.
std::vector<size_t> BytesInUse(const std::string& file) {
  std::vector<size_t> in_use;
  for (size_t at = 0; at < file.size(); ++at) {
    if (file[at] != '\0' || (at > 0 && file[at - 1] != '\0') || at % 65536 < 16) in_use.push_back(at);
  }
  return in_use;
}

// Returns an Example with one integer.
std::string LabelOf(uint64_t label) {
  return Field(1, Field(1, Field(1, "label") + Field(2, Field(3, VarintField(1, label)))));
}

class SmallIndex : public BuiltSet {
 public:
  explicit SmallIndex(bool verify = true) {
    std::string shard = ShardBytes(Framing::kTfRecord, SomePayloads(6, 20));
    Put("part-0", shard + "torn");
    shard[shard.size() - 1] ^= 1;
    Put("part-1", shard);
    Build(Options(verify));
    bytes_ = ReadFile(index());
  }

  /// Makes an index that has a shard in two pieces, a missing one, and one that was missing for a time.
  void Update() {
    const std::string examples = ShardBytes(Framing::kTfRecord, {LabelOf(1), LabelOf(2)});
    Put("part-2", examples);
    Put("part-3", examples + examples);
    RunUpdate();
    Put("part-2", examples + ShardBytes(Framing::kTfRecord, {LabelOf(3)}));
    std::filesystem::rename(Shard("part-0"), folder() + "/part-0");
    std::filesystem::remove(Shard("part-3"));
    RunUpdate();
    std::filesystem::rename(folder() + "/part-0", Shard("part-0"));
    RunUpdate();
    bytes_ = ReadFile(index());
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void RunUpdate() const {
    Progress progress;
    const auto report = UpdateIndex({.index = index()}, progress);
    REQUIRE_MESSAGE(report, report.error().message);
  }

  std::string bytes_;
};

// Changes every `step`-th meaningful byte of an index, and fewer under a sanitizer.
void ChangeBytes(const SmallIndex& set, size_t step) {
  const std::vector<size_t> in_use = BytesInUse(set.bytes());
  CHECK(in_use.size() > 1500);
  IndexOutcomes outcomes;
  for (size_t i = 0; i < in_use.size(); i += step * kCaseStep) {
    // The lowest bit, the highest, or all of them.
    constexpr std::string_view kChanges = "\x01\x80\xff";
    std::string bytes = set.bytes();
    bytes[in_use[i]] = static_cast<char>(bytes[in_use[i]] ^ kChanges[i % kChanges.size()]);
    ReplaceFile(set.index(), bytes);
    UseIndex(set, outcomes);
  }
  CHECK(outcomes.refused > 1000 / kCaseStep);
  CHECK(outcomes.read > 1000 / kCaseStep);
}

TEST_CASE("an index with any changed byte is read or refused, and never crashes") { ChangeBytes(SmallIndex(), 1); }

TEST_CASE("an updated index with a changed byte is read or refused, and never crashes") {
  SmallIndex set;
  set.Update();
  IndexOutcomes sound;
  UseIndex(set, sound);
  CHECK(sound.refused == 5);  // records: four are gone, one is bad
  ChangeBytes(set, 5);
}

TEST_CASE("an index truncated at every page boundary, and at sizes between, is refused or read") {
  const SmallIndex set;
  IndexOutcomes outcomes;
  for (size_t size = 0; size <= set.bytes().size(); size += 4096 - 1) {
    ReplaceFile(set.index(), set.bytes().substr(0, size));
    UseIndex(set, outcomes);
  }
  for (size_t page = 65536; page < set.bytes().size(); page += 65536) {
    ReplaceFile(set.index(), set.bytes().substr(0, page));
    UseIndex(set, outcomes);
  }
  CHECK(outcomes.refused > 100);
}

TEST_CASE("garbage in any page of an index is refused or read") {
  const SmallIndex set;
  std::mt19937_64 random(1);
  IndexOutcomes outcomes;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = set.bytes();
    // The file's header is kept, so that the garbage is read.
    const size_t begin = 100 + random() % (bytes.size() - 100);
    const size_t length = 1 + random() % 2000;
    for (size_t at = begin; at < std::min(begin + length, bytes.size()); ++at)
      bytes[at] = static_cast<char>(random() & 0xff);
    // Replaces one page by another.
    if (i % 3 == 0) {
      const size_t pages = bytes.size() / 65536;
      bytes.replace((1 + random() % (pages - 1)) * 65536, 65536,
                    bytes.substr((1 + random() % (pages - 1)) * 65536, 65536));
    }
    ReplaceFile(set.index(), bytes);
    UseIndex(set, outcomes);
  }
  CHECK(outcomes.refused > 0);
}

// Changes the schema of an index by SQL, keeping the rest.
void Change(const BuiltSet& set, const char* sql) {
  Result<sqlite::Database> database = sqlite::Database::OpenForWriting(set.index(), 65536);
  REQUIRE(database.has_value());
  REQUIRE(database->Execute(sql).has_value());
  REQUIRE(database->Close().has_value());
}

TEST_CASE("an index with unexpected tables is refused, whatever they do") {
  const std::vector<std::string> changes = {
      "CREATE TABLE more(v)",                                                       // one more table
      "CREATE INDEX i ON shard(path)",                                              // an index, which would be trusted
      "DROP TABLE generation",                                                      // a missing table
      "DROP TABLE dataset; CREATE VIEW dataset AS SELECT 'id' AS key, 1 AS value",  // a view instead
      "ALTER TABLE shard ADD COLUMN zeros BLOB AS (zeroblob(1000000000))",          // a computed column
      "DROP TABLE shard; CREATE TABLE shard(shard, path)",                          // other tables with the same names
  };
  for (const std::string& sql : changes) {
    CAPTURE(sql);
    const SmallIndex set;
    Change(set, sql.c_str());
    const Result<CatalogReader> catalog = CatalogReader::Open(set.index());
    REQUIRE(!catalog.has_value());
    CHECK(catalog.error().code == ErrorCode::kIndex);
  }
}

TEST_CASE("derivations that no build writes are refused even with correct checksums, and forged ones derive nothing") {
  for (const char* text : {"", "a", "a:what", "b:hash,a:hash", "a:hash,a:hash", "a:hash,"}) {
    CAPTURE(text);
    const SmallIndex set;
    REQUIRE(Forge(set.index(), {"dataset", StrCat("INSERT INTO dataset VALUES ('derive', '", text, "')")},
                  Checksums::kMadeAnew));
    const Result<CatalogReader> catalog = CatalogReader::Open(set.index());
    REQUIRE(!catalog.has_value());
    CHECK(catalog.error().message.find("the fact derive") != std::string::npos);
  }
  const SmallIndex set;
  REQUIRE(Forge(set.index(), {"dataset", "INSERT INTO dataset VALUES ('derive', 'label:hash,nothing:image')"},
                Checksums::kMadeAnew));
  Result<CatalogReader> catalog = CatalogReader::Open(set.index());
  REQUIRE(catalog.has_value());
  const std::vector<FeatureRow> features = catalog->Features().value();
  for (const FeatureRow& row : features) CHECK(row.derived.empty());
}

TEST_CASE("verify detects an index whose rows were forged with valid SQL") {
  const std::vector<std::string> forgeries = {
      "UPDATE dataset SET value = value + 1 WHERE key = 'records'",
      "UPDATE dataset SET value = value + 1 WHERE key = 'payload_bytes'",
      "UPDATE dataset SET value = value - 1 WHERE key = 'data_bytes'",
      "UPDATE dataset SET value = 'payloads' WHERE key = 'checked'",  // it was built without --verify
      "DELETE FROM dataset WHERE key = 'records'",
      "UPDATE shard SET path = 'train/part-2' WHERE shard = 0",
      "UPDATE shard SET payload = 'example' WHERE shard = 0",
      "UPDATE shard SET size = size + 1 WHERE shard = 0",
      "UPDATE shard SET mtime_ns = mtime_ns + 1 WHERE shard = 0",
      "UPDATE generation SET records = -1",
      "UPDATE generation SET records = records - 1",
      "UPDATE source SET argument = 'other'",
      "UPDATE dataset SET value = 'none' WHERE key = 'columns'",
      "UPDATE block SET hashes = NULL, sum = sum + 1",
      "DELETE FROM checksum WHERE part = 'bad'",
      "UPDATE checksum SET sum = sum + 1 WHERE part = 'bad'",
      "INSERT INTO dataset VALUES ('more', 1)",
      "UPDATE shard SET first_record = first_record + 1 WHERE shard = 1",
      "UPDATE shard SET records = records - 1 WHERE shard = 0",
      "UPDATE shard SET payload_bytes = payload_bytes + 1 WHERE shard = 0",
      "UPDATE damage SET \"begin\" = \"begin\" + 1",
      "DELETE FROM damage",
      "UPDATE block SET first_record = first_record + 1 WHERE shard = 1",
      "DELETE FROM block WHERE shard = 1",
  };
  for (const std::string& sql : forgeries) {
    CAPTURE(sql);
    const SmallIndex set(false);
    Progress progress;
    REQUIRE(VerifyDataset({.index = set.index(), .root = {}}, progress));
    Change(set, sql.c_str());
    for (const bool quick : {false, true}) {
      const auto report = VerifyDataset({.index = set.index(), .root = {}, .quick = quick}, progress);
      REQUIRE_FALSE(report);
      CHECK(report.error().code == ErrorCode::kIndex);
      CHECK(report.error().hint.text().find("--force") != std::string::npos);
    }
  }
  // Removes a finding of --verify.
  const SmallIndex set;
  Change(set, "DELETE FROM bad");
  Progress progress;
  CHECK(VerifyDataset({.index = set.index(), .root = {}}, progress).error().code == ErrorCode::kIndex);
}

TEST_CASE("changed or removed rows are noticed when they are read, before anything is done with them") {
  struct Row {
    const char* sql;
    const char* message;
    std::function<Result<void>(CatalogReader&)> read;
  };
  const auto blocks = [](CatalogReader& catalog) {
    return catalog.ForEachBlock([](const BlockRow&) -> Result<void> { return {}; });
  };
  for (const Row& row : {
           Row{"UPDATE block SET offsets = zeroblob(length(offsets))", "the checksum of row 1 of table block", blocks},
           Row{"UPDATE block SET hashes = zeroblob(length(hashes))", "the checksum of row 1 of table block", blocks},
           Row{"DELETE FROM block WHERE shard = 1", "table block: expected 2 rows", blocks},
           Row{"DELETE FROM damage", "table damage: expected 1 row of",
               [](CatalogReader& catalog) -> Result<void> {
                 OFINDEX_TRY(catalog.Damage());
                 return {};
               }},
       }) {
    CAPTURE(row.sql);
    const SmallIndex set;
    Change(set, row.sql);
    Result<CatalogReader> catalog = CatalogReader::Open(set.index());
    REQUIRE(catalog);
    const Result<void> read = row.read(*catalog);
    REQUIRE_FALSE(read);
    CHECK_MESSAGE(read.error().message.find(row.message) != std::string::npos, read.error().message);
  }
}

// Gives a forged index the id of its rows, and correct checksums.
void ForgeId(const SmallIndex& set) {
  Progress progress;
  const auto report = VerifyDataset({.index = set.index(), .root = {}}, progress);
  REQUIRE_FALSE(report);
  const std::string mark = ", got ";
  const size_t at = report.error().message.find(mark);
  REQUIRE_MESSAGE(at != std::string::npos, report.error().message);
  const std::string id = report.error().message.substr(at + mark.size());
  for (const auto& [table, change] : {std::pair{"dataset", "value = '"}, std::pair{"generation", "fingerprint = '"}}) {
    const char* const row = table == std::string_view("dataset") ? "' WHERE key = 'id'" : "'";
    REQUIRE(Forge(set.index(), {table, StrCat("UPDATE ", table, " SET ", change, id, row)}, Checksums::kMadeAnew));
  }
}

TEST_CASE("records at impossible positions are refused before they are read, though all checksums are right") {
  const SmallIndex set;
  REQUIRE(Forge(set.index(), {"block", "UPDATE block SET offsets = zeroblob(length(offsets)) WHERE shard = 0"},
                Checksums::kMadeAnew));
  ForgeId(set);
  Progress progress;
  const auto report = VerifyDataset({.index = set.index(), .root = {}}, progress);
  REQUIRE_FALSE(report);
  CHECK_MESSAGE(report.error().message.find("records at impossible positions") != std::string::npos,
                report.error().message);
}

TEST_CASE("verify notices bytes that an index has in no record and in no damage, though all checksums are right") {
  for (const char* sql : {"DELETE FROM damage", "UPDATE damage SET \"begin\" = \"begin\" + 1",
                          "UPDATE damage SET \"end\" = \"end\" - 1", "UPDATE damage SET shard = 1, \"begin\" = 0"}) {
    const SmallIndex set;
    REQUIRE(Forge(set.index(), {"damage", sql, std::string_view(sql).starts_with("DELETE")}, Checksums::kMadeAnew));
    for (const bool quick : {false, true}) {
      CAPTURE(sql);
      CAPTURE(quick);
      Progress progress;
      const auto report = VerifyDataset({.index = set.index(), .root = {}, .quick = quick}, progress);
      REQUIRE_FALSE(report);
      CHECK_MESSAGE(report.error().message.find("neither a record nor damage here") != std::string::npos,
                    report.error().message);
    }
  }
}

TEST_CASE("verify reads a fingerprint even if an index gives the right time of a shard") {
  const SmallIndex set;
  const char* const sql = "UPDATE shard SET fingerprint = '0123456789abcdef' WHERE shard = 0";
  REQUIRE(Forge(set.index(), {"shard", sql}, Checksums::kMadeAnew));
  ForgeId(set);
  Progress progress;
  const auto report = VerifyDataset({.index = set.index(), .root = {}}, progress);
  REQUIRE_MESSAGE(report, report.error().message);
  CHECK(report->stale.size() == 1);
}

// Returns an interior page of a table's tree (sqlite.org/fileformat.html, 1.6) with as many cells as fit, all leading
// to page `child`.
std::string FanPage(uint32_t child) {
  const auto big_endian = [](uint32_t value, int bytes) {
    std::string out;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xff));
    return out;
  };
  constexpr uint32_t kPage = 65536;
  constexpr uint32_t kCells = 9000;
  std::string page(kPage, '\0');
  const uint32_t content = kPage - 5 * kCells;
  page.replace(
      0, 12, "\x05" + big_endian(0, 2) + big_endian(kCells, 2) + big_endian(content, 2) + '\0' + big_endian(child, 4));
  for (uint32_t i = 0; i < kCells; ++i) {
    const uint32_t cell = content + 5 * i;
    page.replace(12 + 2 * i, 2, big_endian(cell, 2));
    page.replace(cell, 5, big_endian(child, 4) + '\x01');
  }
  return page;
}

TEST_CASE("an index whose tables contain cycles is refused, however many rows it seems to have") {
  const SmallIndex set;
  const size_t pages = set.bytes().size() / 65536;
  int refused = 0;
  for (size_t page = 2; page < pages; ++page) {
    // The page moves to the end of the file, below three that lead to it 9,000^3 times.
    std::string bytes = set.bytes();
    const auto number = [&](size_t index) { return static_cast<uint32_t>(index + 1); };
    bytes.replace(page * 65536, 65536, FanPage(number(pages)));
    bytes += FanPage(number(pages + 1));
    bytes += FanPage(number(pages + 2));
    bytes += set.bytes().substr(page * 65536, 65536);
    // The size in the header, in pages, is big-endian at byte 28.
    bytes[31] = static_cast<char>(pages + 3);
    ReplaceFile(set.index(), bytes);
    IndexOutcomes outcomes;
    UseIndex(set, outcomes);
    if (outcomes.refused != 0) ++refused;
  }
  CHECK(refused > 2);
}

}  // namespace
}  // namespace ofindex

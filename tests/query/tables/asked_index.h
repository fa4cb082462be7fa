#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "index/catalog/catalog_reader.h"
#include "index/update/updater.h"
#include "index/verify/verifier.h"
#include "query/columns/find_column.h"
#include "query/dataset.h"
#include "query/sampling/open_sampler.h"
#include "query/sql/open_session.h"
#include "query/sql/where.h"
#include "query/stats/stats.h"
#include "tests/index/built_set.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/compressed_bytes.h"

namespace ofindex {

inline constexpr unsigned kDeadlineSeconds = 120;  // per change; after that, something hangs, and the test is aborted

// Returns an Example of an integer, a text, a float and sometimes a list.
inline std::string ExampleOf(int i) {
  const auto entry = [](std::string_view name, uint32_t kind, const std::string& list) {
    return Field(1, Field(1, name) + Field(2, Field(kind, list)));
  };
  std::string features = entry("label", 3, VarintField(1, static_cast<uint64_t>(i % 7))) +
                         entry("name", 1, Field(1, "image " + std::to_string(i))) +
                         entry("score", 2, FixedField(1, static_cast<float>(i) / 4));
  if (i % 3 == 0) features += entry("boxes", 3, VarintField(1, 1) + VarintField(1, static_cast<uint64_t>(i)));
  return Field(1, features);
}

// A set that fills every table of a built index: compressed and plain shards, damage, a bad record, columns and lists.
// An updated one also has a shard in two pieces, a missing one, and one that was missing for a time.
class ForgedSet : public BuiltSet {
 public:
  explicit ForgedSet(bool updated = false) {
    for (int shard = 0; shard < 3; ++shard) {
      std::vector<std::string> payloads;
      for (int i = 0; i < 30; ++i) payloads.push_back(ExampleOf(30 * shard + i));
      std::string bytes = ShardBytes(Framing::kTfRecord, payloads);
      if (shard == 1) bytes += "torn";
      if (shard == 2) bytes[bytes.size() - 1] ^= 1;
      Put("part-" + std::to_string(shard), shard == 0 ? Compressed(Compression::kGzip, bytes) : bytes);
      payloads_.insert(payloads_.end(), payloads.begin(), payloads.end());
    }
    BuildOptions options = Options(true);
    options.inflate.checkpoint_bytes = 512;
    options.columns = ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"boxes", "label", "name", "score"}};
    Build(options);
    if (updated) UpdateAll();
    index_bytes_ = ReadFile(index());
    map_bytes_ = ReadFile(map());
  }

  void Restore() const {
    OverwriteAt(index(), 0, index_bytes_);
    TruncateTo(index(), index_bytes_.size());
    WriteFile(map(), map_bytes_);
  }

  [[nodiscard]] const std::vector<std::string>& payloads() const { return payloads_; }
  [[nodiscard]] const std::string& index_bytes() const { return index_bytes_; }
  [[nodiscard]] const std::string& map_bytes() const { return map_bytes_; }

 private:
  // The missing shards are the compressed one, and one that held the ordinals 90 and 91.
  void UpdateAll() const {
    const std::string more = ShardBytes(Framing::kTfRecord, {ExampleOf(90), ExampleOf(91)});
    WriteFile(Shard("part-3"), more);
    Update();
    std::filesystem::remove(Shard("part-3"));
    std::filesystem::rename(Shard("part-2"), folder() + "/part-2");
    WriteFile(Shard("part-1"), ReadFile(Shard("part-1")) + more);
    Update();
    std::filesystem::rename(folder() + "/part-2", Shard("part-2"));
    std::filesystem::remove(Shard("part-0"));
    Update();
  }

  void Update() const {
    Progress progress;
    const auto report = UpdateIndex({.index = index()}, progress);
    REQUIRE_MESSAGE(report, report.error().message);
  }

  std::vector<std::string> payloads_;
  std::string index_bytes_;
  std::string map_bytes_;
};

/// The answers of an index to all possible questions, as text; "error" for an error.
using Answers = std::map<std::string, std::string>;

inline constexpr char kError[] = "error";

template <typename T, typename Text>
inline std::string Answer(const Result<T>& result, const Text& text) {
  if (result) return text(*result);
  CHECK(!result.error().message.empty());
  return kError;
}

inline std::string OfRows(const std::vector<ShardRow>& shards) {
  std::string text;
  for (const ShardRow& shard : shards) {
    text += StrCat(shard.path, " ", Name(shard.framing), " ", Name(shard.payload), " ", shard.first_record, " ",
                   shard.records, " ", shard.payload_bytes, " ", shard.identity.size, "\n");
  }
  return text;
}

inline std::string OfRows(const std::vector<FeatureRow>& features) {
  std::string text;
  for (const FeatureRow& row : features) {
    text += StrCat(row.name, " ", row.present, " ", row.values, " ", row.values_max, " ", row.type, "\n");
  }
  return text;
}

inline void AskCatalog(const BuiltSet& set, Answers& answers) {
  Result<CatalogReader> catalog = CatalogReader::Open(set.index());
  answers["facts"] = Answer(catalog, [](const CatalogReader& reader) {
    const DatasetFacts& facts = reader.facts();
    return StrCat(ToHex(facts.id), " ", facts.records, " ", facts.payload_bytes, " ", facts.data_bytes, " ",
                  facts.columns, " ", facts.sources.size());
  });
  if (!catalog) return;
  const auto of_shards = [](const auto& rows) { return OfRows(rows); };
  answers["shards"] = Answer(catalog->Shards(), of_shards);
  answers["features"] = Answer(catalog->Features(), of_shards);
  answers["damage"] = Answer(catalog->Damage(), [](const auto& rows) {
    return StrCat(rows.size(), " ", rows.empty() ? 0 : rows[0].range.begin);
  });
  answers["bad"] = Answer(catalog->Bad(),
                          [](const auto& rows) { return StrCat(rows.size(), " ", rows.empty() ? 0 : rows[0].record); });
  answers["generations"] =
      Answer(catalog->Generations(), [](const auto& rows) { return StrCat(rows.size(), " ", rows.back().records); });
}

inline void AskRecords(const BuiltSet& set, Answers& answers) {
  const Result<Dataset> dataset = Dataset::Open(set.index(), {.allow_bad = true});
  answers["size"] = Answer(dataset, [](const Dataset& open) { return StrCat(open.size()); });
  if (!dataset) return;
  REQUIRE(dataset->size() < 1000);
  for (uint64_t i = 0; i < dataset->size(); ++i) {
    std::vector<uint8_t> bytes;
    const Result<void> copied = dataset->reader().Copy(i, bytes);
    answers[StrCat("record ", i)] = copied ? std::string(AsText(bytes)) : kError;
  }
}

inline std::string OrdinalsOf(const Result<Selection>& selection, uint64_t below) {
  return Answer(selection, [&](const Selection& some) {
    std::string text;
    for (const uint64_t ordinal : some.Ordinals()) {
      CHECK(ordinal < below);
      text += StrCat(ordinal, " ");
    }
    return text;
  });
}

inline std::string Drawn(const Result<Sampler>& opened, uint64_t below) {
  if (!opened) return kError;
  Sampler sampler = *opened;
  std::vector<uint64_t> ordinals(below + 1);
  ordinals.resize(sampler.Next(ordinals));
  std::string text;
  for (const uint64_t ordinal : ordinals) {
    CHECK(ordinal < below);
    text += StrCat(ordinal, " ");
  }
  return text;
}

inline void AskColumns(const BuiltSet& set, Answers& answers) {
  const auto snapshot = Snapshot::Open(set.index(), {.columns = {.threads = 1}});
  const auto catalog = snapshot.and_then([](const auto& open) { return open->Catalog(); });
  const auto store = snapshot.and_then([](const auto& open) { return open->Columns(); });
  answers["columns"] = Answer(store, [](const auto& open) { return StrCat(open->records()); });
  if (!catalog || !store) return;
  const uint64_t records = (*store)->ordinals();
  REQUIRE(records < 1000);
  for (const char* expression : {"label = 3", "name LIKE 'image 4%'", "score BETWEEN 2.5 AND 9", "_length > 70",
                                 "\"boxes#count\" = 2", "has(boxes, 6)", "_offset < 300 AND _shard LIKE '%-1'"}) {
    answers[expression] = OrdinalsOf(Where(*store, expression), records);
  }
  for (const char* name : {"label", "name", "boxes"}) {
    const Result<Column> column = FindColumn(**store, name);
    answers[StrCat("stats ", name)] = kError;
    if (!column) continue;
    answers[StrCat("stats ", name)] = Answer(StatsOf(**store, *column, {}), [](const ColumnStats& stats) {
      return StrCat(stats.count, " ", stats.nulls, " ", stats.distinct, " ", stats.max.integer, stats.max.bytes);
    });
  }
  const std::vector<GenerationRow>& generations = (*catalog)->generations();
  answers["sample"] = Drawn(OpenSampler(*store, generations, {}), records);
  answers["weights"] = Drawn(OpenSampler(*store, generations, {.weights = "label", .seed = 1}), records);
  answers["balance"] = Drawn(OpenSampler(*store, generations, {.balance = "label", .seed = 1}), records);
}

inline void AskSql(const BuiltSet& set, Answers& answers) {
  const auto snapshot = Snapshot::Open(set.index(), {.columns = {.threads = 1}});
  Result<SqlSession> session = snapshot.and_then([](const auto& open) { return OpenSession(*open); });
  answers["session"] = session ? "open" : kError;
  if (!session) return;
  constexpr char kQuery[] =
      "SELECT count(*), sum(label), min(name), max(score), sum(_length), (SELECT count(*) FROM shards), (SELECT "
      "count(*) FROM bad), (SELECT count(*) FROM damage), (SELECT sum(present) FROM features) FROM records";
  Result<SqlRows> rows = session->Query(kQuery);
  Result<bool> row = rows ? rows->Next() : Result<bool>(false);
  answers["sql"] = kError;
  if (!rows || !row || !*row) return;
  std::string text;
  for (size_t i = 0; i < rows->columns().size(); ++i) {
    const SqlValue value = rows->At(i);
    text += StrCat(value.integer, "/", std::to_string(value.real), "/", AsText(value.bytes), " ");
  }
  answers["sql"] = text;
}

inline Answers AskAll(const BuiltSet& set) {
  ::alarm(kDeadlineSeconds);
  Answers answers;
  AskCatalog(set, answers);
  AskRecords(set, answers);
  AskColumns(set, answers);
  AskSql(set, answers);
  ::alarm(0);
  return answers;
}

// Returns false if an answer is neither an error nor the original one.
inline bool AreRightOrErrors(const Answers& answers, const Answers& right) {
  for (const auto& [question, answer] : answers) {
    const auto expected = right.find(question);
    if (answer == kError || (expected != right.end() && answer == expected->second)) continue;
    MESSAGE(question << " gave " << answer << " in place of "
                     << (expected == right.end() ? "nothing" : expected->second));
    return false;
  }
  return true;
}

inline bool IsVerified(const BuiltSet& set) {
  ::alarm(kDeadlineSeconds);
  Progress progress;
  const auto report = VerifyDataset({.index = set.index(), .root = {}, .threads = 1}, progress);
  ::alarm(0);
  if (!report) CHECK(report.error().code == ErrorCode::kIndex);
  return report.has_value();
}

}  // namespace ofindex

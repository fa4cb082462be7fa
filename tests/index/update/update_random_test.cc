#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "tests/index/merge/merging.h"
#include "tests/index/update/held_samplers.h"
#include "tests/index/update/index_contents.h"
#include "tests/index/update/ordinal_model.h"
#include "tests/index/update/random_folder.h"
#include "tests/index/update/updated_set.h"
#include "tests/support/sanitizers.h"

// Random sequences of changes, each followed by an update: see docs/testing.md for OFINDEX_SEQUENCES.

namespace ofindex {
namespace {

uint64_t NumberIn(const char* variable, uint64_t otherwise) {
  const char* const given = std::getenv(variable);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

/// An index that is updated, a fresh one of the same files, and what both should be.
class Sequence {
 public:
  explicit Sequence(uint64_t seed) : Sequence(seed, std::mt19937_64(seed)) {}

  HeldSamplers::Outcomes Run();

 private:
  Sequence(uint64_t seed, std::mt19937_64 random)
      : random_(seed + 1),
        set_(random() % 3 == 0 ? Framing::kOfRecord : Framing::kTfRecord),
        damages_(random() % 2 == 0),
        folder_(set_.data(), set_.framing(), damages_, seed),
        options_(PartOptions(set_, random() % 3 == 0)) {
    const std::vector<std::string> columns = {"auto", "auto", "none", "auto,boxes,text", "label,late0"};
    options_.columns = ColumnChoice::Parse(columns[random() % columns.size()]).value();
    if (random() % 2 == 0) options_.derive = Derivations::Of({"text:length", "text:hash", "text:image"}).value();
    options_.columns_optional = true;
    // A shard keeps the kind of payload that it was first found to have. A build of it, damaged since, may find
    // another.
    if (damages_) {
      options_.format.payload = set_.framing() == Framing::kTfRecord ? PayloadKind::kExample : PayloadKind::kOfRecord;
    }
    set_.Build(options_);
  }

  // Returns the files of an index as they are on disk.
  [[nodiscard]] std::vector<FileOnDisk> FilesOf(const IndexContents& contents) const {
    std::vector<FileOnDisk> files;
    for (const ReadShard& shard : contents.shards) {
      const std::string path = set_.folder() + "/" + shard.path;
      files.push_back({.path = shard.path,
                       .bytes = ReadFile(path),
                       .inode = StatFile(path).value().inode,
                       .records = shard.records.size(),
                       .broken_stream = shard.broken_stream});
    }
    return files;
  }

  void CheckPayloads(const IndexContents& contents) const;
  void CheckOrdinals(const IndexContents& contents, const IndexContents& fresh, const OrdinalModel& model,
                     bool prunes) const;
  static void CheckPruned(const UpdateReport& report, const OrdinalModel& model, bool prunes);
  static void CheckReport(const UpdateReport& report, const OrdinalModel& model);

  std::mt19937_64 random_;
  UpdatedSet set_;
  bool damages_;
  RandomFolder folder_;
  BuildOptions options_;
};

// Every record read is one that was written to its file, in that order, and all of them if the file is not damaged.
void Sequence::CheckPayloads(const IndexContents& contents) const {
  for (const ReadShard& shard : contents.shards) {
    CAPTURE(shard.path);
    const WrittenFile& written = folder_.files().at(shard.path.substr(std::string("train/").size()));
    size_t at = 0;
    for (const ReadRecord& record : shard.records) {
      while (at < written.payloads.size() && written.payloads[at] != record.payload) ++at;
      if (!written.damaged) REQUIRE(at < written.payloads.size());
      ++at;
    }
    if (!written.damaged && written.rest.empty()) REQUIRE(shard.records.size() == written.payloads.size());
  }
}

void Sequence::CheckOrdinals(const IndexContents& contents, const IndexContents& fresh, const OrdinalModel& model,
                             bool prunes) const {
  REQUIRE(contents.ordinals == model.ordinals());
  REQUIRE(contents.generation == model.generation());
  REQUIRE(contents.shards.size() == fresh.shards.size());
  for (size_t i = 0; i < contents.shards.size(); ++i) {
    const ReadShard& shard = contents.shards[i];
    CAPTURE(shard.path);
    std::vector<uint64_t> ordinals;
    for (const ReadRecord& record : shard.records) ordinals.push_back(record.ordinal);
    REQUIRE(ordinals == model.OrdinalsOf(shard.path));
    for (size_t each = 0; each < ordinals.size(); ++each) {
      REQUIRE(shard.records[each].payload == fresh.shards[i].records[each].payload);
      if (prunes || model.only_appended()) REQUIRE(ordinals[each] == fresh.shards[i].records[each].ordinal);
    }
  }
}

// Whether a prune moves ordinals is decided from the heads of files, before it is known whether they have records: it
// may say so although none moves, but only if something was read.
void Sequence::CheckPruned(const UpdateReport& report, const OrdinalModel& model, bool prunes) {
  if (prunes && model.MovesIfPruned()) {
    CHECK(report.renumbered);
  } else {
    CHECK((!report.renumbered || (prunes && model.changed())));
  }
}

void Sequence::CheckReport(const UpdateReport& report, const OrdinalModel& model) {
  CHECK(report.written.was_up_to_date == !model.changed());
  CHECK(report.new_records == model.new_records());
  CHECK(report.gone_records == model.gone_records());
  CHECK(report.generation == model.generation());
}

HeldSamplers::Outcomes Sequence::Run() {
  IndexContents updated = ReadIndex(set_.index());
  OrdinalModel model(FilesOf(updated));
  HeldSamplers samplers;
  std::string changes;
  for (int step = 0; step < 6; ++step) {
    samplers.Hold(set_.index(), updated, random_);
    changes += folder_.Change() + "\n";
    CAPTURE(changes);
    const IndexContents fresh = set_.BuildFresh(options_);
    model.Update(FilesOf(fresh));
    const bool prunes = random_() % 6 == 0;
    if (prunes) changes += "(pruned)\n";
    const UpdateReport report = set_.Update(options_, prunes);
    CheckPruned(report, model, prunes);
    if (report.renumbered) model.Prune();
    CheckReport(report, model);
    updated = ReadIndex(set_.index());
    const std::string difference = FirstDifference(updated.Dump(), fresh.Dump());
    if (!difference.empty() && std::getenv("OFINDEX_DUMP") != nullptr) {
      WriteFile(std::string(std::getenv("OFINDEX_DUMP")) + "/updated", updated.Dump());
      WriteFile(std::string(std::getenv("OFINDEX_DUMP")) + "/fresh", fresh.Dump());
    }
    REQUIRE_MESSAGE(difference.empty(), difference);
    CheckOrdinals(updated, fresh, model, prunes);
    CheckPayloads(updated);
    samplers.Resume(set_.index(), updated, report.renumbered);
  }
  return samplers.outcomes();
}

TEST_CASE(
    "after random changes and updates, an index is as one built of its files, with the ordinals it has promised") {
  const uint64_t first = NumberIn("OFINDEX_SEED", 0);
  const uint64_t sequences = NumberIn("OFINDEX_SEQUENCES", kSanitized ? 20 : 120);
  HeldSamplers::Outcomes states;
  for (uint64_t seed = first; seed < first + sequences; ++seed) {
    CAPTURE(seed);
    const HeldSamplers::Outcomes outcomes = Sequence(seed).Run();
    states.resumed += outcomes.resumed;
    states.refused += outcomes.refused;
  }
  MESSAGE(states.resumed, " states of samplers went on, ", states.refused, " were refused");
  const bool all_sorts = sequences < 10 || (states.resumed > sequences && states.refused > sequences);
  CHECK(all_sorts);
}

}  // namespace
}  // namespace ofindex

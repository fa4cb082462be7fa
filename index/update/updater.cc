#include "index/update/updater.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "base/allocation.h"
#include "base/file.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/build/fill_index.h"
#include "index/build/index_output.h"
#include "index/build/index_writer.h"
#include "index/build/map_builder.h"
#include "index/catalog/paths.h"
#include "index/catalog/shard_files.h"
#include "index/merge/merge_source.h"
#include "index/shards/shard_set.h"
#include "index/update/update_plan.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Returns the DATA of an index, as seen from the working directory. Files that were named one by one and are missing
// are left out: their shards are missing.
std::vector<std::string> DataOf(const MergeSource& source, const std::string& index) {
  std::set<std::string_view> shards;
  for (const ShardRow& shard : source.shards()) shards.insert(shard.path);
  std::vector<std::string> data;
  for (const std::string& stored : source.facts().sources) {
    const bool is_list = stored.starts_with('@');
    std::string path = PathFrom(FolderOf(index), is_list ? stored.substr(1) : stored);
    if (shards.contains(stored) && !StatFile(path)) continue;
    data.push_back(is_list ? "@" + path : std::move(path));
  }
  return data;
}

// Writes the index of one update.
class Writing {
 public:
  Writing(const UpdateOptions& options, MergeSource& source, const UpdatePlan& plan, IndexWriter& writer,
          Progress& progress)
      : options_(options), source_(source), plan_(plan), writer_(writer), progress_(progress) {}

  Result<void> Copy() {
    OFINDEX_TRY(source_.AddFeaturesTo(writer_));
    numbers_.resize(plan_.pieces.size(), IndexWriter::kOwnFile);
    for (uint32_t i = 0; i < plan_.pieces.size(); ++i) {
      if (!plan_.pieces[i].dropped) OFINDEX_TRY(CopyPiece(i));
    }
    return AddAbsences();
  }

  Result<void> Scan() {
    if (plan_.added.empty()) return {};
    std::vector<ProbedShard> shards;
    for (const NewPiece& piece : plan_.added) shards.push_back(piece.shard);
    OFINDEX_ASSIGN(const ColumnChoice columns, ColumnChoice::Parse(source_.facts().columns));
    const ScanOptions scan{.check_payloads = checks_payloads(),
                           .columns = columns,
                           .message = {},
                           .threads = options_.threads != 0 ? options_.threads : ProcessorCount(),
                           .inflate = {},
                           .segment_bytes = options_.segment_bytes};
    return ScanShards(shards, scan, progress_, [&](BlockQueue& queue) { return TakeAll(queue); });
  }

  [[nodiscard]] bool checks_payloads() const {
    return options_.verify || source_.facts().checked == Checked::kPayloads;
  }

  // Returns the number of records of each added piece.
  [[nodiscard]] const std::vector<uint64_t>& added_records() const { return added_records_; }

 private:
  [[nodiscard]] uint64_t generation() const { return static_cast<uint64_t>(source_.generations().back().number) + 1; }

  Result<void> CopyPiece(uint32_t i) {
    const PieceFate& fate = plan_.pieces[i];
    ShardRow row = source_.shards()[i];
    row.path = fate.path;
    row.identity = fate.identity;
    row.file = row.file == i ? IndexWriter::kOwnFile : numbers_[row.file];
    if (fate.goes) row.gone = generation();
    if (fate.returns) row.gone = 0;
    numbers_[i] = static_cast<uint32_t>(writer_.pieces().size());
    writer_.BeginShard(row);
    ShardFindings findings;
    OFINDEX_TRY(source_.CopyShard(i, writer_, findings, progress_));
    if (fate.cut_at) {
      std::erase_if(findings.damage, [&](const DamagedRange& range) { return range.begin >= *fate.cut_at; });
      findings.stream.checkpoints.clear();
    }
    return writer_.EndShard(std::move(findings));
  }

  Result<void> AddAbsences() {
    for (AbsenceRow absence : source_.absences()) {
      const PieceFate& fate = plan_.pieces[absence.shard];
      if (!absence.until && fate.returns) absence.until = generation();
      absence.shard = numbers_[absence.shard];
      if (!fate.dropped) OFINDEX_TRY(writer_.AddAbsence(absence));
    }
    for (uint32_t i = 0; i < plan_.pieces.size(); ++i) {
      if (plan_.pieces[i].goes) {
        OFINDEX_TRY(writer_.AddAbsence({.shard = numbers_[i], .since = generation()}));
      }
    }
    return {};
  }

  Result<void> TakeAll(BlockQueue& queue) {
    for (size_t i = 0; i < plan_.added.size(); ++i) {
      const NewPiece& piece = plan_.added[i];
      const ProbedShard& shard = piece.shard;
      writer_.BeginShard({.path = shard.file.stored_path,
                          .framing = shard.framing,
                          .payload = shard.payload,
                          .identity = shard.identity,
                          .compression = shard.compression,
                          .file = piece.grown ? numbers_[*piece.grown] : IndexWriter::kOwnFile,
                          .begin = shard.range.begin});
      for (;;) {
        OFINDEX_ASSIGN(std::optional<BuiltBlock> block, queue.Take(i));
        if (!block) break;
        OFINDEX_TRY(writer_.AddBlock(std::move(*block)));
      }
      OFINDEX_TRY(writer_.EndShard(queue.TakeFindings(i)));
      added_records_.push_back(writer_.pieces().back().records);
    }
    return {};
  }

  const UpdateOptions& options_;
  MergeSource& source_;
  const UpdatePlan& plan_;
  IndexWriter& writer_;
  Progress& progress_;
  std::vector<uint32_t> numbers_;  // of the pieces in the new index
  std::vector<uint64_t> added_records_;
};

// Lists what the update found.
void AddShards(const UpdatePlan& plan, const std::vector<uint64_t>& added_records, UpdateReport& report) {
  std::set<std::string_view> grown;
  for (size_t i = 0; i < plan.added.size(); ++i) {
    const NewPiece& piece = plan.added[i];
    report.new_records += added_records[i];
    if (!piece.grown) {
      const auto same = std::find_if(plan.found.begin(), plan.found.end(), [&](const FoundShard& found) {
        return found.file.stored_path == piece.shard.file.stored_path;
      });
      const ShardChange change = plan.changes.found[static_cast<size_t>(same - plan.found.begin())].change;
      report.shards.push_back({.change = change == ShardChange::kNew ? change : ShardChange::kChanged,
                               .path = piece.shard.file.stored_path,
                               .records = added_records[i],
                               .new_records = added_records[i]});
    }
  }
  for (size_t i = 0; i < plan.known.size(); ++i) {
    const KnownShard& shard = plan.known[i];
    const ShardDecision& decision = plan.changes.known[i];
    ChangedShard changed{.change = decision.change, .path = shard.path, .records = shard.records};
    const PieceFate& fate = plan.pieces[shard.first_piece];
    if (fate.goes) report.gone_records += shard.records;
    switch (decision.change) {
      case ShardChange::kUnchanged:
      case ShardChange::kTouched: ++report.unchanged; continue;
      case ShardChange::kGone:
      case ShardChange::kNew:
      case ShardChange::kRefilled:
      case ShardChange::kChanged: continue;
      case ShardChange::kGrown:
        if (!fate.cut_at) continue;
        for (size_t each = 0; each < plan.added.size(); ++each) {
          if (plan.added[each].grown == shard.first_piece) changed.new_records = added_records[each];
        }
        changed.records += changed.new_records;
        break;
      default: break;
    }
    if (fate.path != shard.path) changed.before = std::exchange(changed.path, fate.path);
    report.shards.push_back(std::move(changed));
  }
  std::stable_sort(report.shards.begin(), report.shards.end(),
                   [](const ChangedShard& a, const ChangedShard& b) { return NaturalLess(a.path, b.path); });
}

// Returns the SQL names of all columns.
std::set<std::string> ColumnsOf(const std::vector<FeatureRow>& features) {
  std::set<std::string> names;
  for (const FeatureRow& row : features) {
    if (row.present == 0) continue;
    for (const std::string* name : {&row.sql_value, &row.sql_count, &row.sql_size}) {
      if (!name->empty()) names.insert(*name);
    }
  }
  return names;
}

Result<DatasetFacts> FactsFor(const UpdateOptions& options, const MergeSource& source) {
  const DatasetFacts& old = source.facts();
  DatasetFacts facts;
  facts.checked = old.checked;
  facts.format = old.format;
  facts.payload = old.payload;
  facts.compression = old.compression;
  facts.message = old.message;
  facts.sources = old.sources;
  for (const std::string& data : options.data) {
    const bool is_list = data.starts_with('@');
    OFINDEX_ASSIGN(std::string stored, RelativeTo(is_list ? data.substr(1) : data, FolderOf(options.index)));
    if (is_list) stored = "@" + stored;
    if (std::find(facts.sources.begin(), facts.sources.end(), stored) == facts.sources.end()) {
      facts.sources.push_back(std::move(stored));
    }
  }
  facts.earlier = source.generations();
  return facts;
}

Result<void> CheckUpdatable(const MergeSource& source) {
  const DatasetFacts& facts = source.facts();
  if (facts.part) {
    return Fail(ErrorCode::kIndex, StrCat(Printable(source.path()), ": ", Describe(*facts.part), ", not a whole index"),
                "put all parts together with `ofindex merge PART... -o INDEX`");
  }
  if (facts.message.empty()) return {};
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(source.path()), ": an index of ", Printable(facts.message),
                     " messages, whose descriptor it does not have"),
              "rebuild it with `ofindex build --force --descriptor FILE --message NAME`");
}

Result<UpdateReport> Write(const UpdateOptions& options, MergeSource& source, const UpdatePlan& plan,
                           AtomicFile temporary, Progress& progress) {
  OFINDEX_ASSIGN(const ColumnChoice columns, ColumnChoice::Parse(source.facts().columns));
  OFINDEX_ASSIGN(AtomicFile map, AtomicFile::Begin(MapPathOf(options.index), AtomicFile::IfLocked::kWait, &progress));
  OFINDEX_ASSIGN(IndexWriter writer, IndexWriter::Begin(temporary.path(), std::nullopt, columns));
  OFINDEX_TRY(temporary.CheckName());
  Writing writing(options, source, plan, writer, progress);
  OFINDEX_TRY(writing.Copy());
  OFINDEX_TRY(writing.Scan());
  OFINDEX_ASSIGN(DatasetFacts facts, FactsFor(options, source));
  OFINDEX_TRY(writer.AddSkipped(plan.skipped, facts));
  OFINDEX_TRY(writer.Finish(facts, temporary.path()));
  OFINDEX_TRY(WriteMapOf(temporary.path(), map, progress));
  if (progress.cancel) return Interrupted();
  OFINDEX_TRY(temporary.Publish(options.durability));
  OFINDEX_TRY(map.Publish(options.durability));

  UpdateReport report;
  report.generation = source.generations().back().number + 1;
  report.written.index = options.index;
  report.written.facts = std::move(facts);
  TakeWritten(writer, report.written);
  report.written.skipped = plan.skipped;
  report.written.index_bytes = BytesOnDisk(options.index);
  report.written.map_bytes = BytesOnDisk(MapPathOf(options.index));
  AddShards(plan, writing.added_records(), report);
  return report;
}

}  // namespace

Result<UpdateReport> UpdateIndex(const UpdateOptions& options, Progress& progress) {
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(options.index, AtomicFile::IfLocked::kFail, &progress));
  OFINDEX_ASSIGN(MergeSource source, MergeSource::Open(options.index));
  OFINDEX_TRY(CheckUpdatable(source));
  std::vector<std::string> data = DataOf(source, options.index);
  data.insert(data.end(), options.data.begin(), options.data.end());
  OFINDEX_ASSIGN(ShardSet set, FindShards(data, options.index, progress));
  const UpdateSearch search{.index = options.index, .data = options.data, .threads = options.threads};
  OFINDEX_ASSIGN(const UpdatePlan plan, PlanUpdate(source, std::move(set), search, progress));
  OFINDEX_ASSIGN(const std::vector<FeatureRow> before, source.ReadFeatures());
  if (plan.is_empty()) {
    UpdateReport report;
    report.generation = source.generations().back().number;
    report.written.index = options.index;
    report.written.was_up_to_date = true;
    report.written.facts = source.facts();
    report.written.shards = std::move(ShardFiles(source.shards()).rows);
    report.written.features = before;
    report.written.skipped = plan.skipped;
    report.written.index_bytes = BytesOnDisk(options.index);
    report.written.map_bytes = BytesOnDisk(MapPathOf(options.index));
    AddShards(plan, {}, report);
    return report;
  }
  return WithMemory("the updated index", [&]() -> Result<UpdateReport> {
    OFINDEX_ASSIGN(UpdateReport report, Write(options, source, plan, std::move(temporary), progress));
    const std::set<std::string> old_names = ColumnsOf(before);
    const std::set<std::string> new_names = ColumnsOf(report.written.features);
    std::set_difference(new_names.begin(), new_names.end(), old_names.begin(), old_names.end(),
                        std::back_inserter(report.columns_added));
    std::set_difference(old_names.begin(), old_names.end(), new_names.begin(), new_names.end(),
                        std::back_inserter(report.columns_removed));
    return report;
  });
}

}  // namespace ofindex

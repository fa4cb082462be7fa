#include "index/update/updater.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/allocation.h"
#include "base/file.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/build/index_output.h"
#include "index/build/index_writer.h"
#include "index/build/map_builder.h"
#include "index/catalog/paths.h"
#include "index/catalog/shard_files.h"
#include "index/merge/merge_source.h"
#include "index/resume/saved_shards.h"
#include "index/shards/shard_set.h"
#include "index/update/update_plan.h"
#include "index/update/update_writer.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> NotThere(const std::string& index, const std::string& what) {
  return Fail(
      ErrorCode::kStale, StrCat(Printable(index), ": ", what, "; is the disk mounted?"),
      "mount the disk; if the data were removed for good, remove a link, or make an empty folder in their place");
}

// Returns the DATA of an index, as seen from the working directory. A folder that is not there is more likely a disk
// that is not mounted than the end of all its shards.
Result<std::vector<std::string>> DataOf(const MergeSource& source, const std::string& index) {
  std::vector<std::string> data;
  for (const std::string& stored : source.facts().sources) {
    const bool is_list = stored.starts_with('@');
    std::string path = PathFrom(FolderOf(index), is_list ? stored.substr(1) : stored);
    std::error_code error;
    if (!is_list && fs::status(path, error).type() == fs::file_type::not_found) {
      if (fs::is_symlink(fs::symlink_status(path, error)))
        return NotThere(index, StrCat("its link ", Printable(stored), " leads nowhere"));
      const std::string folder = stored + "/";
      const bool is_folder = std::any_of(source.shards().begin(), source.shards().end(), [&](const ShardRow& shard) {
        return !shard.is_gone() && shard.path.starts_with(folder);
      });
      if (is_folder) return NotThere(index, StrCat("its folder ", Printable(stored), " is not there"));
    }
    data.push_back(is_list ? "@" + path : std::move(path));
  }
  return data;
}

// The lines of a list may be relative to the working directory of the build, which nobody knows: if they lead nowhere,
// but a shard is where the index has it, this is another directory.
Result<void> CheckLists(const MergeSource& source, const ShardSet& set, const std::string& index) {
  if (set.lost_lines.empty()) return {};
  std::set<std::string_view> found;
  for (const Candidate& candidate : set.candidates) found.insert(candidate.stored_path);
  for (const ShardRow& shard : source.shards()) {
    if (shard.is_gone() || found.contains(shard.path) || !StatFile(PathFrom(FolderOf(index), shard.path))) continue;
    return Fail(ErrorCode::kStale,
                StrCat(Printable(index), ": ", Printable(set.lost_lines.front()),
                       ", a line of a list, leads nowhere, but ", Printable(shard.path), " is there"),
                "run `ofindex update` in the folder in which the list was made, or take the line out of it");
  }
  return {};
}

// Leaves only what is wrong with the bytes that were read for this update.
void KeepNewFindings(const UpdatePlan& plan, BuildReport& written) {
  std::map<std::string_view, uint64_t> read;  // where the walk began, by path
  for (const NewPiece& piece : plan.added) read.emplace(piece.shard.file.stored_path, piece.shard.range.begin);
  const auto is_known = [&](uint32_t shard, uint64_t position) {
    const auto begin = read.find(written.shards[shard].path);
    return begin == read.end() || position < begin->second;
  };
  std::erase_if(written.damage, [&](const DamageRow& row) { return is_known(row.shard, row.range.begin); });
  std::erase_if(written.bad, [&](const BadRow& row) { return is_known(row.shard, row.offset); });
}

// Lists what the update found. A shard that has become a file of another kind has changed, and has no records.
void AddShards(const UpdatePlan& plan, const std::vector<uint64_t>& added_records, UpdateReport& report) {
  std::map<std::string_view, ShardChange> found;
  for (size_t i = 0; i < plan.found.size(); ++i) {
    found.emplace(plan.found[i].file.stored_path, plan.changes.found[i].change);
  }
  std::map<uint32_t, uint64_t> grown;  // new records, by first piece
  std::set<std::string_view> scanned;
  for (size_t i = 0; i < plan.added.size(); ++i) {
    const NewPiece& piece = plan.added[i];
    report.new_records += added_records[i];
    if (piece.grown) {
      grown.emplace(*piece.grown, added_records[i]);
      continue;
    }
    const std::string& path = piece.shard.file.stored_path;
    scanned.insert(path);
    report.shards.push_back({.change = found.at(path) == ShardChange::kNew ? ShardChange::kNew : ShardChange::kChanged,
                             .path = path,
                             .records = added_records[i],
                             .new_records = added_records[i]});
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
      case ShardChange::kNew: continue;
      case ShardChange::kGrown:
        if (fate.cut_at) {
          changed.new_records = grown.at(shard.first_piece);
          changed.records += changed.new_records;
          break;
        }
        [[fallthrough]];
      case ShardChange::kRefilled:
      case ShardChange::kChanged:
        if (scanned.contains(plan.found[*decision.other].file.stored_path)) continue;
        changed.change = ShardChange::kChanged;
        changed.records = 0;
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

// `added` is the DATA that is taken in from now on.
DatasetFacts FactsFor(const MergeSource& source, std::span<const std::string> added) {
  const DatasetFacts& old = source.facts();
  DatasetFacts facts;
  facts.checked = old.checked;
  facts.format = old.format;
  facts.payload = old.payload;
  facts.compression = old.compression;
  facts.message = old.message;
  facts.sources = old.sources;
  std::set<std::string_view> known(old.sources.begin(), old.sources.end());
  for (const std::string& data : added) {
    if (known.insert(data).second) facts.sources.push_back(data);
  }
  facts.before = source.generations().back().number;
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

// What is missing may be in a file or folder that cannot be read now, or behind a link that leads nowhere.
Result<void> CheckPrunable(const UpdatePlan& plan) {
  const FoundShard* const unreadable = plan.Unreadable();
  if (unreadable == nullptr) return {};
  return Fail(ErrorCode::kIo,
              StrCat(Printable(unreadable->file.stored_path),
                     ": cannot be read, so nothing is pruned: missing shards may "
                     "be in it"),
              "make it readable, remove it, or update without --prune");
}

ScanOptions ScanOf(const UpdateOptions& options, const MergeSource& source, const ColumnChoice& columns) {
  return {.check_payloads = options.verify || source.facts().checked == Checked::kPayloads,
          .columns = columns,
          .message = {},
          .threads = options.threads != 0 ? options.threads : ProcessorCount(),
          .inflate = {},
          .segment_bytes = options.segment_bytes};
}

// Returns true if the index, once updated, has gaps, or shards in another order than a new build has them.
bool DiffersFromBuild(const MergeSource& source, const UpdatePlan& plan) {
  std::string_view last;
  const auto follows = [&](const std::string& path) {
    const bool is_later = last.empty() || !NaturalLess(path, last);
    last = path;
    return is_later;
  };
  for (uint32_t i = 0; i < plan.pieces.size(); ++i) {
    const PieceFate& fate = plan.pieces[i];
    if (fate.dropped || source.shards()[i].records == 0) continue;
    if (fate.IsGone(source.shards()[i]) || !follows(fate.path)) return true;
  }
  return !std::all_of(plan.added.begin(), plan.added.end(), [&](const NewPiece& piece) {
    return piece.shard.identity.size == 0 || follows(piece.shard.file.stored_path);
  });
}

// Returns the records of missing shards that a pruned index leaves out.
uint64_t GoneRecords(const MergeSource& source, const UpdatePlan& plan) {
  uint64_t records = 0;
  for (uint32_t i = 0; i < plan.pieces.size(); ++i) {
    if (plan.pieces[i].IsGone(source.shards()[i])) records += source.shards()[i].records;
  }
  return records;
}

// Writes the index; `moves`: records get the ordinals of a new build.
Result<UpdateReport> Write(const UpdateOptions& options, MergeSource& source, const UpdatePlan& plan, bool moves,
                           DatasetFacts facts, AtomicFile temporary, Progress& progress) {
  OFINDEX_ASSIGN(const ColumnChoice columns, ColumnChoice::Parse(source.facts().columns));
  OFINDEX_ASSIGN(AtomicFile map, AtomicFile::Begin(MapPathOf(options.index), AtomicFile::IfLocked::kWait, &progress));
  OFINDEX_ASSIGN(IndexWriter writer, IndexWriter::Begin(temporary.path(), std::nullopt, columns));
  OFINDEX_TRY(temporary.CheckName());
  UpdateWriter shards(source, plan, moves, writer, progress);
  OFINDEX_TRY(shards.Write(ScanOf(options, source, columns)));
  if (!moves) facts.earlier = source.generations();
  OFINDEX_TRY(writer.AddSkipped(plan.skipped, facts));
  OFINDEX_TRY(writer.Finish(facts, temporary.path()));
  OFINDEX_TRY(WriteMapOf(temporary.path(), map, progress));
  if (progress.cancel) return Interrupted();
  SavedShards::RemoveAt(SavedShards::PathFor(temporary.path()));  // of a build that was interrupted
  OFINDEX_TRY(temporary.Publish(options.durability));
  OFINDEX_TRY(map.Publish(options.durability));

  UpdateReport report;
  report.generation = source.generations().back().number + 1;
  report.renumbered = moves;
  if (moves) report.pruned_records = GoneRecords(source, plan);
  report.written.index = options.index;
  report.written.facts = std::move(facts);
  TakeWritten(writer, report.written);
  KeepNewFindings(plan, report.written);
  report.written.skipped = plan.skipped;
  report.written.index_bytes = BytesOnDisk(options.index);
  report.written.map_bytes = BytesOnDisk(MapPathOf(options.index));
  AddShards(plan, shards.added_records(), report);
  return report;
}

UpdateReport UpToDate(const UpdateOptions& options, const MergeSource& source, const UpdatePlan& plan,
                      const std::vector<FeatureRow>& features) {
  UpdateReport report;
  report.generation = source.generations().back().number;
  report.written.index = options.index;
  report.written.was_up_to_date = true;
  report.written.facts = source.facts();
  report.written.shards = std::move(ShardFiles(source.shards()).rows);
  report.written.features = features;
  report.written.skipped = plan.skipped;
  report.written.index_bytes = BytesOnDisk(options.index);
  report.written.map_bytes = BytesOnDisk(MapPathOf(options.index));
  AddShards(plan, {}, report);
  return report;
}

void AddColumnChanges(const std::vector<FeatureRow>& before, UpdateReport& report) {
  const std::set<std::string> old_names = ColumnsOf(before);
  const std::set<std::string> new_names = ColumnsOf(report.written.features);
  std::set_difference(new_names.begin(), new_names.end(), old_names.begin(), old_names.end(),
                      std::back_inserter(report.columns_added));
  std::set_difference(old_names.begin(), old_names.end(), new_names.begin(), new_names.end(),
                      std::back_inserter(report.columns_removed));
}

}  // namespace

Result<UpdateReport> UpdateIndex(const UpdateOptions& options, Progress& progress) {
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(options.index, AtomicFile::IfLocked::kFail, &progress));
  OFINDEX_ASSIGN(MergeSource source, MergeSource::Open(options.index));
  OFINDEX_TRY(CheckUpdatable(source));
  OFINDEX_ASSIGN(std::vector<std::string> data, DataOf(source, options.index));
  const size_t known = data.size();
  data.insert(data.end(), options.data.begin(), options.data.end());
  OFINDEX_ASSIGN(ShardSet set, FindShards(data, options.index, progress, known));
  OFINDEX_TRY(CheckLists(source, set, options.index));
  DatasetFacts facts = FactsFor(source, std::span(set.sources).subspan(known));
  const UpdateSearch search{.index = options.index, .threads = options.threads};
  OFINDEX_ASSIGN(const UpdatePlan plan, PlanUpdate(source, std::move(set), search, progress));
  OFINDEX_ASSIGN(const std::vector<FeatureRow> before, source.ReadFeatures());
  if (options.prune) OFINDEX_TRY(CheckPrunable(plan));
  const bool moves = options.prune && DiffersFromBuild(source, plan);
  if (plan.is_empty() && !moves && facts.sources == source.facts().sources) {
    return UpToDate(options, source, plan, before);
  }
  return WithMemory("the updated index", [&]() -> Result<UpdateReport> {
    OFINDEX_ASSIGN(UpdateReport report,
                   Write(options, source, plan, moves, std::move(facts), std::move(temporary), progress));
    AddColumnChanges(before, report);
    return report;
  });
}

}  // namespace ofindex

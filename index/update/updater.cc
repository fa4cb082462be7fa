#include "index/update/updater.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
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
#include "index/build/key_set.h"
#include "index/build/map_builder.h"
#include "index/catalog/paths.h"
#include "index/catalog/shard_files.h"
#include "index/merge/carry_columns.h"
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
  const bool has_others = source.facts().sources.size() > 1;
  for (const std::string& stored : source.facts().sources) {
    const bool is_list = stored.starts_with('@');
    std::string path = PathFrom(FolderOf(index), is_list ? stored.substr(1) : stored);
    std::error_code error;
    if (is_list && fs::status(path, error).type() == fs::file_type::not_found) {
      return Fail(
          ErrorCode::kStale, StrCat(Printable(index), ": its list ", Printable(stored.substr(1)), " is not there"),
          has_others ? Hint("restore the list; if its files are no longer wanted, make an empty list in its place")
                     : Hint("restore the list, or build an index of other files with `ofindex build`"));
    }
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
    if (shard.is_gone() || found.contains(shard.path)) continue;
    const auto facts = StatFile(PathFrom(FolderOf(index), shard.path));
    if (!facts && SaysNothingOfFile(facts.error())) return tl::unexpected(facts.error());
    if (!facts) continue;
    return Fail(ErrorCode::kStale,
                StrCat(Printable(index), ": ", Printable(set.lost_lines.front()),
                       ", a line of a list, leads nowhere, but ", Printable(shard.path), " is there"),
                "run `ofindex update` in the folder in which the list was made, or take the line out of it");
  }
  return {};
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
                     ": cannot be read, so nothing is pruned: missing shards may be in it"),
              "make it readable, remove it, or update without --prune");
}

ScanOptions ScanOf(const UpdateOptions& options, const MergeSource& source, const ColumnChoice& columns) {
  return {.check_payloads = options.verify || source.facts().checked == Checked::kPayloads,
          .columns = columns,
          .message = {},
          .threads = options.threads != 0 ? options.threads : ProcessorCount(),
          .inflate = options.inflate,
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
  const DatasetFacts& old = source.facts();
  OFINDEX_ASSIGN(const ColumnChoice columns, ColumnChoice::Parse(old.columns, old.derive));
  OFINDEX_ASSIGN(AtomicFile map, AtomicFile::Begin(MapPathOf(options.index), AtomicFile::IfLocked::kWait, &progress));
  OFINDEX_ASSIGN(IndexWriter writer, IndexWriter::Begin(temporary.path(), std::nullopt, columns));
  OFINDEX_TRY(temporary.CheckName());
  UpdateWriter shards(source, plan, moves, writer, progress);
  OFINDEX_TRY(shards.Write(ScanOf(options, source, columns)));
  if (moves) OFINDEX_TRY(source.SettleAttached());
  if (!moves) facts.earlier = source.generations();
  OFINDEX_TRY(writer.AddSkipped(plan.skipped, facts));
  OFINDEX_TRY(writer.Finish(facts, temporary.path()));
  OFINDEX_TRY(WriteMapOf(temporary.path(), map, progress));
  if (progress.cancel) return Interrupted();
  SavedShards::RemoveAt(SavedShards::PathFor(temporary.path()));  // of a build that was interrupted
  // As long as no ordinal moves, attached columns belong to the new index as they are.
  std::vector<CarriedSource> attached;
  if (moves) source.AddCarriedTo(attached);
  OFINDEX_ASSIGN(std::optional<CarriedColumns> carried,
                 CarryColumns(attached, temporary.path(), options.index, writer.features()));
  if (carried) OFINDEX_TRY(carried->Publish(options.durability));
  OFINDEX_TRY(temporary.Publish(options.durability));
  OFINDEX_TRY(map.Publish(options.durability));
  if (carried) OFINDEX_TRY(SettleColumns(options.index));

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
  for (size_t c = 0; source.attached() && c < source.attached()->columns().size(); ++c) {
    report.attached_columns.push_back(source.attached()->columns()[c].name);
  }
  return report;
}

// Describes an index that needs no work, except that its map may be damaged.
Result<UpdateReport> UpToDate(const UpdateOptions& options, const MergeSource& source, const UpdatePlan& plan,
                              const std::vector<FeatureRow>& features, const Progress& progress) {
  UpdateReport report;
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(options.index));
  OFINDEX_ASSIGN(report.written.map_damage, RepairMap(file, progress));
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

// Returns true if nothing can be created next to the index, so that this process can write neither it nor its lock.
bool IsInReadOnlyFolder(const std::string& index) {
  std::error_code error;
  const fs::path target = fs::canonical(index, error);
  return !error && ::access(target.parent_path().c_str(), W_OK) != 0;
}

// Makes the keys of the index again. If that is interrupted, they are of another build, and nobody uses them until the
// next update makes them. The index is published, so this waits for a process that makes one of them for the old one.
Result<void> UpdateKeys(const UpdateOptions& options, BuildReport& written, Progress& progress) {
  const KeyOptions keys{
      .threads = options.threads, .if_locked = AtomicFile::IfLocked::kWait, .durability = options.durability};
  OFINDEX_ASSIGN(RefreshedKeys refreshed, RefreshKeys(options.index, keys, progress));
  written.keys = std::move(refreshed.made);
  written.dropped_keys = std::move(refreshed.dropped);
  return {};
}

}  // namespace

Result<UpdateReport> UpdateIndex(const UpdateOptions& options, Progress& progress) {
  Result<AtomicFile> temporary = AtomicFile::Begin(options.index, options.if_locked, &progress);
  const bool read_only = !temporary && temporary.error().code == ErrorCode::kIo && IsInReadOnlyFolder(options.index);
  if (!temporary && !read_only) return tl::unexpected(std::move(temporary).error());
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
  OFINDEX_ASSIGN(std::vector<SkippedFile> newly_skipped, NewlySkipped(source, plan.skipped));
  if (options.prune) OFINDEX_TRY(CheckPrunable(plan));
  const bool moves = options.prune && DiffersFromBuild(source, plan);
  const bool is_idle = plan.is_empty() && !moves && facts.sources == source.facts().sources;
  if (!is_idle && read_only) return tl::unexpected(std::move(temporary).error());
  return WithMemory("the updated index", [&]() -> Result<UpdateReport> {
    OFINDEX_ASSIGN(UpdateReport report,
                   is_idle ? UpToDate(options, source, plan, before, progress)
                           : Write(options, source, plan, moves, std::move(facts), std::move(*temporary), progress));
    report.written.missing = plan.missing_in_sets;
    report.newly_skipped = std::move(newly_skipped);
    if (!is_idle) AddColumnChanges(before, report);
    if (!read_only) OFINDEX_TRY(UpdateKeys(options, report.written, progress));
    return report;
  });
}

}  // namespace ofindex

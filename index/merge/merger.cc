#include "index/merge/merger.h"

#include <atomic>
#include <optional>
#include <utility>

#include "base/allocation.h"
#include "base/file.h"
#include "base/text.h"
#include "index/attachments/attachments_beside.h"
#include "index/build/index_output.h"
#include "index/build/key_set.h"
#include "index/catalog/paths.h"
#include "index/columns/column_choice.h"
#include "index/merge/carry_columns.h"
#include "index/merge/gathered_facts.h"
#include "index/merge/part_copier.h"
#include "index/merge/part_order.h"
#include "index/merge/part_rebuilder.h"
#include "index/merge/part_sources.h"
#include "index/merge/whole_copier.h"
#include "index/output/shard_names.h"
#include "index/resume/saved_shards.h"
#include "index/shards/input_files.h"
#include "index/shards/output_rule.h"

namespace ofindex {
namespace {

// Returns the shards that the names of the others imply, as a build reports them.
std::vector<std::string> MissingOf(const BuildReport& report) {
  std::vector<std::string> names;
  for (const ShardRow& shard : report.shards) names.push_back(shard.path);
  for (const SkippedFile& file : report.skipped) {
    if (file.kind != SkippedFile::Kind::kBrokenLink) names.push_back(file.path);
  }
  return MissingOfSets(names);
}

// Forgets what was counted while parts were built again.
void Restart(Progress& progress) {
  for (std::atomic<uint64_t>* const count : {&progress.bytes_total, &progress.bytes_done, &progress.records_done,
                                             &progress.shards_total, &progress.shards_done}) {
    *count = 0;
  }
}

BuildReport ReportOf(const IndexWriter& writer, const std::string& index, DatasetFacts facts,
                     std::vector<SkippedFile> skipped) {
  BuildReport report;
  report.index = index;
  report.facts = std::move(facts);
  TakeWritten(writer, report);
  report.skipped = std::move(skipped);
  if (!report.facts.part) report.missing = MissingOf(report);
  return report;
}

// Checks whether the index and its map may be written.
Result<void> CheckOutputs(const MergeOptions& options) {
  const InputFiles inputs(options.inputs);
  for (const std::string& path : {options.index, MapPathOf(options.index)}) {
    const auto facts = StatFile(path);
    if (!facts && SaysNothingOfFile(facts.error())) return tl::unexpected(facts.error());
    if (!facts) continue;
    OFINDEX_TRY(CheckOutput(path, path == options.index ? OutputKind::kIndex : OutputKind::kMap,
                            options.force || path != options.index, inputs));
  }
  return {};
}

// A whole index can be read, and a part cannot, so that `merge parts/*` must not replace one if some parts are missing.
Result<void> CheckReplacesNoWhole(const std::string& index, const PartFacts& part) {
  const auto facts = StatFile(index);
  if (!facts && !SaysNothingOfFile(facts.error())) return {};
  OFINDEX_TRY(facts);
  const Result<PartInput> old = PartInput::Read(index);
  if (!old && SaysNothingOfFile(old.error())) return tl::unexpected(old.error());
  if (!old || old->facts.part) return {};
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(index), ": a whole index; the inputs make only ", Describe(part),
                     ", which cannot be read, and never replace a whole index"),
              "merge all parts, or name another output");
}

Result<void> Publish(IndexOutput& output, const MergeOptions& options, const Progress& progress, BuildReport& report) {
  if (progress.cancel) return Interrupted();
  SavedShards::RemoveAt(SavedShards::PathFor(output.path()));  // of a build that was interrupted
  OFINDEX_TRY(output.Publish(options.durability));
  OFINDEX_ASSIGN(report.dropped_keys, DropStaleKeys(options.index));
  report.index_bytes = BytesOnDisk(options.index);
  if (!report.facts.part) report.map_bytes = BytesOnDisk(MapPathOf(options.index));
  return {};
}

Result<BuildReport> MergeParts(const MergeOptions& options, std::vector<PartInput> parts, AtomicFile temporary,
                               Progress& progress) {
  PartRebuilder rebuilder(options.index, options.threads, options.segment_bytes, progress);
  const auto rebuild = [&](const PartInput& part, const WalkEntry& entry) { return rebuilder.Rebuild(part, entry); };
  OFINDEX_ASSIGN(parts, OrderParts(std::move(parts), rebuild));
  Restart(progress);
  for (const PartInput& part : parts) progress.shards_total += part.shards;
  const DatasetFacts& first = parts.front().facts;
  PartFacts range = *first.part;
  range.last = parts.back().facts.part->last;
  const bool complete = range.complete();
  if (!complete) OFINDEX_TRY(CheckReplacesNoWhole(options.index, range));
  OFINDEX_ASSIGN(const ColumnChoice columns, ColumnChoice::Parse(first.columns, first.derive));
  OFINDEX_ASSIGN(IndexOutput output, IndexOutput::Begin(options.index, std::move(temporary), complete, progress));
  OFINDEX_ASSIGN(IndexWriter writer, output.BeginIndex(columns));
  GatheredFacts gathered(options.index);
  OFINDEX_TRY(gathered.TakeSources(first, parts.front().path));
  PartCopier copier(writer, gathered, progress);
  PartSources sources(parts);
  for (const PartInput& part : parts) {
    OFINDEX_ASSIGN(MergeSource source, sources.Next());
    OFINDEX_TRY(copier.Copy(part, std::move(source)));
  }
  OFINDEX_TRY(copier.Finish());
  OFINDEX_ASSIGN(DatasetFacts facts, gathered.Finish(first, writer));
  facts.part = MergedFacts(parts, copier.first_shards());
  OFINDEX_TRY(writer.Finish(facts, output.path()));
  BuildReport report = ReportOf(writer, options.index, std::move(facts), std::move(gathered.skipped()));
  if (complete && !options.columns_optional) OFINDEX_TRY(CheckColumns(report));
  OFINDEX_TRY(Publish(output, options, progress, report));
  return report;
}

Result<BuildReport> MergeWhole(const MergeOptions& options, AtomicFile temporary, Progress& progress) {
  GatheredFacts gathered(options.index);
  OFINDEX_ASSIGN(WholeCopier copier, WholeCopier::Open(options.inputs, gathered));
  progress.shards_total = copier.shards();
  OFINDEX_ASSIGN(const ColumnChoice columns, ColumnChoice::Parse(copier.facts().columns, copier.facts().derive));
  OFINDEX_ASSIGN(IndexOutput output, IndexOutput::Begin(options.index, std::move(temporary), true, progress));
  OFINDEX_ASSIGN(IndexWriter writer, output.BeginIndex(columns));
  OFINDEX_TRY(copier.CopyTo(writer, progress));
  OFINDEX_ASSIGN(DatasetFacts facts, gathered.Finish(copier.facts(), writer));
  OFINDEX_TRY(writer.Finish(facts, output.path()));
  BuildReport report = ReportOf(writer, options.index, std::move(facts), std::move(gathered.skipped()));
  report.renumbered = copier.renumbered();
  OFINDEX_ASSIGN(std::optional<CarriedColumns> carried,
                 CarryColumns(copier.carried(), output.path(), options.index, writer.features()));
  if (carried) OFINDEX_TRY(carried->Publish(options.durability));
  OFINDEX_TRY(Publish(output, options, progress, report));
  if (carried) OFINDEX_TRY(SettleColumns(options.index));
  return report;
}

// Returns the parts among the inputs, which are then all inputs; none if all are whole.
Result<std::vector<PartInput>> PartsOf(const std::vector<std::string>& paths) {
  std::vector<PartInput> parts;
  std::string whole;
  for (const std::string& path : paths) {
    OFINDEX_ASSIGN(PartInput input, PartInput::Read(path));
    if (!input.facts.part) {
      whole = path;
    } else {
      parts.push_back(std::move(input));
    }
  }
  if (parts.empty() || whole.empty()) return parts;
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(whole), ": a whole index, but ", Printable(parts.front().path), " is ",
                     Describe(*parts.front().facts.part)),
              "merge parts of one job, or whole indexes");
}

}  // namespace

Result<BuildReport> MergeIndexes(const MergeOptions& options, Progress& progress) {
  if (options.inputs.empty()) return Fail(ErrorCode::kUsage, "no INDEX: expected at least one");
  OFINDEX_ASSIGN(std::vector<PartInput> parts, PartsOf(options.inputs));
  OFINDEX_TRY(CheckOutputs(options));
  OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(options.index, options.if_locked, &progress));
  OFINDEX_TRY(CheckOutputs(options));  // another process may have written an index in the meantime
  return WithMemory("the merged index", [&]() -> Result<BuildReport> {
    OFINDEX_ASSIGN(BuildReport report, parts.empty()
                                           ? MergeWhole(options, std::move(temporary), progress)
                                           : MergeParts(options, std::move(parts), std::move(temporary), progress));
    if (!report.facts.part) {
      OFINDEX_ASSIGN(report.not_attached, WhyNotAttached(report.index));
    }
    return report;
  });
}

}  // namespace ofindex

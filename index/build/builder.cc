#include "index/build/builder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/attachments/attachments_beside.h"
#include "index/build/fill_index.h"
#include "index/build/freshness.h"
#include "index/build/index_output.h"
#include "index/build/index_writer.h"
#include "index/build/key_set.h"
#include "index/build/map_builder.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/paths.h"
#include "index/catalog/shard_files.h"
#include "index/keys/key_values.h"
#include "index/output/folder.h"
#include "index/output/shard_names.h"
#include "index/resume/saved_shards.h"
#include "index/scan/scan.h"
#include "index/shards/input_files.h"
#include "index/shards/output_rule.h"
#include "index/shards/shard_probe.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

unsigned ThreadsOf(const BuildOptions& options) { return options.threads != 0 ? options.threads : ProcessorCount(); }

Result<std::string> IndexPathFor(const BuildOptions& options) {
  if (!options.index.empty()) return options.index;
  if (options.part) {
    BuildOptions whole = options;
    whole.part.reset();
    OFINDEX_ASSIGN(const std::string index, IndexPathFor(whole));
    return PartPathOf(index, *options.part);
  }
  if (options.data.empty()) return Fail(ErrorCode::kUsage, "no DATA: expected a file, a folder, a glob or a list");
  const std::string& data = options.data.front();
  if (options.data.size() > 1 || data.starts_with('@') ||
      (!StatFile(data) && data.find_first_of("*?[") != std::string::npos)) {
    return Fail(ErrorCode::kUsage, "cannot derive the name of the index from several DATA, a glob or a list",
                "name it with -o INDEX");
  }
  return NewIndexPathOf(data);
}

// The folders made for an index below IndexFolder(). Those that are still empty in the end are removed.
class NewFolders {
 public:
  NewFolders() = default;
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  ~NewFolders() {
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) ::rmdir(folder->c_str());
  }

  Result<void> MakeFor(const std::string& index) { return MakeFolders(FolderOf(index), made_); }

 private:
  std::vector<std::string> made_;  // the innermost last
};

// Begins the index. If its folder cannot be written to, the hint says how to write elsewhere.
Result<AtomicFile> BeginIndex(const BuildOptions& options, const std::string& index, const Progress& progress) {
  auto begun = AtomicFile::Begin(index, options.if_locked, &progress);
  if (begun || !options.index.empty() || !IndexFolder().empty()) return begun;
  Error error = std::move(begun).error();
  if (error.system == EACCES || error.system == EPERM || error.system == EROFS) {
    error.hint = "write the index below another folder with --index-dir DIR, or name it with -o INDEX";
  }
  return tl::unexpected(std::move(error));
}

Result<std::vector<uint8_t>> ReadDescriptor(const std::string& path) {
  constexpr uint64_t kMaxDescriptorBytes = uint64_t{64} << 20;
  OFINDEX_ASSIGN(const File file, File::OpenRead(path));
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  if (facts.size > kMaxDescriptorBytes) {
    return Fail(ErrorCode::kLimit,
                StrCat(Printable(path), ": a descriptor of ", FormatCount(facts.size), " bytes; expected at most ",
                       FormatCount(kMaxDescriptorBytes)),
                "make one of the file that declares the message, with `protoc --include_imports`");
  }
  std::vector<uint8_t> bytes(facts.size);
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, bytes));
  bytes.resize(got);
  return bytes;
}

// Returns the plan of the message, if one is named.
Result<std::optional<FieldPlan>> MessageOf(const BuildOptions& options) {
  if (options.message.empty() && options.descriptor.empty()) return std::nullopt;
  const bool named = options.columns && options.columns->mode == ColumnChoice::Mode::kNamed;
  if (options.message.empty() || options.descriptor.empty() || !named) {
    return Fail(ErrorCode::kUsage,
                StrCat("message '", Printable(options.message), "': expected a descriptor, the name of its message, ",
                       "and names of columns, together"));
  }
  OFINDEX_ASSIGN(const std::vector<uint8_t> bytes, ReadDescriptor(options.descriptor));
  ColumnChoice choice = *options.columns;
  choice.derived = options.derive.value_or(Derivations());
  OFINDEX_ASSIGN(FieldPlan plan, FieldPlan::OfMessage(bytes, options.message, choice.Kept()));
  return plan;
}

Result<ScanOptions> ScanOptionsOf(const BuildOptions& options) {
  ScanOptions scan{.check_payloads = options.verify,
                   .columns = {},
                   .message = {},
                   .threads = ThreadsOf(options),
                   .inflate = options.inflate,
                   .segment_bytes = options.segment_bytes};
  if (options.columns) scan.columns = *options.columns;
  if (options.derive) scan.columns.derived = *options.derive;
  OFINDEX_ASSIGN(scan.message, MessageOf(options));
  return scan;
}

// Returns the options on which the bytes of an index depend.
Result<std::vector<std::string>> PartOptionsOf(const BuildOptions& options) {
  const auto name = [](const auto& choice) { return choice ? std::string(Name(*choice)) : std::string("auto"); };
  const InflateOptions& inflate = options.inflate;
  std::vector<std::string> texts = {StrCat(options.verify ? 1 : 0),
                                    name(options.format.framing),
                                    name(options.format.payload),
                                    name(options.format.compression),
                                    options.columns ? options.columns->Text() : "auto",
                                    options.message,
                                    StrCat(inflate.checkpoint_bytes, " ", inflate.max_ratio, " ", inflate.max_bytes)};
  if (options.derive && !options.derive->empty()) texts.push_back(StrCat("derive ", options.derive->Text()));
  if (options.descriptor.empty()) return texts;
  OFINDEX_ASSIGN(const std::vector<uint8_t> descriptor, ReadDescriptor(options.descriptor));
  texts.push_back(ToHex(Xxh3(descriptor)));
  return texts;
}

// Returns the keys of shards in SavedShards: hashes of all that decides what a scan finds in a shard.
Result<std::vector<Digest128>> SavedKeysOf(const BuildOptions& options, const std::vector<ProbedShard>& shards) {
  OFINDEX_ASSIGN(std::vector<std::string> texts, PartOptionsOf(options));
  texts.push_back(StrCat(OFINDEX_VERSION, " ", kFormatVersion, " ", options.segment_bytes));
  std::vector<Digest128> keys;
  for (const ProbedShard& shard : shards) {
    Xxh3Stream key;
    for (const std::string& text : texts) key.Add(Xxh3(AsBytes(text)));
    key.Add(Xxh3(AsBytes(shard.file.stored_path)));
    const ShardIdentity& identity = shard.identity;
    const WalkEntry entry = shard.range.entry.value_or(WalkEntry{.position = kNowhere});
    for (const uint64_t number :
         {identity.size, static_cast<uint64_t>(identity.mtime_ns), static_cast<uint64_t>(identity.ctime_ns),
          identity.inode, identity.fingerprint, static_cast<uint64_t>(shard.framing),
          static_cast<uint64_t>(shard.payload), static_cast<uint64_t>(shard.compression),
          shard.lost ? static_cast<uint64_t>(*shard.lost) : kNowhere, shard.range.begin, shard.range.end,
          entry.position, entry.tested}) {
      key.Add(number);
    }
    keys.push_back(key.Digest());
  }
  return keys;
}

// A message is decoded with a descriptor that a merge does not have, so its shards are not divided: no range needs to
// be read again.
Result<std::optional<PartPlan>> PlanOf(const BuildOptions& options, const ShardSet& set) {
  if (!options.part) return std::nullopt;
  OFINDEX_ASSIGN(const std::vector<std::string> texts, PartOptionsOf(options));
  const uint64_t segment_bytes = options.message.empty() ? options.segment_bytes : kNowhere;
  return PlanPart(set, *options.part, texts, segment_bytes);
}

// Returns the facts of the part that `writer` has written of `shards`.
PartFacts PartFactsOf(const BuildOptions& options, const PartPlan& plan, const std::vector<ProbedShard>& shards,
                      const std::vector<WalkedRange>& walked) {
  const PartChoice& choice = *options.part;
  PartFacts facts{.first = choice.part, .last = choice.part, .of = choice.of, .job = plan.job};
  facts.inflate = {.checkpoint_bytes = options.inflate.checkpoint_bytes,
                   .max_ratio = options.inflate.max_ratio,
                   .max_bytes = options.inflate.max_bytes};
  for (size_t i = 0; i < shards.size(); ++i) {
    const WalkRange& range = shards[i].range;
    if (range.begin == 0 && range.end == kNowhere) continue;
    facts.partial.push_back({.shard = static_cast<uint32_t>(i),
                             .begin = range.begin,
                             .end = range.end,
                             .first = walked[i].first,
                             .next = walked[i].next,
                             .tested = walked[i].tested});
  }
  return facts;
}

// `report` has the choice of columns, from this build or from the one that made the index.
Result<void> CheckColumnsOf(const BuildOptions& options, const BuildReport& report) {
  if (options.part || options.columns_optional || (!options.columns && !options.derive)) return {};
  return CheckColumns(report);
}

// What an interrupted build has saved remains, as after a kill: many schedulers interrupt first. After any other end,
// the saved file is removed, while the build still holds the lock of the index.
class SavedFileGuard {
 public:
  SavedFileGuard(SavedShards& saved, const Progress& progress) : saved_(saved), progress_(progress) {}
  SavedFileGuard(const SavedFileGuard&) = delete;
  SavedFileGuard& operator=(const SavedFileGuard&) = delete;
  ~SavedFileGuard() {
    if (published_ || !progress_.cancel || saved_.shards() == 0) saved_.Remove();
  }

  void Published() { published_ = true; }

 private:
  SavedShards& saved_;
  const Progress& progress_;
  bool published_ = false;
};

Result<BuildReport> Build(const BuildOptions& options, const ScanOptions& scan, const std::string& index, ShardSet set,
                          const std::optional<PartPlan>& plan, ProbedSet probed, AtomicFile temporary,
                          SavedShards& saved, Progress& progress) {
  progress.shards_total = probed.shards.size();
  for (const ProbedShard& shard : probed.shards) progress.bytes_total += shard.bytes();
  OFINDEX_ASSIGN(IndexOutput output, IndexOutput::Begin(index, std::move(temporary), !plan, progress));
  SavedFileGuard guard(saved, progress);
  OFINDEX_ASSIGN(IndexWriter writer, output.BeginIndex(scan.columns));
  OFINDEX_ASSIGN(const std::vector<WalkedRange> walked,
                 FillIndex(probed.shards, scan, saved, options.save_after, writer, progress));

  BuildReport report;
  if (plan) report.facts.part = PartFactsOf(options, *plan, probed.shards, walked);
  report.index = index;
  report.facts.checked = options.verify ? Checked::kPayloads : Checked::kFraming;
  report.facts.format = options.format.framing ? std::string(Name(*options.format.framing)) : "auto";
  report.facts.payload = options.format.payload ? std::string(Name(*options.format.payload)) : "auto";
  report.facts.compression = options.format.compression ? std::string(Name(*options.format.compression)) : "auto";
  report.facts.message = options.message;
  report.facts.sources = std::move(set.sources);
  OFINDEX_TRY(writer.AddSkipped(probed.skipped, report.facts));
  OFINDEX_TRY(writer.Finish(report.facts, output.path()));
  TakeWritten(writer, report);
  OFINDEX_TRY(CheckColumnsOf(options, report));
  for (const std::string& name : options.keys) OFINDEX_TRY(CheckKeyFeature(name, report.facts, report.features));
  if (progress.cancel) return Interrupted();
  OFINDEX_TRY(output.Publish(options.durability));
  guard.Published();
  report.index_bytes = BytesOnDisk(index);
  report.map_bytes = plan ? 0 : BytesOnDisk(MapPathOf(index));
  report.missing = std::move(set.missing);
  report.skipped = std::move(probed.skipped);
  // Only the first part has these in its index, but no part knows whether it would have had a share of them.
  if (plan && options.part->part != 1) {
    std::copy_if(set.skipped.begin(), set.skipped.end(), std::back_inserter(report.skipped), IsUnreadable);
  }
  report.resumed_records = progress.records_resumed;
  return report;
}

Result<BuildReport> BuildSaving(const BuildOptions& options, const ScanOptions& scan, const std::string& index,
                                ShardSet set, const std::optional<PartPlan>& plan, ProbedSet probed,
                                AtomicFile temporary, Progress& progress) {
  OFINDEX_ASSIGN(std::vector<Digest128> keys, SavedKeysOf(options, probed.shards));
  SavedShards saved = SavedShards::Open(SavedShards::PathFor(temporary.path()), std::move(keys));
  Result<BuildReport> report =
      Build(options, scan, index, std::move(set), plan, std::move(probed), std::move(temporary), saved, progress);
  if (report || report.error().code != ErrorCode::kInterrupted || saved.shards() == 0) return report;
  const std::string kept = StrCat(Counted(saved.records(), "record"), " in ", Counted(saved.shards(), "shard"));
  return Fail(ErrorCode::kInterrupted, StrCat("interrupted; ", kept, " are saved in ", Printable(saved.path())),
              "run the same build again: it goes on from there; existing files are untouched");
}

Result<BuildReport> ReportOf(const std::string& index, const ShardSet& set, std::vector<SkippedFile> skipped) {
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(index));
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::OpenAny(file));
  BuildReport report;
  report.index = index;
  report.was_up_to_date = true;
  report.facts = catalog.facts();
  report.index_bytes = BytesOnDisk(index);
  if (!report.facts.part) report.map_bytes = BytesOnDisk(MapPathOf(index));
  OFINDEX_ASSIGN(report.shards, catalog.Shards());
  OFINDEX_ASSIGN(report.bad, catalog.Bad());
  OFINDEX_ASSIGN(report.damage, catalog.Damage());
  OFINDEX_ASSIGN(report.features, catalog.Features());
  report.missing = set.missing;
  report.skipped = std::move(skipped);
  return report;
}

// Probes all files of `set`, or those that the part has bytes of, except the `known` ones: paths as stored.
Result<ProbedSet> Probe(const BuildOptions& options, const ShardSet& set, const std::optional<PartPlan>& plan,
                        const Progress& progress, const std::set<std::string_view>& known = {}) {
  if (!plan) return ProbeShards(set, options.format, ThreadsOf(options), progress);
  ProbeChoice probes{.wanted = plan->wanted(), .skipped = options.part->part == 1};
  for (size_t i = 0; i < probes.wanted.size(); ++i) {
    if (known.contains(set.candidates[i].stored_path)) probes.wanted[i] = false;
  }
  OFINDEX_ASSIGN(ProbedSet probed, ProbeShards(set, options.format, ThreadsOf(options), progress, probes));
  plan->Apply(set, probed);
  return probed;
}

// Returns the files that an up-to-date part leaves out. Errors: kStale if one of them is a shard now.
Result<std::vector<SkippedFile>> SkippedByPart(const BuildOptions& options, const ShardSet& set, const PartPlan& plan,
                                               const BuildReport& part, const Progress& progress) {
  std::set<std::string_view> known;
  for (const ShardRow& shard : part.shards) known.insert(shard.path);
  OFINDEX_ASSIGN(ProbedSet probed, Probe(options, set, plan, progress, known));
  if (probed.shards.empty()) return std::move(probed.skipped);
  return Fail(ErrorCode::kStale,
              StrCat(Printable(part.index), ": the index is stale: ", Printable(probed.shards.front().file.path),
                     " is not in it"),
              "rebuild it with `ofindex build --force`");
}

// Returns the report of an existing index that needs no work; nullopt if one has to be built.
Result<std::optional<BuildReport>> LeftAlone(const BuildOptions& options, const std::string& index, const ShardSet& set,
                                             const std::optional<PartPlan>& plan, const Progress& progress) {
  if (options.force) return std::nullopt;
  const auto facts = StatFile(index);
  if (!facts && SaysNothingOfFile(facts.error())) return tl::unexpected(facts.error());
  if (!facts) return std::nullopt;
  if (plan) {
    OFINDEX_TRY(CheckPartFreshness(index, set, *options.part, *plan));
    OFINDEX_ASSIGN(BuildReport report, ReportOf(index, set, {}));
    OFINDEX_ASSIGN(report.skipped, SkippedByPart(options, set, *plan, report, progress));
    return report;
  }
  OFINDEX_ASSIGN(const Freshness freshness, CheckFreshness(index, set, options.format));
  if ((options.verify && freshness.checked != Checked::kPayloads) ||
      (options.columns && options.columns->Text() != freshness.columns) ||
      (options.derive && options.derive->Text() != freshness.derive) ||
      (!options.message.empty() && options.message != freshness.message)) {
    if (freshness.generation == 1) return std::nullopt;
    return Fail(ErrorCode::kStale,
                StrCat(Printable(index), ": it was updated, to generation ", freshness.generation,
                       ": a build with other options could give its records other ordinals"),
                "if no state or list of ordinals is in use, rebuild it with `ofindex build --force`");
  }
  OFINDEX_ASSIGN(BuildReport report, ReportOf(index, set, freshness.skipped));
  OFINDEX_TRY(CheckColumnsOf(options, report));
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(index));
  OFINDEX_ASSIGN(report.map_damage, RepairMap(file, progress));
  return report;
}

// An index whose name is that of a shard next to it would become one of DATA in the next build.
Result<void> CheckIndexName(const std::string& index, const BuildOptions& options,
                            const std::vector<ProbedShard>& shards) {
  const std::string name = fs::path(index).filename().string();
  if (name.find(kIndexSuffix) != std::string::npos) return {};
  OFINDEX_ASSIGN(const std::string stored, RelativeTo(index, FolderOf(index)));
  const std::vector<std::string> sets = SetsOf(stored);
  const bool of_set = std::any_of(shards.begin(), shards.end(), [&](const ProbedShard& shard) {
    return ShareSet(sets, SetsOf(shard.file.stored_path));
  });
  bool is_enclosed = false;
  if (!of_set && IsShardName(name)) {
    OFINDEX_ASSIGN(is_enclosed, InputFiles(options.data).Encloses(index));
  }
  if (!of_set && !is_enclosed) return {};
  return Fail(
      ErrorCode::kUsage,
      StrCat(Printable(index),
             ": an index with the name of a shard would count as a shard in the next build; expected another name"),
      "end its name in .ofidx, or leave out -o");
}

// Removes what a killed build of `index` left, unless another build is running.
void RemoveLeftovers(const std::string& index) {
  AtomicFile::RemoveLeftover(index);
  AtomicFile::RemoveLeftover(MapPathOf(index));
  std::error_code error;
  const fs::path resolved = fs::canonical(index, error);  // a link leads to the index
  const std::string saved = SavedShards::PathFor(error ? index : resolved.string());
  if (!fs::exists(fs::symlink_status(saved, error))) return;
  if (const auto lock = AtomicFile::Begin(index, AtomicFile::IfLocked::kFail)) SavedShards::RemoveAt(saved);
}

// Checks whether the index may be replaced by force at all; its freshness decides whether force is needed.
Result<void> CheckOutputs(const BuildOptions& options, const std::string& index, const ShardSet& set) {
  InputFiles inputs(options.data);
  inputs.Add(options.descriptor);
  for (const std::string& data : options.data) {
    if (data.starts_with('@')) inputs.Add(data.substr(1));
  }
  for (const Candidate& candidate : set.candidates) inputs.Add(candidate.path);
  OFINDEX_ASSIGN(const bool has_index, IsTaken(index));
  OFINDEX_ASSIGN(const bool has_map, IsTaken(MapPathOf(index)));
  if (!has_index && !has_map) return {};
  OFINDEX_TRY(CheckOutput(index, OutputKind::kIndex, /*force=*/true, inputs));
  return CheckOutput(MapPathOf(index), OutputKind::kMap, /*force=*/true, inputs);
}

Result<BuildReport> BuildOrKeep(const BuildOptions& options, Progress& progress) {
  OFINDEX_ASSIGN(const std::string index, IndexPathFor(options));
  OFINDEX_ASSIGN(const ScanOptions scan, ScanOptionsOf(options));
  OFINDEX_ASSIGN(ShardSet set, FindShards(options.data, index, progress));
  OFINDEX_TRY(CheckOutputs(options, index, set));
  OFINDEX_ASSIGN(const std::optional<PartPlan> plan, PlanOf(options, set));
  OFINDEX_ASSIGN(std::optional<BuildReport> left_alone, LeftAlone(options, index, set, plan, progress));
  if (left_alone) {
    RemoveLeftovers(index);
    return std::move(*left_alone);
  }
  NewFolders folders;
  if (options.index.empty() && !IndexFolder().empty()) OFINDEX_TRY(folders.MakeFor(index));
  OFINDEX_ASSIGN(AtomicFile temporary, BeginIndex(options, index, progress));
  if (temporary.waited()) {
    // The build that this build waited for may have done the work.
    OFINDEX_ASSIGN(left_alone, LeftAlone(options, index, set, plan, progress));
    if (left_alone) {
      SavedShards::RemoveAt(SavedShards::PathFor(temporary.path()));
      return std::move(*left_alone);
    }
  }
  OFINDEX_ASSIGN(ProbedSet probed, Probe(options, set, plan, progress));
  if (options.part_entry && !probed.shards.empty()) probed.shards.front().range.entry = options.part_entry;
  OFINDEX_TRY(CheckIndexName(index, options, probed.shards));
  const std::optional<FormerColumns> former = plan ? std::nullopt : FormerColumns::Of(index);
  OFINDEX_ASSIGN(BuildReport report, BuildSaving(options, scan, index, std::move(set), plan, std::move(probed),
                                                 std::move(temporary), progress));
  if (former) report.dropped = DroppedFrom(*former, report.facts, report.features);
  return report;
}

}  // namespace

uint64_t BytesOnDisk(const std::string& path) {
  const auto facts = StatFile(path);
  return facts ? facts->size : 0;
}

void TakeWritten(const IndexWriter& writer, BuildReport& report) {
  ShardFiles files(writer.pieces());
  report.bad = writer.bad();
  report.damage = writer.damage();
  for (BadRow& row : report.bad) row.shard = files.numbers[row.shard];
  for (DamageRow& row : report.damage) row.shard = files.numbers[row.shard];
  report.shards = std::move(files.rows);
  report.features = writer.features();
  report.without_column = writer.without_column();
}

Result<BuildReport> BuildIndex(const BuildOptions& options, Progress& progress) {
  if (options.part && !options.keys.empty()) {
    return Fail(ErrorCode::kUsage,
                StrCat("key '", Printable(options.keys.front()), "': a part has no keys; expected none"),
                "make the key of the merged index with `ofindex key`");
  }
  OFINDEX_ASSIGN(BuildReport report, BuildOrKeep(options, progress));
  const KeyOptions keys{.threads = options.threads, .if_locked = options.if_locked, .durability = options.durability};
  OFINDEX_ASSIGN(report.keys, MakeMissingKeys(report.index, options.keys, keys, progress));
  if (report.was_up_to_date) return report;
  OFINDEX_ASSIGN(report.dropped_keys, DropStaleKeys(report.index));
  if (!report.facts.part) {
    OFINDEX_ASSIGN(report.not_attached, WhyNotAttached(report.index));
  }
  return report;
}

Result<void> CheckColumns(const BuildReport& report) {
  if (!report.facts.message.empty()) return {};
  constexpr char kHint[] = "name features that records have, or pass --columns-optional; nothing was written";
  const std::vector<std::string> names = ColumnsInNoRecord(report);
  if (!names.empty()) return Fail(ErrorCode::kUsage, DescribeInNoRecord(names, report), kHint);
  const std::vector<std::string> underived = UnderivedFeatures(report);
  if (!underived.empty()) return Fail(ErrorCode::kUsage, DescribeUnderived(underived, report), kHint);
  return {};
}

std::vector<std::string> ColumnsInNoRecord(const BuildReport& report) {
  const auto choice = ColumnChoice::Parse(report.facts.columns);
  std::vector<std::string> names = choice ? choice->names : std::vector<std::string>();
  std::erase_if(names, [&](const std::string& name) {
    return std::any_of(report.features.begin(), report.features.end(),
                       [&](const FeatureRow& row) { return row.name == name; });
  });
  return names;
}

std::vector<std::string> UnderivedFeatures(const BuildReport& report) {
  const auto derivations = Derivations::ParseText(report.facts.derive);
  std::vector<std::string> names = derivations ? derivations->Features() : std::vector<std::string>();
  std::erase_if(names, [&](const std::string& name) {
    return std::any_of(report.features.begin(), report.features.end(),
                       [&](const FeatureRow& row) { return row.name == name && !row.derived.empty(); });
  });
  return names;
}

std::string DescribeUnderived(const std::vector<std::string>& names, const BuildReport& report) {
  std::vector<std::string> known;
  for (const FeatureRow& row : report.features) {
    if ((row.kinds & kBytesKind) != 0) known.push_back(row.name);
  }
  std::string text = "derive: no record has bytes in ";
  for (size_t i = 0; i < names.size(); ++i) {
    text += StrCat(i == 0 ? "" : " or ", "'", Printable(names[i]), "'");
    const auto row = std::find_if(report.features.begin(), report.features.end(),
                                  [&](const FeatureRow& feature) { return feature.name == names[i]; });
    const std::string meant = DidYouMean(NearestNames(names[i], known), "'");
    if (row != report.features.end()) {
      text += StrCat(", whose values are ", KindNames(row->kinds));
    } else if (!meant.empty()) {
      text += StrCat(" (", meant, ")");
    }
  }
  return text;
}

std::string DescribeInNoRecord(const std::vector<std::string>& names, const BuildReport& report) {
  std::vector<std::string> known;
  for (const FeatureRow& row : report.features) known.push_back(row.name);
  std::string text = "columns: no record has ";
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string meant = DidYouMean(NearestNames(names[i], known), "'");
    text += StrCat(i == 0 ? "" : " or ", "'", Printable(names[i]), "'");
    if (!meant.empty()) text += StrCat(" (", meant, ")");
  }
  return text;
}

}  // namespace ofindex

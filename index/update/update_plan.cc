#include "index/update/update_plan.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/build/unindexed.h"
#include "index/catalog/catalog_reader.h"
#include "index/catalog/paths.h"

namespace ofindex {
namespace {

bool MeansBroken(DamageReason reason) {
  return reason == DamageReason::kBadDeflate || reason == DamageReason::kBadStreamChecksum ||
         reason == DamageReason::kTrailingBytes || reason == DamageReason::kSecondStream;
}

// Returns the shards of an index as files, by their first pieces.
std::vector<KnownShard> KnownShards(const MergeSource& source) {
  const std::vector<ShardRow>& pieces = source.shards();
  std::vector<KnownShard> known;
  std::vector<size_t> places(pieces.size());  // in `known`, by first piece
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    const ShardRow& piece = pieces[i];
    if (piece.file != i) {
      known[places[piece.file]].records += piece.records;
      continue;
    }
    places[i] = known.size();
    known.push_back({.first_piece = i,
                     .path = piece.path,
                     .identity = piece.identity,
                     .records = piece.records,
                     .gone = piece.is_gone(),
                     .gone_since = piece.gone});
  }
  for (const DamageRow& row : source.damage()) {
    if (MeansBroken(row.range.reason)) known[places[pieces[row.shard].file]].broken = true;
  }
  return known;
}

// Returns where a link leads, relative to the index: the shards below a link to a folder are stored under such paths.
// Returns the link itself if that is not known.
std::string TargetOf(const std::string& link, const std::string& index) {
  const std::filesystem::path path = PathFrom(FolderOf(index), link);
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(path, error);
  if (error) return link;
  return RelativeTo((path.parent_path() / target).string(), FolderOf(index)).value_or(link);
}

// Returns the files of `set`, and adds to those that are skipped what can no longer be examined.
Result<std::vector<FoundShard>> FoundShards(ShardSet& set, const std::string& index) {
  std::vector<FoundShard> found;
  for (const Candidate& candidate : set.candidates) {
    auto facts = StatFile(candidate.path);
    if (facts) {
      found.push_back({candidate, static_cast<const FileState&>(*facts)});
    } else {
      OFINDEX_ASSIGN(SkippedFile file, Unreadable(candidate.path, candidate.stored_path, std::move(facts).error()));
      set.skipped.push_back(std::move(file));
    }
  }
  for (const SkippedFile& file : set.skipped) {
    const bool leads_nowhere = file.kind == SkippedFile::Kind::kBrokenLink;
    if (IsUnreadable(file) || leads_nowhere) found.push_back({{.path = file.path, .stored_path = file.path}, {}});
    if (!leads_nowhere) continue;
    const std::string target = TargetOf(file.path, index);
    if (target != file.path) found.push_back({{.path = target, .stored_path = target}, {}});
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundShard& a, const FoundShard& b) {
    return NaturalLess(a.file.stored_path, b.file.stored_path);
  });
  return found;
}

// Returns what the user chose when the index was built.
FormatChoice ChoiceOf(const DatasetFacts& facts) {
  return {.framing = ParseFraming(facts.format),
          .payload = ParsePayloadKind(facts.payload),
          .compression = ParseCompression(facts.compression)};
}

// Makes the plan of one update.
class Planner {
 public:
  Planner(const MergeSource& source, ShardSet set, const UpdateSearch& search, const Progress& progress)
      : source_(source), set_(std::move(set)), search_(search), progress_(progress) {}

  Result<UpdatePlan> Plan() {
    plan_.known = KnownShards(source_);
    OFINDEX_ASSIGN(plan_.found, FoundShards(set_, search_.index));
    OFINDEX_ASSIGN(plan_.changes, FindShardChanges(plan_.known, plan_.found, [this](size_t found, uint64_t bytes) {
                     return FingerprintOf(plan_.found[found], bytes);
                   }));
    OFINDEX_TRY(CheckNotAllMissing(search_.index, plan_.known, plan_.changes));
    KeepMissingInSets();
    ReadPieces();
    KeepPieces();
    OFINDEX_TRY(ProbeNew());
    OFINDEX_TRY(AddGrown());
    std::stable_sort(plan_.added.begin(), plan_.added.end(), [](const NewPiece& a, const NewPiece& b) {
      return NaturalLess(a.shard.file.stored_path, b.shard.file.stored_path);
    });
    return std::move(plan_);
  }

 private:
  static Result<uint64_t> FingerprintOf(const FoundShard& found, uint64_t bytes) {
    OFINDEX_ASSIGN(const File file, File::OpenRead(found.file.path));
    return Fingerprint(file, bytes);
  }

  [[nodiscard]] const ShardRow& PieceOf(size_t known) const { return source_.shards()[plan_.known[known].first_piece]; }

  void KeepMissingInSets() {
    std::set<std::string_view> gone;
    for (size_t i = 0; i < plan_.known.size(); ++i) {
      const ShardChange change = plan_.changes.known[i].change;
      if (change == ShardChange::kMissing || change == ShardChange::kGone) gone.insert(plan_.known[i].path);
    }
    for (std::string& path : set_.missing) {
      if (!gone.contains(path)) plan_.missing_in_sets.push_back(std::move(path));
    }
  }

  // A shard that is appended to every day has many pieces: all of them are looked at once.
  void ReadPieces() {
    const std::vector<ShardRow>& pieces = source_.shards();
    cuts_.resize(pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i)
      cuts_[pieces[i].file] = std::max(cuts_[pieces[i].file], source_.ends()[i]);
  }

  // Returns true if a shard that has grown is scanned as a new one: nothing of it can be kept, or positions in it
  // cannot be trusted.
  [[nodiscard]] bool StartsOver(size_t known) const {
    const KnownShard& shard = plan_.known[known];
    return shard.records == 0 || shard.broken;
  }

  // Returns the position from which on a shard that has grown is walked: the end of its last record. Whatever came
  // after it was damage, and may have become a record.
  [[nodiscard]] uint64_t CutOf(size_t known) const { return cuts_[plan_.known[known].first_piece]; }

  void KeepPieces() {
    std::vector<size_t> places(source_.shards().size());
    for (size_t i = 0; i < plan_.known.size(); ++i) places[plan_.known[i].first_piece] = i;
    for (const ShardRow& piece : source_.shards()) {
      const size_t known = places[piece.file];
      plan_.pieces.push_back(FateOf(piece, known, plan_.changes.known[known]));
    }
  }

  [[nodiscard]] PieceFate FateOf(const ShardRow& piece, size_t known, const ShardDecision& decision) const {
    PieceFate fate{.path = piece.path, .identity = piece.identity};
    const bool lives = !piece.is_gone();
    const bool has_records = plan_.known[known].records != 0;
    const auto goes = [&] { (has_records ? fate.goes : fate.dropped) = lives || !has_records; };
    switch (decision.change) {
      case ShardChange::kGone:
      case ShardChange::kUnreadable: break;
      case ShardChange::kMissing:
      case ShardChange::kRefilled:
      case ShardChange::kChanged: goes(); break;
      case ShardChange::kNew: break;
      case ShardChange::kGrown:
        if (StartsOver(known)) {
          goes();
          break;
        }
        fate.cut_at = CutOf(known);
        [[fallthrough]];
      case ShardChange::kUnchanged:
      case ShardChange::kTouched:
      case ShardChange::kMoved:
      case ShardChange::kRestored: {
        const FoundShard& found = plan_.found[*decision.other];
        fate.path = found.file.stored_path;
        fate.returns = piece.is_gone();
        static_cast<FileState&>(fate.identity) = *found.state;
        break;
      }
    }
    return fate;
  }

  // Probes the files that no shard of the index is in.
  Result<void> ProbeNew() {
    const FormatChoice choice = ChoiceOf(source_.facts());
    std::set<std::string_view> is_new;
    std::set<std::string_view> is_changed;
    for (size_t i = 0; i < plan_.found.size(); ++i) {
      const ShardDecision& decision = plan_.changes.found[i];
      const std::string& path = plan_.found[i].file.stored_path;
      if (decision.change == ShardChange::kNew) is_new.insert(path);
      const bool starts_over = decision.change == ShardChange::kGrown && StartsOver(*decision.other);
      if (decision.change == ShardChange::kChanged || decision.change == ShardChange::kRefilled || starts_over) {
        is_changed.insert(path);
      }
    }
    std::vector<Candidate> unknown;
    for (const Candidate& candidate : set_.candidates) {
      if (is_new.contains(candidate.stored_path)) unknown.push_back(candidate);
    }
    OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::Open(search_.index));
    OFINDEX_ASSIGN(UnindexedFiles files, SortUnindexed(catalog, unknown, set_.skipped, choice));
    for (const Candidate& candidate : files.record_files) is_changed.insert(candidate.stored_path);
    plan_.skipped = std::move(files.skipped);
    plan_.skipped.insert(plan_.skipped.end(), plan_.changes.unreadable.begin(), plan_.changes.unreadable.end());
    if (is_changed.empty()) return {};
    ProbeChoice probes{.skipped = false};
    for (const Candidate& candidate : set_.candidates) {
      probes.wanted.push_back(is_changed.contains(candidate.stored_path));
    }
    OFINDEX_ASSIGN(ProbedSet probed, ProbeShards(set_, choice, search_.threads, progress_, probes));
    for (ProbedShard& shard : probed.shards) {
      OFINDEX_TRY(CheckFormat(shard));
      plan_.added.push_back({std::move(shard)});
    }
    plan_.skipped.insert(plan_.skipped.end(), probed.skipped.begin(), probed.skipped.end());
    return {};
  }

  // All shards of an index have one format.
  [[nodiscard]] Result<void> CheckFormat(const ProbedShard& shard) const {
    if (shard.framing == Framing::kEmpty) return {};
    for (size_t i = 0; i < source_.shards().size(); ++i) {
      const ShardRow& piece = source_.shards()[i];
      if (piece.framing == Framing::kEmpty || piece.framing == shard.framing || plan_.pieces[i].dropped) continue;
      return Fail(ErrorCode::kFormat,
                  StrCat(Printable(shard.file.path), ": of format ", Name(shard.framing), "; expected ",
                         Name(piece.framing), ", as ", Printable(piece.path), " is"),
                  "index files of another format by themselves");
    }
    return {};
  }

  // The file may have been replaced since it was found to have grown.
  static Result<void> CheckBeginning(const File& file, const ShardIdentity& old) {
    OFINDEX_ASSIGN(const uint64_t fingerprint, Fingerprint(file, old.size));
    if (fingerprint == old.fingerprint) return {};
    return Fail(ErrorCode::kStale, StrCat(Printable(file.path()), ": changed while it was compared with the index"),
                "run `ofindex update` again when nothing writes to the file");
  }

  Result<void> AddGrown() {
    std::map<uint32_t, ShardIdentity> identities;  // by first piece
    for (size_t i = 0; i < plan_.known.size(); ++i) {
      const ShardDecision& decision = plan_.changes.known[i];
      if (decision.change != ShardChange::kGrown || StartsOver(i)) continue;
      const FoundShard& found = plan_.found[*decision.other];
      const ShardRow& piece = PieceOf(i);
      OFINDEX_ASSIGN(const File file, File::OpenRead(found.file.path));
      ProbedShard shard;
      shard.file = found.file;
      OFINDEX_TRY(CheckBeginning(file, plan_.known[i].identity));
      OFINDEX_ASSIGN(shard.identity, IdentifyShard(file));
      shard.framing = piece.framing;
      shard.payload = piece.payload;
      shard.compression = piece.compression;
      shard.mean_record_bytes = piece.payload_bytes / std::max<uint64_t>(piece.records, 1);
      const uint64_t cut = CutOf(i);
      shard.range = {.begin = cut, .end = kNowhere, .entry = WalkEntry{.position = cut}};
      identities.emplace(plan_.known[i].first_piece, shard.identity);
      plan_.added.push_back({std::move(shard), plan_.known[i].first_piece});
    }
    for (size_t each = 0; each < plan_.pieces.size(); ++each) {
      const auto grown = identities.find(source_.shards()[each].file);
      if (grown != identities.end()) plan_.pieces[each].identity = grown->second;
    }
    return {};
  }

  const MergeSource& source_;
  ShardSet set_;
  const UpdateSearch& search_;
  const Progress& progress_;
  std::vector<uint64_t> cuts_;  // by first piece: the end of the last record of the shard
  UpdatePlan plan_;
};

}  // namespace

const FoundShard* UpdatePlan::Unreadable() const {
  for (size_t i = 0; i < found.size(); ++i) {
    if (changes.found[i].change == ShardChange::kUnreadable) return &found[i];
  }
  return nullptr;
}

bool UpdatePlan::is_empty() const {
  if (!added.empty()) return false;
  return std::none_of(changes.known.begin(), changes.known.end(), [](const ShardDecision& decision) {
    switch (decision.change) {
      case ShardChange::kUnchanged:
      case ShardChange::kTouched:
      case ShardChange::kUnreadable:
      case ShardChange::kGone: return false;
      default: return true;
    }
  });
}

Result<UpdatePlan> PlanUpdate(const MergeSource& source, ShardSet set, const UpdateSearch& search,
                              const Progress& progress) {
  return Planner(source, std::move(set), search, progress).Plan();
}

}  // namespace ofindex

#include "index/shards/shard_probe.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "base/threads.h"
#include "index/output/shard_names.h"
#include "index/shards/damaged_shard.h"

namespace ofindex {
namespace {

// Facts about a candidate so far.
struct Probe {
  ShardIdentity identity;
  Detection detection;
  std::optional<SkippedFile> unreadable = {};

  [[nodiscard]] bool IsShard() const { return !unreadable && detection.verdict == Detection::Verdict::kRecords; }
  [[nodiscard]] bool IsSound() const { return IsShard() && detection.proven && detection.framing != Framing::kEmpty; }
  [[nodiscard]] ShardTraits traits() const { return {detection.framing, detection.compression, detection.payload}; }
};

// The content of an empty file says nothing about its format.
Detection DetectEmpty(const std::string& stored_path, const FormatChoice& choice, bool has_siblings) {
  if (choice.framing || has_siblings || IsShardName(stored_path)) return Claim(Framing::kEmpty, {}, choice, false);
  Detection detection;
  detection.what = "an empty file, and its set has no other shard";
  return detection;
}

// Detects the files of a set on several threads, first each by itself, then with their siblings.
class Prober {
 public:
  Prober(const std::vector<Candidate>& candidates, const FormatChoice& choice, unsigned threads,
         const Progress& progress)
      : candidates_(candidates), choice_(choice), threads_(threads), progress_(progress), probes_(candidates.size()) {}

  // Probes the wanted files, and the others too if they matter to these, or if `needs_all`. `wanted` is empty, or tells
  // for each.
  Result<void> Run(const std::vector<bool>& wanted, bool needs_all) {
    const auto probe = [this](size_t i) { return ProbeOne(i); };
    const auto is_wanted = [&](size_t i) { return wanted.empty() || wanted[i]; };
    OFINDEX_TRY(ForEach(probe, is_wanted));
    bool asks = needs_all;
    for (size_t i = 0; i < probes_.size(); ++i) asks = asks || (is_wanted(i) && NeedsSecondProbe(probes_[i]));
    all_ = asks || wanted.empty();
    if (!all_) return {};
    OFINDEX_TRY(ForEach(probe, [&](size_t i) { return !is_wanted(i); }));
    return ProbeWithSiblings();
  }

  // Whether all files were probed, and not only the wanted ones.
  [[nodiscard]] bool all() const { return all_; }
  [[nodiscard]] const std::vector<Probe>& probes() const { return probes_; }
  [[nodiscard]] const ShardFamilies& families() const { return families_; }

 private:
  Result<void> ProbeWithSiblings() {
    AddFamilies(0);
    const ShardFamilies proven = families_;
    OFINDEX_TRY(ForEach([&](size_t i) { return ProbeAgain(i, proven, false); },
                        [&](size_t i) { return NeedsSecondProbe(probes_[i]); }));
    // Damaged shards in which sound records were found also vouch for others.
    AddFamilies(1);
    return ForEach([&](size_t i) { return ProbeAgain(i, families_, true); },
                   [&](size_t i) { return !probes_[i].unreadable && !probes_[i].IsShard(); });
  }

  static bool NeedsSecondProbe(const Probe& probe) {
    if (probe.unreadable) return false;
    return !probe.detection.proven || probe.detection.framing == Framing::kOfRecord;
  }

  // Errors: the first one, in the order of the candidates.
  Result<void> ForEach(const std::function<Result<void>(size_t)>& body, const std::function<bool(size_t)>& takes) {
    std::vector<size_t> taken;
    for (size_t i = 0; i < probes_.size(); ++i) {
      if (takes(i)) taken.push_back(i);
    }
    std::vector<std::optional<Error>> errors(taken.size());
    std::atomic<size_t> next{0};
    RunOnThreads(static_cast<unsigned>(std::min<size_t>(threads_, taken.size())), [&](unsigned) {
      for (size_t at = next++; at < taken.size(); at = next++) {
        if (progress_.cancel) return;
        auto done = WithMemory("a look at a file", [&] { return body(taken[at]); });
        if (!done) errors[at] = std::move(done).error();
      }
    });
    if (progress_.cancel) return Interrupted();
    for (std::optional<Error>& error : errors) {
      if (error) return tl::unexpected(std::move(*error));
    }
    return {};
  }

  Result<void> ProbeOne(size_t i) {
    return Guarded(i, [&]() -> Result<void> {
      Probe& probe = probes_[i];
      OFINDEX_ASSIGN(const File file, File::OpenRead(candidates_[i].path));
      OFINDEX_ASSIGN(probe.identity, IdentifyShard(file));
      OFINDEX_ASSIGN(probe.detection, DetectShard(file, probe.identity.size, choice_));
      return {};
    });
  }

  // With `siblings_only`, does nothing if the set has no other sound shard.
  Result<void> ProbeAgain(size_t i, const ShardFamilies& families, bool siblings_only) {
    Probe& probe = probes_[i];
    const bool sound = probe.IsSound();
    const std::optional<ShardTraits> siblings =
        families.Of(candidates_[i].stored_path, sound ? std::optional(probe.traits()) : std::nullopt);
    if (siblings_only && !siblings) return {};
    // A damaged TFRecord file may parse as OFRecords.
    if (sound && (!siblings || siblings->framing != Framing::kTfRecord)) return {};
    return Guarded(i, [&]() -> Result<void> {
      if (probe.identity.size == 0) {
        probe.detection = DetectEmpty(candidates_[i].stored_path, choice_, siblings.has_value());
        return {};
      }
      OFINDEX_ASSIGN(const File file, File::OpenRead(candidates_[i].path));
      OFINDEX_ASSIGN(Detection detection, DetectDamaged(file, probe.identity.size, choice_, siblings, probe.detection));
      if (!sound || detection.proven) probe.detection = std::move(detection);
      return {};
    });
  }

  // An unreadable file does not stop the others from being probed.
  Result<void> Guarded(size_t i, const std::function<Result<void>()>& body) {
    Result<void> done = body();
    if (done || done.error().code != ErrorCode::kIo) return done;
    OFINDEX_ASSIGN(probes_[i].unreadable,
                   Unreadable(candidates_[i].path, candidates_[i].stored_path, std::move(done).error()));
    return {};
  }

  // Adds the sound shards that were not yet added, in the order of the candidates.
  void AddFamilies(size_t round) {
    if (round == 0) added_.assign(probes_.size(), false);
    for (size_t i = 0; i < probes_.size(); ++i) {
      if (added_[i] || !probes_[i].IsSound()) continue;
      added_[i] = true;
      families_.Add(candidates_[i].stored_path, probes_[i].traits());
    }
  }

  const std::vector<Candidate>& candidates_;
  const FormatChoice& choice_;
  const unsigned threads_;
  const Progress& progress_;
  std::vector<Probe> probes_;
  bool all_ = true;
  std::vector<bool> added_;
  ShardFamilies families_;
};

// Returns true if all files are empty: nothing shows that they are record files, whatever their names.
bool AreAllEmpty(const std::vector<ProbedShard>& shards) {
  return std::all_of(shards.begin(), shards.end(), [](const ProbedShard& shard) { return shard.identity.size == 0; });
}

// Finds the first shard whose framing differs from that of the first shard with a known framing.
Result<void> CheckOneFormat(const std::vector<ProbedShard>& shards) {
  const ProbedShard* first = nullptr;
  for (const ProbedShard& shard : shards) {
    if (shard.framing == Framing::kEmpty) continue;
    if (first == nullptr) first = &shard;
    if (shard.framing == first->framing) continue;
    return Fail(ErrorCode::kFormat,
                StrCat(Printable(shard.file.path), "@0: of format ", Name(shard.framing), "; expected ",
                       Name(first->framing), ", as ", Printable(first->file.path), " is"),
                "index each format separately, or name the format with --format");
  }
  return {};
}

// `pointers` are Git-LFS pointers among the skipped files.
tl::unexpected<Error> NoRecordFile(const std::vector<SkippedFile>& skipped, const std::vector<std::string>& pointers,
                                   const FormatChoice& choice) {
  const bool any_was_read =
      std::any_of(skipped.begin(), skipped.end(), [](const SkippedFile& file) { return !IsUnreadable(file); });
  for (const SkippedFile& file : skipped) {
    const bool may_be_all_there_is = IsUnreadable(file) && (!any_was_read || IsShardName(file.path));
    if (may_be_all_there_is) return Fail(ErrorCode::kIo, StrCat(Printable(file.path), ": ", file.reason));
  }
  if (!pointers.empty()) {
    return Fail(ErrorCode::kFormat,
                StrCat(Printable(pointers.front()), ": a Git-LFS pointer, not the file",
                       pointers.size() == 1 ? "" : StrCat("; ", pointers.size() - 1, " more of them"),
                       "; DATA contains no record file"),
                "run `git lfs pull`, then repeat the command");
  }
  std::string what = "DATA: contains no record file";
  if (skipped.size() == 1) {
    what =
        StrCat(Printable(skipped.front().path), "@0: ", skipped.front().reason, "; expected a TFRecord or an OFRecord");
  } else if (!skipped.empty()) {
    what = StrCat("DATA: no record file among ", Counted(skipped.size(), "file"), ": ", Printable(skipped.front().path),
                  ": ", skipped.front().reason);
  }
  return Fail(ErrorCode::kFormat, std::move(what),
              choice.compression ? Hint("leave out --compression, or name the right one with it")
                                 : Hint("name the format with --format tfrecord or --format ofrecord"));
}

// Keeps what is known of the wanted candidates, and of files that are no candidates.
void Keep(const ShardSet& set, const std::vector<bool>& wanted, ProbedSet& probed) {
  std::set<std::string_view> others;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) others.insert(set.candidates[i].stored_path);
  }
  std::erase_if(probed.shards, [&](const ProbedShard& shard) { return others.contains(shard.file.stored_path); });
  std::erase_if(probed.skipped, [&](const SkippedFile& file) { return others.contains(file.path); });
}

}  // namespace

Result<Detection> DetectBeside(const File& file, uint64_t size, const std::string& stored_path,
                               const FormatChoice& choice, const ShardFamilies& families) {
  const std::optional<ShardTraits> siblings = families.Of(stored_path);
  if (size == 0) return DetectEmpty(stored_path, choice, siblings.has_value());
  OFINDEX_ASSIGN(const Detection first_detection, DetectShard(file, size, choice));
  if (first_detection.proven) return first_detection;
  return DetectDamaged(file, size, choice, siblings, first_detection);
}

Result<ProbedSet> ProbeShards(const ShardSet& set, const FormatChoice& choice, unsigned threads,
                              const Progress& progress, const ProbeChoice& probes) {
  Prober prober(set.candidates, choice, threads, progress);
  // A broken link is judged by the shards of its set.
  const bool broken = std::any_of(set.skipped.begin(), set.skipped.end(),
                                  [](const SkippedFile& file) { return file.kind == SkippedFile::Kind::kBrokenLink; });
  OFINDEX_TRY(prober.Run(probes.wanted, probes.skipped && broken));
  ProbedSet probed;
  std::vector<std::string> pointers;
  for (size_t i = 0; i < set.candidates.size(); ++i) {
    if (!prober.all() && !probes.wanted[i]) continue;
    const Probe& probe = prober.probes()[i];
    const Detection& detection = probe.detection;
    const bool pointer = !probe.unreadable && detection.verdict == Detection::Verdict::kLfsPointer;
    if (pointer) pointers.push_back(set.candidates[i].stored_path);
    if (probe.IsShard()) {
      probed.shards.push_back({.file = set.candidates[i],
                               .identity = probe.identity,
                               .framing = detection.framing,
                               .payload = detection.payload,
                               .compression = detection.compression,
                               .mean_record_bytes = detection.mean_record_bytes,
                               .lost = detection.lost});
    } else if (probe.unreadable) {
      probed.skipped.push_back(*probe.unreadable);
    } else {
      const ShardIdentity& found = probe.identity;
      probed.skipped.push_back({.path = set.candidates[i].stored_path, .reason = detection.what, .state = found});
    }
  }
  if (!choice.framing && AreAllEmpty(probed.shards)) {
    for (const ProbedShard& shard : probed.shards) {
      probed.skipped.push_back({.path = shard.file.stored_path, .reason = "an empty file: nothing to index"});
    }
    probed.shards.clear();
  }
  for (SkippedFile file : probes.skipped ? set.skipped : std::vector<SkippedFile>()) {
    // A broken link to a shard of the set counts as an unreadable shard.
    const bool of_set = file.kind == SkippedFile::Kind::kBrokenLink && prober.families().Of(file.path);
    if (of_set) file.kind = SkippedFile::Kind::kUnreadable;
    probed.skipped.push_back(std::move(file));
  }
  std::sort(probed.skipped.begin(), probed.skipped.end(),
            [](const SkippedFile& a, const SkippedFile& b) { return NaturalLess(a.path, b.path); });
  OFINDEX_TRY(CheckOneFormat(probed.shards));
  if (probed.shards.empty() && prober.all()) return NoRecordFile(probed.skipped, pointers, choice);
  if (!probes.wanted.empty()) Keep(set, probes.wanted, probed);
  return probed;
}

}  // namespace ofindex

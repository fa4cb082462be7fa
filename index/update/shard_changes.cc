#include "index/update/shard_changes.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "index/update/free_shards.h"

namespace ofindex {
namespace {

// Applies one rule after the other to the files and shards that are left.
class ChangeFinder {
 public:
  ChangeFinder(const std::vector<KnownShard>& known, const std::vector<FoundShard>& found,
               const FingerprintOfFound& fingerprint)
      : known_(known),
        found_(found),
        fingerprint_(fingerprint),
        readings_(found.size()),
        has_file_(known.size()),
        live_(known),
        gone_(known) {}

  Result<ShardChanges> Find() {
    Begin();
    OFINDEX_TRY(MatchUnchanged());
    KeepBelowUnreadable();
    RankFree();
    OFINDEX_TRY(MatchAppended());
    OFINDEX_TRY(MatchContent(live_, ShardChange::kMoved));
    OFINDEX_TRY(MatchGoneAtPath());
    OFINDEX_TRY(MatchContent(gone_, ShardChange::kRestored));
    OFINDEX_TRY(MatchGrownAtPath());
    OFINDEX_TRY(MatchGrownInode());
    MatchReplaced();
    return std::move(changes_);
  }

 private:
  struct Reading {
    uint64_t bytes;
    uint64_t fingerprint;
  };

  void Begin();
  Result<void> MatchUnchanged();
  void KeepBelowUnreadable();
  void RankFree();
  Result<void> MatchAppended();
  Result<void> MatchContent(const FreeShards& shards, ShardChange change);
  Result<void> MatchGoneAtPath();
  Result<void> MatchGrownAtPath();
  Result<void> MatchGrownInode();
  void MatchReplaced();

  Result<bool> IsFreeShard(size_t found);
  Result<std::optional<uint64_t>> Read(size_t found, uint64_t bytes);
  Result<std::optional<uint64_t>> ContentOf(size_t found);
  Result<bool> Contains(size_t found, size_t shard);
  Result<void> MatchIfGrown(size_t found, size_t shard);

  void Match(size_t found, size_t shard, ShardChange change);

  // Returns true if the file has no shard yet, and was not found to be unreadable.
  [[nodiscard]] bool IsOpen(size_t found) const { return changes_.found[found].change == ShardChange::kNew; }

  template <typename Body>
  Result<void> ForEachOpen(const Body& body) {
    for (size_t found = 0; found < found_.size(); ++found) {
      if (IsOpen(found)) OFINDEX_TRY(body(found, found_[found].file.stored_path));
    }
    return {};
  }

  [[nodiscard]] bool IsFree(size_t shard) const {
    const ShardChange change = changes_.known[shard].change;
    return change == ShardChange::kMissing || change == ShardChange::kGone;
  }

  // A shard without records has nothing to keep when its file grows.
  [[nodiscard]] bool MayHaveGrown(size_t found, size_t shard) const {
    return IsFree(shard) && known_[shard].records > 0 && known_[shard].identity.size < found_[found].state->size;
  }

  [[nodiscard]] std::optional<size_t> LiveAt(const std::string& path) const {
    const auto live = live_at_.find(path);
    return live == live_at_.end() ? std::nullopt : std::optional(live->second);
  }

  // Returns the gone shards of that path, the latest first.
  [[nodiscard]] const std::vector<size_t>& GoneAt(const std::string& path) const {
    static const std::vector<size_t> kNone;
    const auto gone = gone_at_.find(path);
    return gone == gone_at_.end() ? kNone : gone->second;
  }

  const std::vector<KnownShard>& known_;
  const std::vector<FoundShard>& found_;
  const FingerprintOfFound& fingerprint_;
  ShardChanges changes_;
  std::vector<std::vector<Reading>> readings_;  // by file
  std::unordered_map<std::string_view, size_t> live_at_;
  std::unordered_map<std::string_view, std::vector<size_t>> gone_at_;
  std::vector<bool> has_file_;  // by shard: it is live, and there is a file at its path
  FreeShards live_;
  FreeShards gone_;
};

void ChangeFinder::Begin() {
  for (const FoundShard& file : found_) {
    changes_.found.push_back({file.state ? ShardChange::kNew : ShardChange::kUnreadable});
  }
  for (size_t shard = 0; shard < known_.size(); ++shard) {
    const bool gone = known_[shard].gone;
    changes_.known.push_back({gone ? ShardChange::kGone : ShardChange::kMissing});
    if (gone) {
      gone_at_[known_[shard].path].push_back(shard);
    } else {
      live_at_.emplace(known_[shard].path, shard);
    }
  }
  for (auto& [path, shards] : gone_at_) {
    std::stable_sort(shards.begin(), shards.end(),
                     [this](size_t a, size_t b) { return known_[a].gone_since > known_[b].gone_since; });
  }
}

void ChangeFinder::Match(size_t found, size_t shard, ShardChange change) {
  changes_.found[found] = {.change = change, .other = shard};
  changes_.known[shard] = {.change = change, .other = found};
  live_.Remove(shard);
  gone_.Remove(shard);
}

// Returns true if the file has the content of a shard that is left.
Result<bool> ChangeFinder::IsFreeShard(size_t found) {
  const uint64_t size = found_[found].state->size;
  if (!live_.AnyOfSize(size) && !gone_.AnyOfSize(size)) return false;
  OFINDEX_ASSIGN(const std::optional<uint64_t> content, ContentOf(found));
  return content && (live_.First(size, *content) || gone_.First(size, *content));
}

// Returns the fingerprint, or nullopt if the file turns out to be unreadable.
Result<std::optional<uint64_t>> ChangeFinder::Read(size_t found, uint64_t bytes) {
  for (const Reading& reading : readings_[found]) {
    if (reading.bytes == bytes) return reading.fingerprint;
  }
  auto fingerprint = fingerprint_(found, bytes);
  if (fingerprint) {
    readings_[found].push_back({.bytes = bytes, .fingerprint = *fingerprint});
    return *fingerprint;
  }
  if (fingerprint.error().code != ErrorCode::kIo) return tl::unexpected(std::move(fingerprint).error());
  const Candidate& file = found_[found].file;
  OFINDEX_ASSIGN(SkippedFile unreadable, Unreadable(file.path, file.stored_path, std::move(fingerprint).error()));
  changes_.unreadable.push_back(std::move(unreadable));
  changes_.found[found].change = ShardChange::kUnreadable;
  return std::nullopt;
}

// Does the same for the whole file. One in the state of a gone shard of its path is trusted to be that shard.
Result<std::optional<uint64_t>> ChangeFinder::ContentOf(size_t found) {
  const FileState& state = *found_[found].state;
  for (const size_t shard : GoneAt(found_[found].file.stored_path)) {
    if (known_[shard].identity == state) return known_[shard].identity.fingerprint;
  }
  return Read(found, state.size);
}

Result<bool> ChangeFinder::Contains(size_t found, size_t shard) {
  if (found_[found].state->size != known_[shard].identity.size) return false;
  OFINDEX_ASSIGN(const std::optional<uint64_t> content, ContentOf(found));
  return content == known_[shard].identity.fingerprint;
}

Result<void> ChangeFinder::MatchUnchanged() {
  for (size_t found = 0; found < found_.size(); ++found) {
    const std::optional<size_t> shard = LiveAt(found_[found].file.stored_path);
    if (!shard) continue;
    has_file_[*shard] = true;
    if (IsOpen(found) && static_cast<const FileState&>(known_[*shard].identity) == *found_[found].state) {
      Match(found, *shard, ShardChange::kUnchanged);
    } else if (IsOpen(found)) {
      OFINDEX_ASSIGN(const bool same, Contains(found, *shard));
      if (same) Match(found, *shard, ShardChange::kTouched);
    }
    if (changes_.found[found].change == ShardChange::kUnreadable) Match(found, *shard, ShardChange::kUnreadable);
  }
  return {};
}

void ChangeFinder::KeepBelowUnreadable() {
  std::unordered_map<std::string_view, size_t> folders;
  for (size_t found = 0; found < found_.size(); ++found) {
    if (!found_[found].state) folders.emplace(found_[found].file.stored_path, found);
  }
  if (folders.empty()) return;
  for (size_t shard = 0; shard < known_.size(); ++shard) {
    if (known_[shard].gone || has_file_[shard]) continue;
    std::string_view path = known_[shard].path;
    for (size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/')) {
      path = path.substr(0, slash);
      const auto folder = folders.find(path);
      if (folder == folders.end()) continue;
      changes_.known[shard] = {.change = ShardChange::kUnreadable, .other = folder->second};
      break;
    }
  }
}

void ChangeFinder::RankFree() {
  const auto is_new = [](const ShardDecision& decision) { return decision.change == ShardChange::kNew; };
  if (std::none_of(changes_.found.begin(), changes_.found.end(), is_new)) return;
  std::vector<size_t> free;
  for (size_t shard = 0; shard < known_.size(); ++shard) {
    if (IsFree(shard)) free.push_back(shard);
  }
  std::stable_sort(free.begin(), free.end(), [this](size_t a, size_t b) {
    if (known_[a].gone_since != known_[b].gone_since) return known_[a].gone_since > known_[b].gone_since;
    return NaturalLess(known_[a].path, known_[b].path);
  });
  for (const size_t shard : free) (known_[shard].gone ? gone_ : live_).Add(shard);
}

// A shard that was copied, and then appended to, goes on at its path: the copy is new. A file may have the content of a
// shard that is matched later, so those that seem to be another shard are tried until nothing more is matched.
Result<void> ChangeFinder::MatchAppended() {
  std::vector<size_t> candidates;
  for (size_t found = 0; found < found_.size(); ++found) {
    const std::optional<size_t> shard = LiveAt(found_[found].file.stored_path);
    if (shard && IsOpen(found) && !known_[*shard].broken && MayHaveGrown(found, *shard)) candidates.push_back(found);
  }
  for (bool matched = true; matched;) {
    matched = false;
    std::vector<size_t> later;
    for (const size_t found : candidates) {
      OFINDEX_ASSIGN(const bool is_another, IsFreeShard(found));
      if (!IsOpen(found)) continue;
      if (is_another) {
        later.push_back(found);
        continue;
      }
      const size_t shard = *LiveAt(found_[found].file.stored_path);
      OFINDEX_TRY(MatchIfGrown(found, shard));
      matched = matched || !IsFree(shard);
    }
    candidates = std::move(later);
  }
  return {};
}

Result<void> ChangeFinder::MatchContent(const FreeShards& shards, ShardChange change) {
  return ForEachOpen([&](size_t found, const std::string& /*path*/) -> Result<void> {
    const uint64_t size = found_[found].state->size;
    if (!shards.AnyOfSize(size)) return {};
    OFINDEX_ASSIGN(const std::optional<uint64_t> content, ContentOf(found));
    const std::optional<size_t> shard = content ? shards.First(size, *content) : std::nullopt;
    if (shard) Match(found, *shard, change);
    return {};
  });
}

Result<void> ChangeFinder::MatchGoneAtPath() {
  return ForEachOpen([&](size_t found, const std::string& path) -> Result<void> {
    for (const size_t shard : GoneAt(path)) {
      if (!IsOpen(found)) break;
      if (!IsFree(shard)) continue;
      OFINDEX_ASSIGN(const bool same, Contains(found, shard));
      if (same) Match(found, shard, ShardChange::kRestored);
    }
    return {};
  });
}

Result<void> ChangeFinder::MatchIfGrown(size_t found, size_t shard) {
  if (!MayHaveGrown(found, shard)) return {};
  const ShardIdentity& old = known_[shard].identity;
  OFINDEX_ASSIGN(const std::optional<uint64_t> beginning, Read(found, old.size));
  if (beginning == old.fingerprint) Match(found, shard, ShardChange::kGrown);
  return {};
}

Result<void> ChangeFinder::MatchGrownAtPath() {
  return ForEachOpen([&](size_t found, const std::string& path) -> Result<void> {
    if (const auto shard = LiveAt(path)) return MatchIfGrown(found, *shard);
    return GoneAt(path).empty() ? Result<void>() : MatchIfGrown(found, GoneAt(path).front());
  });
}

// Inode numbers are unique only on one disk: one that several shards have proves nothing.
Result<void> ChangeFinder::MatchGrownInode() {
  std::unordered_map<uint64_t, std::optional<size_t>> by_inode;  // none: of several shards
  for (size_t shard = 0; shard < known_.size(); ++shard) {
    if (known_[shard].gone || !IsFree(shard)) continue;
    const auto [first, is_first] = by_inode.emplace(known_[shard].identity.inode, shard);
    if (!is_first) first->second.reset();
  }
  return ForEachOpen([&](size_t found, const std::string& path) -> Result<void> {
    const auto shard = by_inode.find(found_[found].state->inode);
    const bool elsewhere = shard != by_inode.end() && shard->second && known_[*shard->second].path != path;
    return elsewhere ? MatchIfGrown(found, *shard->second) : Result<void>();
  });
}

void ChangeFinder::MatchReplaced() {
  for (size_t found = 0; found < found_.size(); ++found) {
    const std::optional<size_t> shard = LiveAt(found_[found].file.stored_path);
    if (!shard || !IsFree(*shard)) continue;
    if (changes_.found[found].change == ShardChange::kUnreadable) {
      Match(found, *shard, ShardChange::kUnreadable);
    } else if (IsOpen(found)) {
      Match(found, *shard, known_[*shard].records == 0 ? ShardChange::kRefilled : ShardChange::kChanged);
    }
  }
}

}  // namespace

std::string_view Name(ShardChange change) {
  switch (change) {
    case ShardChange::kUnchanged: return "unchanged";
    case ShardChange::kTouched: return "touched";
    case ShardChange::kMoved: return "moved";
    case ShardChange::kRestored: return "restored";
    case ShardChange::kGrown: return "grown";
    case ShardChange::kRefilled: return "refilled";
    case ShardChange::kChanged: return "changed";
    case ShardChange::kNew: return "new";
    case ShardChange::kUnreadable: return "unreadable";
    case ShardChange::kMissing: return "missing";
    case ShardChange::kGone: return "gone";
  }
  return "unknown";
}

Result<ShardChanges> FindShardChanges(const std::vector<KnownShard>& known, const std::vector<FoundShard>& found,
                                      const FingerprintOfFound& fingerprint) {
  assert(std::is_sorted(found.begin(), found.end(), [](const FoundShard& a, const FoundShard& b) {
    return NaturalLess(a.file.stored_path, b.file.stored_path);
  }));
  return ChangeFinder(known, found, fingerprint).Find();
}

Result<void> CheckNotAllMissing(const std::string& index, const std::vector<KnownShard>& known,
                                const ShardChanges& changes) {
  size_t live = 0;
  std::optional<size_t> first;
  for (size_t shard = 0; shard < known.size(); ++shard) {
    if (known[shard].gone) continue;
    if (changes.known[shard].change != ShardChange::kMissing) return {};
    if (!first) first = shard;
    ++live;
  }
  if (!first) return {};
  return Fail(ErrorCode::kStale,
              StrCat(Printable(index), ": none of ", Counted(live, "shard"), " is there, such as ",
                     Printable(known[*first].path), "; is the disk mounted?"),
              "mount the disk, or build an index of other files with `ofindex build`");
}

}  // namespace ofindex

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "index/catalog/skipped_file.h"
#include "index/shards/shard_set.h"
#include "index/update/known_shard.h"

namespace ofindex {

/// A file of DATA.
struct FoundShard {
  Candidate file;
  std::optional<FileState> state;  ///< none: the file, or the folder, cannot be read
};

/// What an update does about a shard.
enum class ShardChange : uint8_t {
  kUnchanged,   ///< same path, same state
  kTouched,     ///< same path and content, another state
  kMoved,       ///< a live shard at another path; what was at that path is decided separately
  kRestored,    ///< a gone shard, at its path or another
  kGrown,       ///< a live or gone shard, at its path or another, with more bytes than `identity.size`
  kRefilled,    ///< other content at the path of a live shard without records: rewritten in place, nothing goes
  kChanged,     ///< other content at the path of a live shard: its records go, those of the file are new
  kNew,         ///< only found: no shard is known for it; a copy of a shard is new too
  kUnreadable,  ///< a file or folder that cannot be read; a live shard that may still be there: kept
  kMissing,     ///< only known: a live shard that was not found at any path; another shard may be at its own
  kGone,        ///< only known: still gone
};

[[nodiscard]] std::string_view Name(ShardChange change);

/// The decision about a found file or a known shard. Two that belong together have the same change and name each other.
struct ShardDecision {
  ShardChange change;
  /// Index among the known or the found. None for the last four changes, except that a kept shard names the file or
  /// folder that may hold it, and the file names the shard.
  std::optional<size_t> other = {};

  friend bool operator==(const ShardDecision&, const ShardDecision&) = default;
};

struct ShardChanges {
  std::vector<ShardDecision> found;     ///< by file
  std::vector<ShardDecision> known;     ///< by shard
  std::vector<SkippedFile> unreadable;  ///< files that have a state, but whose bytes could not be read
};

/// Returns Fingerprint() over the first `bytes` bytes of a file, given its index among the found. Errors: those of
/// File::OpenRead and Fingerprint.
using FingerprintOfFound = std::function<Result<uint64_t>(size_t found, uint64_t bytes)>;

/// Decides what became of each shard. `found` is in natural order of stored paths, each path once; each path has at
/// most one live shard. Each file and each shard is used once, by the first rule that applies:
///
/// 1. A file with the path and the state of a live shard is that shard, and so is one with its path, size and
///    fingerprint. A file at the path of a live shard keeps it if it cannot be read; a folder that cannot be read keeps
///    the live shards below it that have no file.
/// 2. A file at the path of a live shard with records that begins with all its bytes, and is longer, is that shard,
///    grown, unless its whole content is that of a shard, live or gone, that no file was matched with. Not so if its
///    records could not be kept (KnownShard::broken).
/// 3. A file with the size and fingerprint of a shard is that shard: first live ones, in natural order; then gone ones
///    of its path, the latest first; then other gone ones, the latest first, then in natural order.
/// 4. A file that begins with all bytes of a shard with records, and is longer, is that shard, grown: the live shard of
///    its path, or the latest gone one if none is live there; otherwise the live shard with its inode, if only one that
///    is left has it.
/// 5. A file at the path of a live shard replaces it, or keeps it if it turned out to be unreadable.
/// 6. Other files are new. 7. Other live shards are missing.
///
/// Asks for a fingerprint only if a shard that is left has the size that a rule needs, and never twice for the same
/// bytes; a file in the state of a shard of its path is not read. Opens no file itself. Takes O(n log n).
///
/// Errors: those of `fingerprint`; but a file with kIo is listed as unreadable, unless the process lacks descriptors or
/// memory.
[[nodiscard]] Result<ShardChanges> FindShardChanges(const std::vector<KnownShard>& known,
                                                    const std::vector<FoundShard>& found,
                                                    const FingerprintOfFound& fingerprint);

/// Succeeds if any live shard was found, or there is none in the index at `index`. Errors: kStale if all of them are
/// missing: their disk may not be mounted.
[[nodiscard]] Result<void> CheckNotAllMissing(const std::string& index, const std::vector<KnownShard>& known,
                                              const ShardChanges& changes);

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/merge/merge_source.h"
#include "index/shards/shard_probe.h"
#include "index/shards/shard_set.h"
#include "index/update/known_shard.h"
#include "index/update/shard_changes.h"

namespace ofindex {

/// What becomes of a piece of an index in its update.
struct PieceFate {
  bool dropped = false;  ///< it has no records, and its shard has changed or is missing
  std::string path;      ///< of its shard, which may have moved
  ShardIdentity identity;
  bool goes = false;                    ///< its shard is missing from now on
  bool returns = false;                 ///< its shard was missing, and is back
  std::optional<uint64_t> cut_at = {};  ///< its shard has grown: damage from here on is walked again

  /// Returns true if the piece, whose row in the index is `row`, is not part of the dataset after the update.
  [[nodiscard]] bool IsGone(const ShardRow& row) const { return dropped || goes || (row.is_gone() && !returns); }
};

/// A piece that an update scans.
struct NewPiece {
  ProbedShard shard;
  std::optional<uint32_t> grown = {};  ///< the first piece of the shard that has grown; none for a new shard
};

/// All that an update of an index will write, decided before it reads more than the heads of new and changed files.
struct UpdatePlan {
  std::vector<PieceFate> pieces;  ///< of the index, in order
  std::vector<NewPiece> added;    ///< in natural order of paths
  std::vector<SkippedFile> skipped;
  std::vector<std::string> missing_in_sets;  ///< ShardSet::missing, without missing and gone shards

  // For the report.
  std::vector<KnownShard> known;
  std::vector<FoundShard> found;
  ShardChanges changes;

  /// Returns a file or folder that cannot be read or leads nowhere, so that nobody knows what is in it; null if all
  /// can.
  [[nodiscard]] const FoundShard* Unreadable() const;

  /// Returns true if nothing has changed but times and inodes.
  [[nodiscard]] bool is_empty() const;
};

/// How an update looks for shards.
struct UpdateSearch {
  std::string index;
  unsigned threads = 1;
};

/// Compares the files of `source`'s DATA with its shards. `set` is what FindShards has found. Errors: kStale if all
/// shards are missing; kFormat if a new shard is of another format; kIo, kIndex, kLimit, kInterrupted.
[[nodiscard]] Result<UpdatePlan> PlanUpdate(const MergeSource& source, ShardSet set, const UpdateSearch& search,
                                            const Progress& progress);

}  // namespace ofindex

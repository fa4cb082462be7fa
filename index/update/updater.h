#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/builder.h"
#include "index/output/atomic_file.h"
#include "index/update/shard_changes.h"

namespace ofindex {

struct UpdateOptions {
  std::string index;
  std::vector<std::string> data = {};  ///< taken in besides the DATA of the index, from now on
  bool verify = false;                 ///< also check every payload byte of what is read
  bool prune = false;                  ///< also leave out what is gone; then records get the ordinals of a new build
  unsigned threads = 0;                ///< that may compute at once; 0: one per processor
  AtomicFile::Durability durability = AtomicFile::Durability::kDurable;
  uint64_t segment_bytes = 0;  ///< as in ScanOptions
};

/// The changes that a report lists by name.
inline constexpr std::array kListedChanges = {ShardChange::kNew,       ShardChange::kGrown,    ShardChange::kChanged,
                                              ShardChange::kMoved,     ShardChange::kRestored, ShardChange::kMissing,
                                              ShardChange::kUnreadable};

/// A shard that an update found changed.
struct ChangedShard {
  ShardChange change;
  std::string path;
  std::string before = {};   ///< its path before, if it has moved
  uint64_t records = 0;      ///< that it has now; for a missing one: that are gone
  uint64_t new_records = 0;  ///< of these, those that the index had not
};

struct UpdateReport {
  /// The index after the update; `was_up_to_date`: nothing was done. `bad` and `damage` are what was found in the bytes
  /// that were read for it.
  BuildReport written;
  int64_t generation = 1;
  std::vector<ChangedShard> shards;  ///< in natural order of paths
  uint64_t unchanged = 0;            ///< shards
  uint64_t new_records = 0;
  uint64_t gone_records = 0;    ///< in this update
  bool renumbered = false;      ///< ordinals have moved: states, lists and sets of ordinals from before are void
  uint64_t pruned_records = 0;  ///< that were left out for good
  std::vector<std::string> columns_added;  ///< SQL names, by feature
  std::vector<std::string> columns_removed;
};

/// Brings an index and its map up to date with its DATA: shards that are new, longer or changed are read, and no
/// others. Records that the index has keep their ordinals, and new ones get the next; those of a missing or changed
/// shard are no longer found, and are found again, under their ordinals, if the shard comes back. The index is replaced
/// as a whole, or stays as it is.
///
/// With `prune` the index has what a new build would have, in its order: what is gone is left out for good, and every
/// record gets the ordinal that it has in natural order of paths. If that moves no ordinal, `prune` changes nothing.
///
/// Errors: kNotFound, kIndex; kStale if all shards are missing, or a shard changes while it is read; kFormat if a new
/// shard is of another format; kUsage for an index of messages, whose descriptor it does not have; kLocked; kIo;
/// kInterrupted.
[[nodiscard]] Result<UpdateReport> UpdateIndex(const UpdateOptions& options, Progress& progress);

}  // namespace ofindex

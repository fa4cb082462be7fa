#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/builder.h"
#include "index/output/atomic_file.h"
#include "index/update/update_report.h"

namespace ofindex {

struct UpdateOptions {
  std::string index;
  std::vector<std::string> data = {};  ///< taken in besides the DATA of the index, from now on
  bool verify = false;                 ///< also check every payload byte of what is read
  bool prune = false;                  ///< also leave out what is gone; then records get the ordinals of a new build
  unsigned threads = 0;                ///< that may compute at once; 0: one per processor
  InflateOptions inflate = {};         ///< for compressed shards that are read
  AtomicFile::IfLocked if_locked = AtomicFile::IfLocked::kFail;
  AtomicFile::Durability durability = AtomicFile::Durability::kDurable;
  uint64_t segment_bytes = 0;  ///< as in ScanOptions
};

/// Brings an index and its map up to date with its DATA: shards that are new, longer or changed are read, and no
/// others. Records that the index has keep their ordinals, and new ones get the next; those of a missing or changed
/// shard are no longer found, and are found again, under their ordinals, if the shard comes back. The index is replaced
/// as a whole, or stays as it is.
///
/// With `prune` the index has what a new build would have, in its order: what is gone is left out for good, and every
/// record gets the ordinal that it has in natural order of paths. If that moves no ordinal, `prune` changes nothing.
///
/// The keys of the index are made again, after it was replaced.
///
/// If there is nothing to do, the folder of the index need not be writable, and a damaged map is rebuilt.
///
/// Errors: kNotFound, kIndex; kStale if all shards are missing, or a shard changes while it is read; kFormat if a new
/// shard is of another format; kUsage for an index of messages, whose descriptor it does not have; kLocked; kIo;
/// kInterrupted.
[[nodiscard]] Result<UpdateReport> UpdateIndex(const UpdateOptions& options, Progress& progress);

}  // namespace ofindex

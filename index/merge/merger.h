#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/builder.h"
#include "index/output/atomic_file.h"

namespace ofindex {

struct MergeOptions {
  std::vector<std::string> inputs;  ///< paths of parts, or of whole indexes
  std::string index;                ///< path of the index to write
  bool force = false;               ///< replace an index at that path; a part never replaces a whole one
  bool columns_optional = false;    ///< if the parts are complete: as in BuildOptions
  unsigned threads = 0;             ///< for parts that must be built again; 0: one per processor
  AtomicFile::IfLocked if_locked = AtomicFile::IfLocked::kFail;
  AtomicFile::Durability durability = AtomicFile::Durability::kDurable;
  uint64_t segment_bytes = 0;  ///< with which the parts were built: see BuildOptions
};

/// Writes one index of several, and its map, without reading a shard.
///
/// Parts of one job (BuildOptions::part), given in any order, make the bytes of one build, if they are all there and
/// lie where the index will. Neighbouring parts make a larger part, which is merged like any other. A part that entered
/// a shard at bytes that only look like a record is built again, which reads its shards.
///
/// Whole indexes make an index of all their shards, in natural order of paths, so records get new ordinals. They must
/// have been built with the same options, and have no shard in common. Memory grows with the number of shards and
/// blocks: some 200 bytes per block of up to kBlockRecords records.
///
/// The keys of an index that is replaced are removed.
///
/// Errors: kUsage if the inputs do not fit together, if a part would replace a whole index, or if no record of all
/// parts has one of their named columns; kStale if a shard was not the same for two parts; kIndex if an input is
/// damaged or of another version; as CheckOutput for the index; kLocked; kIo; kInterrupted. The old index then stays in
/// place, intact.
[[nodiscard]] Result<BuildReport> MergeIndexes(const MergeOptions& options, Progress& progress);

}  // namespace ofindex

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/parts/part_plan.h"
#include "index/shards/detect.h"
#include "index/shards/shard_set.h"

namespace ofindex {

/// Facts of an up-to-date index.
struct Freshness {
  Checked checked = Checked::kFraming;
  std::string columns;               ///< the choice of columns at build time
  std::string derive;                ///< what was to be derived
  std::string message;               ///< the message type of its payloads, if one was named
  int64_t generation = 1;            ///< above 1, the index was updated, and a build would give records other ordinals
  std::vector<SkippedFile> skipped;  ///< files of the set that are not shards, in natural order
};

/// Succeeds if the index at `index` covers exactly the shards in `set`, unchanged, with this choice of formats. Does
/// not open a shard whose size, times and inode match the index.
///
/// Errors: kStale, naming the first difference (hint: `ofindex update`); kIndex if the file is not an index, or
/// is a damaged one; kIo.
[[nodiscard]] Result<Freshness> CheckFreshness(const std::string& index, const ShardSet& set,
                                               const FormatChoice& choice);

/// Succeeds if the index at `index` is this part of this job, of shards that are unchanged. Errors: as CheckFreshness.
[[nodiscard]] Result<void> CheckPartFreshness(const std::string& index, const ShardSet& set, const PartChoice& choice,
                                              const PartPlan& plan);

}  // namespace ofindex

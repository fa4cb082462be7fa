#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "index/writing/shard_set_plan.h"

namespace ofindex {

/// Makes a set of finished shards, which other processes have written on the same file system: they get the names of
/// `request`, whose number of shards is ignored, and appear all at once, in order, as with ShardSetWriter. With
/// `append`, they follow the shards of the set that is there: those keep their content and inodes, and TFRecords get
/// new names, since these contain the number of shards; this needs a file system with hard links. The old names of
/// `shards` remain as links, unless the file system has none.
///
/// Returns the paths of the whole set. Errors: those of PlanShardSet and, with `append`, of CheckAppend; kIo; kLocked.
/// After an error, either nothing has changed, or the folder is marked as unfinished (index/output/unfinished_set.h).
[[nodiscard]] Result<std::vector<std::string>> AdoptShards(ShardSetRequest request,
                                                           const std::vector<std::string>& shards, bool append);

/// Errors: kUsage if the set of `request` lacks shards, mixes those of two sets, or is compressed and the new ones are
/// not, or the reverse; kFormat if it is marked as unfinished; those of PlanShardSet.
[[nodiscard]] Result<void> CheckAppend(const ShardSetRequest& request);

}  // namespace ofindex

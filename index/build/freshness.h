#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/shards/detect.h"
#include "index/shards/shard_set.h"

namespace ofindex {

/// What is known of an index that is up to date.
struct Freshness {
  Checked checked = Checked::kFraming;
  std::string columns;               ///< the choice of columns that it was built with
  std::string message;               ///< the message that its payloads were taken for, if one was named
  std::vector<SkippedFile> skipped;  ///< files of the set that are no shards, in natural order
};

/// Succeeds if the index at `index` is of exactly the shards in `set`, unchanged, and of this choice of formats. Opens
/// no shard whose size, times and inode are those of the index.
///
/// Errors: kStale  names the first difference (hint: `ofindex build --force`); kIndex  not an index, or a damaged one;
/// kIo.
[[nodiscard]] Result<Freshness> CheckFreshness(const std::string& index, const ShardSet& set,
                                               const FormatChoice& choice);

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "index/record_writer.h"

namespace ofindex {

/// What a set of new shards is to be.
struct ShardSetRequest {
  std::string out = {};  ///< a file or a folder; see PlanShardSet
  Framing framing = Framing::kTfRecord;
  Compression compression = Compression::kNone;
  std::optional<uint64_t> shards = {};  ///< as asked for; without it, `default_shards`
  uint64_t default_shards = 1;
  bool force = false;  ///< replace shards that are there
};

/// The names of a set of new shards, before any of them is there.
struct ShardSetPlan {
  Framing framing = Framing::kTfRecord;
  Compression compression = Compression::kNone;
  std::string folder = {};                 ///< the folder they lie in; may be empty, for the working directory
  bool creates_folder = false;             ///< it is not there yet
  std::vector<std::string> paths = {};     ///< the shards, in order
  std::vector<std::string> replaced = {};  ///< shards that are there and will not be: those of these names, and those
                                           ///< of an earlier set in the same folder
};

/// Names the shards: `out` itself, if it ends in .tfrecord or .ofrecord (.tfrecord.gz too) or is called part-N, and no
/// number of shards was asked for; else, in the folder `out`, part-0, part-1, ... (OFRecord), or
/// OUT-00000-of-00008.tfrecord (TFRecord; .gz behind it where compressed), OUT being the folder's own name.
/// Looks at names, and writes nothing. Errors: kUsage  something is there, and `force` is not set; the name and the
/// format disagree; kIo.
[[nodiscard]] Result<ShardSetPlan> PlanShardSet(const ShardSetRequest& request);

}  // namespace ofindex

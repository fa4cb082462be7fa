#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "index/shards/input_files.h"
#include "index/shards/output_rule.h"
#include "index/writing/record_writer.h"

namespace ofindex {

/// What a set of new shards is to be.
struct ShardSetRequest {
  std::string out = {};  ///< a file or a folder; see PlanShardSet
  Framing framing = Framing::kTfRecord;
  Compression compression = Compression::kNone;
  std::optional<uint64_t> shards = {};  ///< as asked for; without it, `default_shards`
  uint64_t default_shards = 1;
  bool force = false;      ///< replace shards that are there
  InputFiles inputs = {};  ///< which are never replaced
};

/// The names of a set of new shards, before any of them is there.
struct ShardSetPlan {
  Framing framing = Framing::kTfRecord;
  Compression compression = Compression::kNone;
  std::string folder = {};                 ///< the folder they lie in; may be empty, for the working directory
  std::string target = {};                 ///< of a set in a folder of its own: that folder, links followed; else empty
  std::string set = {};                    ///< what such a folder is called
  bool creates_folder = false;             ///< it is not there yet
  std::vector<std::string> paths = {};     ///< the shards, in order
  std::vector<std::string> replaced = {};  ///< files that are there and will not be: those of these names, and those
                                           ///< of an earlier set in the same folder

  [[nodiscard]] bool is_folder() const { return !target.empty(); }
};

/// A file if the name says so and no number of shards was asked for (PlanShardSet).
[[nodiscard]] OutputShape ShapeOf(const ShardSetRequest& request);

/// Names the shards: `out` itself, if it ends in .tfrecord or .ofrecord (.tfrecord.gz too) or is called part-N, and no
/// number of shards was asked for; else, in the folder `out`, part-0, part-1, ... (OFRecord), or
/// OUT-00000-of-00008.tfrecord (TFRecord; .gz behind it where compressed), OUT being the folder's own name, also if
/// `out` is a link to it. Writes nothing.
///
/// Errors: kUsage  what is there cannot be replaced (index/shards/output_rule.h); a build of the folder would take
/// other files with the set than the shards that it replaces (index/shards/shard_probe.h); the number in a file's name
/// makes it a shard of a set beside it (CheckAlone); the name and the format disagree. kIo  also if the folder cannot
/// be listed.
[[nodiscard]] Result<ShardSetPlan> PlanShardSet(const ShardSetRequest& request);

/// Errors: those of CheckOutput, for each shard that is replaced.
[[nodiscard]] Result<void> CheckReplaced(const ShardSetPlan& plan, bool force, const InputFiles& inputs);

/// Errors: kIo  there are shards in the folder now, of this set or another, that were not there when it was planned.
[[nodiscard]] Result<void> CheckUnchanged(const ShardSetPlan& plan);

}  // namespace ofindex

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

/// A request for a set of new shards.
struct ShardSetRequest {
  std::string out = {};  ///< a file or a folder; see PlanShardSet
  Framing framing = Framing::kTfRecord;
  Compression compression = Compression::kNone;
  std::optional<uint64_t> shards = {};  ///< number requested; without it, `default_shards`
  uint64_t default_shards = 1;
  bool force = false;      ///< replace existing shards
  InputFiles inputs = {};  ///< never replaced
};

/// The names of a set of new shards, before any of them exists.
struct ShardSetPlan {
  Framing framing = Framing::kTfRecord;
  Compression compression = Compression::kNone;
  std::string folder = {};                 ///< the folder of the shards; may be empty, for the working directory
  std::string target = {};                 ///< of a set in a folder of its own: that folder, links followed; else empty
  std::string set = {};                    ///< the set's name in such a folder
  bool creates_folder = false;             ///< it does not exist yet
  std::vector<std::string> paths = {};     ///< the shards, in order
  std::vector<std::string> replaced = {};  ///< existing files that will be gone: those with these names, and those of
                                           ///< an earlier set in the same folder

  [[nodiscard]] bool is_folder() const { return !target.empty(); }
};

/// Returns kFile if the name is that of a file and no number of shards was requested (PlanShardSet).
[[nodiscard]] OutputShape ShapeOf(const ShardSetRequest& request);

/// Names the shards: `out` itself, if it ends in .tfrecord or .ofrecord (.tfrecord.gz too) or is named part-N, and no
/// number of shards was requested; otherwise, in the folder `out`, part-0, part-1, ... (OFRecord), or
/// OUT-00000-of-00008.tfrecord (TFRecord; with .gz if compressed), OUT being the folder's own name, even if `out` is a
/// link to it. Writes nothing.
///
/// Errors: kUsage if existing files cannot be replaced (index/shards/output_rule.h), if a build of the folder would
/// include files other than the set and the shards it replaces (index/shards/shard_probe.h), if the number in a file's
/// name makes it a shard of a set next to it (CheckAlone), or if the name and the format disagree; kIo, also if the
/// folder cannot be listed.
[[nodiscard]] Result<ShardSetPlan> PlanShardSet(const ShardSetRequest& request);

/// Returns the last name of the path of a shard.
[[nodiscard]] std::string FileNameOf(const std::string& path);

/// Errors: those of CheckOutput, for each shard that is replaced.
[[nodiscard]] Result<void> CheckReplaced(const ShardSetPlan& plan, bool force, const InputFiles& inputs);

/// Errors: kIo if the folder now has shards, of this set or another, that did not exist when it was planned.
[[nodiscard]] Result<void> CheckUnchanged(const ShardSetPlan& plan);

}  // namespace ofindex

#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "base/shard_identity.h"
#include "index/catalog/damage.h"
#include "index/catalog/skipped_file.h"
#include "index/shards/detect.h"
#include "index/shards/shard_families.h"
#include "index/shards/shard_set.h"
#include "index/walk/walk_range.h"

namespace ofindex {

/// A shard to be indexed.
struct ProbedShard {
  Candidate file;
  ShardIdentity identity;
  Framing framing = Framing::kEmpty;
  PayloadKind payload = PayloadKind::kOpaque;
  Compression compression = Compression::kNone;
  uint64_t mean_record_bytes = 0;         ///< of its first records
  std::optional<DamageReason> lost = {};  ///< no record can be found in it: all of it is damage
  WalkRange range = {};                   ///< the part to be indexed: all of it unless the build is one of a part

  /// Returns the number of bytes to be walked.
  [[nodiscard]] uint64_t bytes() const {
    const uint64_t end = std::min(range.end, identity.size);
    return end - std::min(range.begin, end);
  }
};

/// The shards among a set's files, in the same order, and the files that are not shards, in natural order.
struct ProbedSet {
  std::vector<ProbedShard> shards;
  std::vector<SkippedFile> skipped;
};

/// A choice among the candidates of a set: those that a part of a build needs.
struct ProbeChoice {
  std::vector<bool> wanted = {};  ///< by candidate; empty: all
  bool skipped = true;            ///< also list the files that the set skipped
};

/// Opens every candidate of `set`, detects its type and computes its fingerprint, on up to `threads` threads.
///
/// A file with unrecognised content is examined again, given the sound shards of the sets that its name puts it in
/// (DetectDamaged). An empty file is a shard if its set has a sound one, or if its own name is that of a shard. An
/// unreadable file is listed as skipped, as is a broken link, and the others are probed anyway.
///
/// Errors: kFormat if there are both TFRecords and OFRecords and the user named no format, or no file is a record file,
/// or all record files are empty and the user named no format; kIo if no file is a record file and one cannot be read,
/// or if the process has no file descriptor left; kInterrupted.
///
/// With `probes`, returns what it would for all candidates, but only of those wanted. Others are opened only if a
/// wanted one does not show by itself what it is: damaged files, empty ones, and OFRecord, which has no checksums.
[[nodiscard]] Result<ProbedSet> ProbeShards(const ShardSet& set, const FormatChoice& choice, unsigned threads,
                                            const Progress& progress, const ProbeChoice& probes = {});

/// Detects whether `file`, of `size` bytes, at `stored_path` is a shard, given the sound shards in `families`, as
/// ProbeShards does for each file of a set. Errors: kIo, kLimit.
[[nodiscard]] Result<Detection> DetectBeside(const File& file, uint64_t size, const std::string& stored_path,
                                             const FormatChoice& choice, const ShardFamilies& families);

}  // namespace ofindex

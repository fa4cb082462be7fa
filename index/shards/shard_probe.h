#pragma once

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

namespace ofindex {

/// A shard that is to be indexed.
struct ProbedShard {
  Candidate file;
  ShardIdentity identity;
  Framing framing = Framing::kEmpty;
  PayloadKind payload = PayloadKind::kOpaque;
  Compression compression = Compression::kNone;
  uint64_t mean_record_bytes = 0;         ///< of its first records
  std::optional<DamageReason> lost = {};  ///< no record of it can be found: all of it is damage
};

/// The shards among a set's files, in the same order, and the files that are none, in natural order.
struct ProbedSet {
  std::vector<ProbedShard> shards;
  std::vector<SkippedFile> skipped;
};

/// Opens every candidate of `set`, finds out what it is, and takes its fingerprint, on up to `threads` threads.
///
/// A file whose content says nothing is looked at again, with the sound shards that its name puts it beside
/// (DetectDamaged). An empty file is a shard if its set has a sound one, or its own name is that of a shard. A file
/// that cannot be read is among the skipped ones, as is a broken link, and the others are probed all the same.
///
/// Errors: kFormat  TFRecords and OFRecords lie side by side without a word from the user, or nothing is a record file,
/// or all of them are empty and the user names no format; kIo  nothing is, and a file cannot be read; no descriptor is
/// left; kInterrupted.
[[nodiscard]] Result<ProbedSet> ProbeShards(const ShardSet& set, const FormatChoice& choice, unsigned threads,
                                            const Progress& progress);

/// Finds out whether `file`, of `size` bytes, at `stored_path` is a shard beside the sound shards in `families`: what
/// ProbeShards does with one file of a set whose others are known. Errors: kIo, kLimit.
[[nodiscard]] Result<Detection> DetectBeside(const File& file, uint64_t size, const std::string& stored_path,
                                             const FormatChoice& choice, const ShardFamilies& families);

}  // namespace ofindex

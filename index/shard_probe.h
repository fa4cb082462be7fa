#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "base/shard_identity.h"
#include "index/detect.h"
#include "index/shard_set.h"

namespace ofindex {

/// A shard that is to be indexed.
struct ProbedShard {
  Candidate file;
  ShardIdentity identity;
  Framing framing = Framing::kEmpty;
  PayloadKind payload = PayloadKind::kOpaque;
  Compression compression = Compression::kNone;
  uint64_t mean_record_bytes = 0;  ///< of its first records
};

/// The shards among a set's files, in the same order, and the files that are none.
struct ProbedSet {
  std::vector<ProbedShard> shards;
  std::vector<SkippedFile> skipped;
};

/// Opens every candidate, finds out what it is, and takes its fingerprint, on up to `threads` threads.
///
/// Errors: kFormat  TFRecords and OFRecords lie side by side without a word from the user, or
/// nothing is a record file; kIo  a file cannot be read; kInterrupted.
[[nodiscard]] Result<ProbedSet> ProbeShards(const std::vector<Candidate>& candidates, const FormatChoice& choice,
                                            unsigned threads, const Progress& progress);

}  // namespace ofindex

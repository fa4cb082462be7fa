#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/result.h"
#include "index/shards/shard_probe.h"
#include "index/shards/shard_set.h"
#include "index/walk/walk_range.h"

namespace ofindex {

/// One part of a job: the first of 8 is 1/8.
struct PartChoice {
  uint32_t part = 0;  ///< from 1
  uint32_t of = 0;

  /// Parses "K/N" with 1 <= K <= N <= 1,000,000. Errors: kUsage.
  [[nodiscard]] static Result<PartChoice> Parse(std::string_view text);
};

/// A part's share of the files of its job. All parts of a job together have every byte of every file once.
struct PartPlan {
  std::vector<std::optional<WalkRange>> ranges;  ///< of each candidate; none: other parts have all of it
  Digest128 job{};                               ///< of files, sizes and options: the parts of a job have the same

  /// Returns which candidates the part has bytes of.
  [[nodiscard]] std::vector<bool> wanted() const;

  /// Keeps of `probed`, which has the wanted candidates, the shards and skipped files that the part has; sets the
  /// ranges of its shards. A skipped file, and a shard that cannot be walked in parts, belong as a whole to the part
  /// that has their beginning.
  void Apply(const ShardSet& set, ProbedSet& probed) const;
};

/// Divides the bytes of all files evenly into `choice.of` parts, in order. A large file is divided at the ends of its
/// segments: `segment_bytes` long, or by its size if that is 0. `options` are those on which the index depends. Opens
/// no file. Errors: kIo if the size of a file cannot be told; one that is missing or may not be looked at has none.
[[nodiscard]] Result<PartPlan> PlanPart(const ShardSet& set, const PartChoice& choice,
                                        std::span<const std::string> options, uint64_t segment_bytes = 0);

/// Returns the path of a part of the index at `index`: "train.ofidx" -> "train.part-2-of-8.ofidx".
[[nodiscard]] std::string PartPathOf(const std::string& index, const PartChoice& choice);

}  // namespace ofindex

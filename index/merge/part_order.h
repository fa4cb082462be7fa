#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/walk/walk_range.h"

namespace ofindex {

/// A part that is merged: its facts, and the shards of which it has only ranges.
struct PartInput {
  std::string path;
  uint64_t identity = 0;  ///< of its file: see IdentityOf
  DatasetFacts facts;
  size_t shards = 0;                     ///< the number of shards of which it has anything
  std::vector<ShardRow> partial_shards;  ///< for each of facts.part->partial

  /// Reads them, also of a whole index. Errors: kIndex if it is damaged; kNotFound, kIo.
  [[nodiscard]] static Result<PartInput> Read(const std::string& path);
};

/// Builds a part again, whose first shard is entered at `entry`, and returns the new parts that replace it: several if
/// it was merged from several.
using RebuildPart = std::function<Result<std::vector<PartInput>>(const PartInput& part, const WalkEntry& entry)>;

/// Puts the parts of one job in order, and checks that none is missing between them, doubled, or of another job, and
/// that each begins where the one before it ends. A part that entered a shard at something that only looks like a
/// record is built again. Errors: kUsage, kStale; those of `rebuild`.
[[nodiscard]] Result<std::vector<PartInput>> OrderParts(std::vector<PartInput> parts, const RebuildPart& rebuild);

/// Returns the facts of the index that the parts in `parts` make, in order; nullopt if it is whole. `first_shards` are
/// the numbers in it of the first shard of each part.
[[nodiscard]] std::optional<PartFacts> MergedFacts(const std::vector<PartInput>& parts,
                                                   const std::vector<uint32_t>& first_shards);

}  // namespace ofindex

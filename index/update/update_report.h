#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/build/builder.h"
#include "index/catalog/catalog.h"
#include "index/catalog/skipped_file.h"
#include "index/merge/merge_source.h"
#include "index/update/shard_changes.h"
#include "index/update/update_plan.h"

namespace ofindex {

/// The changes that a report lists by name.
inline constexpr std::array kListedChanges = {ShardChange::kNew,       ShardChange::kGrown,    ShardChange::kChanged,
                                              ShardChange::kMoved,     ShardChange::kRestored, ShardChange::kMissing,
                                              ShardChange::kUnreadable};

/// A shard that an update found changed.
struct ChangedShard {
  ShardChange change;
  std::string path;
  std::string before = {};   ///< its path before, if it has moved
  uint64_t records = 0;      ///< that it has now; for a missing one: that are gone
  uint64_t new_records = 0;  ///< of these, those that the index had not
};

struct UpdateReport {
  /// The index after the update; `was_up_to_date`: nothing was done. `bad` and `damage` are what was found in the bytes
  /// that were read for it; `missing` is what the other names of a set imply, and is not listed as
  /// missing or gone.
  BuildReport written;
  int64_t generation = 1;
  std::vector<ChangedShard> shards;  ///< in natural order of paths
  uint64_t unchanged = 0;            ///< shards
  uint64_t new_records = 0;
  uint64_t gone_records = 0;    ///< in this update
  bool renumbered = false;      ///< ordinals have moved: states, lists and sets of ordinals from before are void
  uint64_t pruned_records = 0;  ///< that were left out for good
  std::vector<std::string> attached_columns;  ///< whose values are NULL for the new records; none if nothing was done
  std::vector<std::string> columns_added;     ///< SQL names, by feature
  std::vector<std::string> columns_removed;
  std::vector<SkippedFile> newly_skipped;  ///< of those in `written`, the ones that the index did not list
};

/// Adds what became of each shard to `report`. `added_records` are the numbers of records of `plan.added`; it is empty
/// if nothing was written.
void AddShards(const UpdatePlan& plan, const std::vector<uint64_t>& added_records, UpdateReport& report);

/// Leaves in `written` only what is wrong with the bytes that were read for this update.
void KeepNewFindings(const UpdatePlan& plan, BuildReport& written);

/// Adds the columns that `report.written` has and the features `before` had not, and the reverse.
void AddColumnChanges(const std::vector<FeatureRow>& before, UpdateReport& report);

/// Returns those of the `skipped` files that the index before does not list. Errors: kIndex, kStale, kIo.
[[nodiscard]] Result<std::vector<SkippedFile>> NewlySkipped(MergeSource& source,
                                                            const std::vector<SkippedFile>& skipped);

}  // namespace ofindex

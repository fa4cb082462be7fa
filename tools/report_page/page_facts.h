#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/columns/column.h"
#include "query/dataset.h"
#include "tools/report_page/shard_states.h"

namespace ofindex {

/// Records with equal payloads, by the hashes that the index stores.
struct EqualRecords {
  static constexpr size_t kShownGroups = 5;
  static constexpr size_t kShownRecords = 12;

  struct Group {
    uint64_t size = 0;
    std::vector<uint64_t> first = {};  ///< ordinals, at most kShownRecords
  };

  uint64_t groups = 0;
  uint64_t repeats = 0;             ///< records beyond the first of their group
  std::vector<Group> largest = {};  ///< at most kShownGroups
};

/// The facts of a dataset that a page states, besides its columns and records.
struct PageFacts {
  std::string name;  ///< file name of the index
  uint64_t index_bytes = 0;
  DatasetFacts dataset;
  int64_t generation = 0;
  std::vector<ShardRow> shards;
  ShardStates states;
  std::vector<ShardRow> gone;
  std::vector<FeatureRow> features;  ///< by name
  std::vector<DamageRow> damage;
  std::vector<BadRow> bad;
  std::vector<SkippedFile> skipped;
  std::optional<EqualRecords> equal;  ///< nullopt if the index stores no hashes

  /// Returns true if some records cannot be read, or some bytes of the shards are not records.
  [[nodiscard]] bool has_damage() const {
    return !states.errors.empty() || !gone.empty() || !damage.empty() || !bad.empty();
  }
};

/// Reads the tables of the index, looks at the shards, and compares hashes, if there are any.
/// Reads no record. Errors: kIndex, kIo, kLimit, kInterrupted.
[[nodiscard]] Result<PageFacts> ReadPageFacts(const Dataset& dataset, Progress& progress);

}  // namespace ofindex

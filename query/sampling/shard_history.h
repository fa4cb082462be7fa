#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/catalog/shared_catalog.h"
#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {

/// The shards of a dataset in the course of its updates: which records it had at each generation. A dataset that was
/// never updated may have an empty history.
struct ShardHistory {
  std::vector<ShardRow> pieces = {};  ///< of all shards, missing ones too, by ordinal
  std::vector<AbsenceRow> absences = {};

  /// Reads it from an index. Errors: kIndex, kStale.
  [[nodiscard]] static Result<ShardHistory> Of(SharedCatalog& catalog);

  /// Returns the records that the dataset had at `generation`.
  [[nodiscard]] OrdinalSet RecordsAt(const GenerationRow& generation) const;

  /// Says which shards that had records at `generation` have none of them now: up to three paths, the number of the
  /// others, and since when. Empty if there is no such shard.
  [[nodiscard]] std::string GoneSince(const GenerationRow& generation) const;

 private:
  [[nodiscard]] std::vector<bool> AbsentAt(const GenerationRow& generation) const;
};

}  // namespace ofindex

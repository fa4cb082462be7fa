#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/dataset.h"
#include "tools/shell/shard_state.h"

namespace ofindex {

/// The states of the shards that an index has.
struct ShardStates {
  std::vector<ShardState> states;  ///< as SharedCatalog::shards()
  std::vector<Error> errors;       ///< of those that are not sound, in the same order

  [[nodiscard]] uint64_t Count(ShardState state) const;
};

/// Looks at every shard where `dataset` reads it: like `verify --quick`. Errors: kInterrupted; kIndex.
[[nodiscard]] Result<ShardStates> StatesOfShards(const Dataset& dataset, Progress& progress);

}  // namespace ofindex

#include "tools/report_page/shard_states.h"

#include <algorithm>
#include <memory>
#include <string>

namespace ofindex {
uint64_t ShardStates::Count(ShardState state) const {
  return static_cast<uint64_t>(std::count(states.begin(), states.end(), state));
}

Result<ShardStates> StatesOfShards(const Dataset& dataset, Progress& progress) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  ShardStates found;
  for (const ShardRow& shard : catalog->shards()) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const std::string path, dataset.reader().ShardPath(shard.file));
    ShardState state = ShardState::kSound;
    const Result<void> same = LookAtShard(path, shard.identity, state);
    found.states.push_back(state);
    if (!same) found.errors.push_back(same.error());
  }
  return found;
}

}  // namespace ofindex

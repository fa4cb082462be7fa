#include "tools/report_page/shard_states.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/shard_identity.h"

namespace ofindex {
namespace {

// Sets `state` to what is wrong, and returns the error.
Result<void> LookAt(const std::string& path, const ShardIdentity& identity, ShardState& state) {
  const auto state_of = [](const Error& error, ShardState stale) {
    return error.code == ErrorCode::kStale ? stale : ShardState::kUnreadable;
  };
  const Result<File> file = OpenIndexedShard(path);
  if (!file) {
    state = state_of(file.error(), ShardState::kMissing);
    return tl::unexpected(file.error());
  }
  state = ShardState::kUnreadable;
  OFINDEX_ASSIGN(const FileFacts facts, file->Facts());
  const Result<void> same = CheckShard(*file, facts, identity);
  state = same ? ShardState::kSound : state_of(same.error(), ShardState::kChanged);
  return same;
}

}  // namespace

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
    const Result<void> same = LookAt(path, shard.identity, state);
    found.states.push_back(state);
    if (!same) found.errors.push_back(same.error());
  }
  return found;
}

}  // namespace ofindex

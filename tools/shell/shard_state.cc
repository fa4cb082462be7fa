#include "tools/shell/shard_state.h"

#include "base/file.h"

namespace ofindex {

Result<void> LookAtShard(const std::string& path, const ShardIdentity& identity, ShardState& state) {
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
  Result<void> same = CheckShard(*file, facts, identity);
  state = same ? ShardState::kSound : state_of(same.error(), ShardState::kChanged);
  return same;
}

}  // namespace ofindex

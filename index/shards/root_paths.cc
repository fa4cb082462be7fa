#include "index/shards/root_paths.h"

#include "index/catalog/paths.h"

namespace ofindex {

ShardPaths PathsBelow(const std::string& root, const std::vector<ShardRow>& shards) {
  return {root, shards.front().path, CommonFolderBytes(shards)};
}

}  // namespace ofindex

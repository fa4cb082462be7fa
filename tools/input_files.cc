#include "tools/input_files.h"

#include "base/file.h"
#include "index/paths.h"
#include "mmap/shard_paths.h"

namespace ofindex {

InputFiles::InputFiles(const std::string& index, const std::vector<ShardRow>& shards) {
  Add(index);
  const ShardPaths paths(FolderOf(index));
  for (const ShardRow& shard : shards) Add(paths.PathOf(shard.path));
}

bool InputFiles::Hold(const std::string& path) const {
  const auto facts = StatFile(path);
  return facts && inodes_.contains({facts->device, facts->inode});
}

void InputFiles::Add(const std::string& path) {
  if (const auto facts = StatFile(path)) inodes_.insert({facts->device, facts->inode});
}

}  // namespace ofindex

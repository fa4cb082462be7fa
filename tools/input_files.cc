#include "tools/input_files.h"

#include "base/file.h"
#include "base/text.h"
#include "index/paths.h"
#include "mmap/shard_paths.h"

namespace ofindex {

InputFiles::InputFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) Add(path);
}

InputFiles::InputFiles(const std::string& index, const std::vector<ShardRow>& shards) {
  Add(index);
  const ShardPaths paths(FolderOf(index));
  for (const ShardRow& shard : shards) Add(paths.PathOf(shard.path));
}

bool InputFiles::Hold(const std::string& path) const {
  const auto facts = StatFile(path);
  return facts && inodes_.contains({facts->device, facts->inode});
}

Result<void> InputFiles::KeepFrom(const ShardSetPlan& plan) const {
  for (const std::string& path : plan.replaced) {
    if (!Hold(path)) continue;
    return Fail(ErrorCode::kUsage, StrCat(Printable(path), ": a file of the input, which the output would replace"),
                "write to another place with -o OUT");
  }
  return {};
}

void InputFiles::Add(const std::string& path) {
  if (const auto facts = StatFile(path)) inodes_.insert({facts->device, facts->inode});
}

}  // namespace ofindex

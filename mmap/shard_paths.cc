#include "mmap/shard_paths.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace ofindex {

ShardPaths::ShardPaths(std::string root, std::string_view first_path, size_t data_dir_bytes) : folder_(std::move(root)) {
  if (!StatFile(PathOf(first_path)) && data_dir_bytes < first_path.size()) skip_ = data_dir_bytes;
}

std::string ShardPaths::PathOf(std::string_view stored_path) const {
  const std::string_view path = stored_path.substr(std::min(skip_, stored_path.size()));
  if (folder_.empty() || folder_ == "." || path.starts_with('/')) return std::string(path);
  return folder_.ends_with('/') ? StrCat(folder_, path) : StrCat(folder_, "/", path);
}

}  // namespace ofindex

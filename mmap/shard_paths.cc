#include "mmap/shard_paths.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace ofindex {
namespace {

// Joined to a root, a path that leads out of the index's folder could lead to the original shard, not to the copy.
bool LeadsOut(std::string_view path) { return path.starts_with('/') || path.starts_with("../"); }

}  // namespace

ShardPaths::ShardPaths(std::string root, std::string_view first_path, size_t data_dir_bytes, std::string anchor)
    : folder_(std::move(root)), anchor_(std::move(anchor)) {
  if (data_dir_bytes >= first_path.size()) return;
  if (LeadsOut(first_path) || !StatFile(PlaceOf(first_path))) skip_ = data_dir_bytes;
}

std::string ShardPaths::PathOf(std::string_view stored_path) const {
  const std::string_view path = stored_path.substr(std::min(skip_, stored_path.size()));
  if (folder_.empty() || folder_ == "." || path.starts_with('/')) return std::string(path);
  return folder_.ends_with('/') ? StrCat(folder_, path) : StrCat(folder_, "/", path);
}

std::string ShardPaths::PlaceOf(std::string_view stored_path) const { return PathFrom(anchor_, PathOf(stored_path)); }

}  // namespace ofindex

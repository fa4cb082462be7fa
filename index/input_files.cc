#include "index/input_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "index/paths.h"
#include "mmap/shard_paths.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

std::optional<struct stat> Stat(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? std::optional(info) : std::nullopt;
}

}  // namespace

InputFiles::InputFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) Add(path);
}

InputFiles::InputFiles(const std::string& index, const std::vector<ShardRow>& shards,
                       const std::vector<std::string>& sources, const std::string& root) {
  Add(index);
  Add(MapPathOf(index));
  const ShardPaths paths(FolderOf(index));
  for (const ShardRow& shard : shards) Add(paths.PathOf(shard.path));
  for (const std::string& source : sources) Add(paths.PathOf(source));
  if (root.empty() || shards.empty()) return;
  const ShardPaths copies(root, shards.front().path, CommonFolderBytes(shards));
  for (const ShardRow& shard : shards) Add(copies.PathOf(shard.path));
  Add(root);
}

void InputFiles::Add(const std::string& path) {
  const auto info = Stat(path);
  if (info) (S_ISDIR(info->st_mode) ? folders_ : files_).emplace(info->st_dev, info->st_ino);
}

bool InputFiles::Hold(const std::string& path) const {
  const auto info = Stat(path);
  return info && files_.contains({info->st_dev, info->st_ino});
}

bool InputFiles::Surround(const std::string& path) const {
  if (folders_.empty()) return false;
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return false;
  for (fs::path folder = whole;; folder = folder.parent_path()) {
    const auto info = Stat(folder.string());
    if (info && folders_.contains({info->st_dev, info->st_ino})) return true;
    if (!folder.has_relative_path()) return false;
  }
}

}  // namespace ofindex

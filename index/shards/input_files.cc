#include "index/shards/input_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "index/catalog/paths.h"
#include "index/shards/root_paths.h"
#include "mmap/shard_paths.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

std::optional<struct stat> Stat(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? std::optional(info) : std::nullopt;
}

// Returns the file or folder at `path`, if any, and the folders around it.
std::vector<std::pair<uint64_t, uint64_t>> FoldersAround(const std::string& path) {
  std::vector<std::pair<uint64_t, uint64_t>> found;
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return found;
  for (fs::path folder = whole;; folder = folder.parent_path()) {
    if (const auto info = Stat(folder.string())) found.emplace_back(info->st_dev, info->st_ino);
    if (!folder.has_relative_path()) return found;
  }
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
  for (const ShardRow& shard : shards) AddShard(paths.PathOf(shard.path));
  for (const std::string& source : sources) Add(paths.PathOf(source));
  if (root.empty() || shards.empty()) return;
  const ShardPaths copies = PathsBelow(root, shards);
  for (const ShardRow& shard : shards) AddShard(copies.PathOf(shard.path));
  Add(root);
}

void InputFiles::Add(const std::string& path) {
  const auto info = Stat(path);
  if (info) (S_ISDIR(info->st_mode) ? folders_ : files_).emplace(info->st_dev, info->st_ino);
}

void InputFiles::AddShard(const std::string& path) {
  const auto info = Stat(path);
  if (!info) return;
  files_.emplace(info->st_dev, info->st_ino);
  const std::string parent = FolderOf(path);
  const auto [siblings, is_new] = shards_.try_emplace(parent);
  const bool is_second = siblings->second.emplace(info->st_dev, info->st_ino).second && siblings->second.size() == 2;
  if (const auto folder = is_second ? Stat(parent) : std::nullopt) shared_.emplace(folder->st_dev, folder->st_ino);
  if (!is_new) return;
  for (const Inode& folder : FoldersAround(parent)) above_.insert(folder);
}

bool InputFiles::Contains(const std::string& path) const {
  const auto info = Stat(path);
  return info && files_.contains({info->st_dev, info->st_ino});
}

bool InputFiles::Encloses(const std::string& path) const {
  if (folders_.empty()) return false;
  const std::vector<Inode> around = FoldersAround(path);
  return std::any_of(around.begin(), around.end(), [this](const Inode& inode) { return folders_.contains(inode); });
}

bool InputFiles::LieBeside(const std::string& path) const {
  if (shared_.empty()) return false;
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  const auto folder = error ? std::nullopt : Stat(whole.parent_path().string());
  return folder && shared_.contains({folder->st_dev, folder->st_ino});
}

bool InputFiles::LieBelow(const std::string& path) const {
  const auto info = Stat(path);
  return info && S_ISDIR(info->st_mode) && above_.contains({info->st_dev, info->st_ino});
}

}  // namespace ofindex

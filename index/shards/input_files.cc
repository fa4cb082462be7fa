#include "index/shards/input_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
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

// Returns what is at `path`, nullopt if nothing is in reach.
Result<std::optional<struct stat>> Stat(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return info;
  if (IsOutOfReach(errno)) return std::nullopt;
  return tl::unexpected(SystemError(path, "cannot stat", errno));
}

// Returns the absolute path, without links as far as it exists; an empty one if it is out of reach.
Result<fs::path> WithoutLinks(const std::string& path) {
  std::error_code error;
  const fs::path from = fs::absolute(path, error);
  fs::path whole = error ? fs::path() : fs::weakly_canonical(from, error);
  if (!error) return whole;
  if (IsOutOfReach(error.value())) return fs::path();
  return tl::unexpected(SystemError(path, "cannot resolve its links", error.value()));
}

// Returns the file or folder at `path`, if any, and the folders around it.
Result<std::vector<std::pair<uint64_t, uint64_t>>> FoldersAround(const std::string& path) {
  std::vector<std::pair<uint64_t, uint64_t>> found;
  OFINDEX_ASSIGN(const fs::path whole, WithoutLinks(path));
  if (whole.empty()) return found;
  for (fs::path folder = whole;; folder = folder.parent_path()) {
    OFINDEX_ASSIGN(const auto info, Stat(folder.string()));
    if (info) found.emplace_back(info->st_dev, info->st_ino);
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

void InputFiles::Add(const std::string& path) { Note(TryAdd(path)); }

void InputFiles::AddShard(const std::string& path) { Note(TryAddShard(path)); }

void InputFiles::Note(Result<void> added) {
  if (!added && !unseen_) unseen_ = std::move(added).error();
}

Result<void> InputFiles::TryAdd(const std::string& path) {
  OFINDEX_ASSIGN(const auto info, Stat(path == "-" ? "/dev/stdin" : path));
  if (info) (S_ISDIR(info->st_mode) ? folders_ : files_).emplace(info->st_dev, info->st_ino);
  return {};
}

Result<void> InputFiles::TryAddShard(const std::string& path) {
  OFINDEX_ASSIGN(const auto info, Stat(path));
  if (!info) return {};
  files_.emplace(info->st_dev, info->st_ino);
  const std::string parent = FolderOf(path);
  const auto [siblings, is_new] = shards_.try_emplace(parent);
  if (siblings->second.emplace(info->st_dev, info->st_ino).second && siblings->second.size() == 2) {
    OFINDEX_ASSIGN(const auto folder, Stat(parent));
    if (folder) shared_.emplace(folder->st_dev, folder->st_ino);
  }
  if (!is_new) return {};
  OFINDEX_ASSIGN(const std::vector<Inode> around, FoldersAround(parent));
  above_.insert(around.begin(), around.end());
  return {};
}

Result<void> InputFiles::CheckSeen() const {
  if (unseen_) return tl::unexpected(*unseen_);
  return {};
}

Result<bool> InputFiles::Contains(const std::string& path) const {
  OFINDEX_TRY(CheckSeen());
  OFINDEX_ASSIGN(const auto info, Stat(path));
  return info && files_.contains({info->st_dev, info->st_ino});
}

Result<bool> InputFiles::Encloses(const std::string& path) const {
  OFINDEX_TRY(CheckSeen());
  if (folders_.empty()) return false;
  OFINDEX_ASSIGN(const std::vector<Inode> around, FoldersAround(path));
  return std::any_of(around.begin(), around.end(), [this](const Inode& inode) { return folders_.contains(inode); });
}

Result<bool> InputFiles::LieBeside(const std::string& path) const {
  OFINDEX_TRY(CheckSeen());
  if (shared_.empty()) return false;
  OFINDEX_ASSIGN(const fs::path whole, WithoutLinks(path));
  if (whole.empty()) return false;
  OFINDEX_ASSIGN(const auto folder, Stat(whole.parent_path().string()));
  return folder && shared_.contains({folder->st_dev, folder->st_ino});
}

Result<bool> InputFiles::LieBelow(const std::string& path) const {
  OFINDEX_TRY(CheckSeen());
  OFINDEX_ASSIGN(const auto info, Stat(path));
  return info && S_ISDIR(info->st_mode) && above_.contains({info->st_dev, info->st_ino});
}

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "index/catalog/catalog.h"

namespace ofindex {

/// The files that a verb reads, which it must not write over, and the folders that it reads as a whole. Known by device
/// and inode, so that links and other names of a file are the file. A value.
class InputFiles {
 public:
  InputFiles() = default;

  /// Files or folders as a user names them; names that do not exist, as globs, count for nothing.
  explicit InputFiles(const std::vector<std::string>& paths);

  /// An index, its map, its shards, and the folders that it was built of; with `root`, those of the copy there, too.
  InputFiles(const std::string& index, const std::vector<ShardRow>& shards, const std::vector<std::string>& sources,
             const std::string& root = {});

  void Add(const std::string& path);

  /// True if `path` is, or leads to, one of the files.
  [[nodiscard]] bool Hold(const std::string& path) const;

  /// True if `path` is one of the folders, or a file of that name would lie in one, or in a folder below one.
  [[nodiscard]] bool Surround(const std::string& path) const;

  /// True if a file called `path` would lie beside several shards: in their folder itself, not in one below it.
  [[nodiscard]] bool LieBeside(const std::string& path) const;

  /// True if `path` is a folder and a shard lies in it, or in a folder below it.
  [[nodiscard]] bool LieBelow(const std::string& path) const;

 private:
  using Inode = std::pair<uint64_t, uint64_t>;  // device and number

  void AddShard(const std::string& path);

  std::set<Inode> files_;
  std::set<Inode> folders_;
  std::map<std::string, std::set<Inode>> shards_;  // by the folder that they lie in
  std::set<Inode> shared_;                         // the folders in which several of them lie
  std::set<Inode> above_;                          // the folders around shards
};

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "index/catalog/catalog.h"

namespace ofindex {

/// The files that a verb reads, which it must not overwrite, and the folders that it reads as a whole. Files are
/// identified by device and inode, so that a link, symbolic or hard, is recognised as the same file. A value type.
class InputFiles {
 public:
  InputFiles() = default;

  /// Files or folders as named by a user; names that do not exist, such as globs, are ignored.
  explicit InputFiles(const std::vector<std::string>& paths);

  /// An index, its map, its shards, and the folders that it was built from; with `root`, also those of the copy there.
  InputFiles(const std::string& index, const std::vector<ShardRow>& shards, const std::vector<std::string>& sources,
             const std::string& root = {});

  void Add(const std::string& path);

  /// Returns true if `path` is, or links to, one of the files.
  [[nodiscard]] bool Contains(const std::string& path) const;

  /// Returns true if `path` is one of the folders, or a file of that name would lie in or below one.
  [[nodiscard]] bool Encloses(const std::string& path) const;

  /// Returns true if a file named `path` would lie next to several shards: in their folder itself, not in one below it.
  [[nodiscard]] bool LieBeside(const std::string& path) const;

  /// Returns true if `path` is a folder and a shard lies in or below it.
  [[nodiscard]] bool LieBelow(const std::string& path) const;

 private:
  using Inode = std::pair<uint64_t, uint64_t>;  // device and number

  void AddShard(const std::string& path);

  std::set<Inode> files_;
  std::set<Inode> folders_;
  std::map<std::string, std::set<Inode>> shards_;  // by the folder that they lie in
  std::set<Inode> shared_;                         // folders with several of them
  std::set<Inode> above_;                          // folders around shards
};

}  // namespace ofindex

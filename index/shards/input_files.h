#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"

namespace ofindex {

/// The files that a verb reads, which it must not overwrite, and the folders that it reads as a whole. Files are
/// identified by device and inode, so that a link, symbolic or hard, is recognised as the same file. What may not be
/// written is not known if one of them cannot be looked at, so each question then has an error. A value type.
class InputFiles {
 public:
  InputFiles() = default;

  /// Files or folders as named by a user; names of nothing in reach (IsOutOfReach), such as globs, are ignored.
  explicit InputFiles(const std::vector<std::string>& paths);

  /// An index, its map, its shards, and the folders that it was built from; with `root`, also those of the copy there.
  InputFiles(const std::string& index, const std::vector<ShardRow>& shards, const std::vector<std::string>& sources,
             const std::string& root = {});

  void Add(const std::string& path);

  // Errors of all that follow: kIo if one of the files, or a folder around it or `path`, could not be looked at.

  /// Returns true if `path` is, or links to, one of the files.
  [[nodiscard]] Result<bool> Contains(const std::string& path) const;

  /// Returns true if `path` is one of the folders, or a file of that name would lie in or below one.
  [[nodiscard]] Result<bool> Encloses(const std::string& path) const;

  /// Returns true if a file named `path` would lie next to several shards: in their folder itself, not in one below it.
  [[nodiscard]] Result<bool> LieBeside(const std::string& path) const;

  /// Returns true if `path` is a folder and a shard lies in or below it.
  [[nodiscard]] Result<bool> LieBelow(const std::string& path) const;

 private:
  using Inode = std::pair<uint64_t, uint64_t>;  // device and number

  Result<void> TryAdd(const std::string& path);
  Result<void> TryAddShard(const std::string& path);
  void AddShard(const std::string& path);
  void Note(Result<void> added);

  // The error of the first file that could not be looked at.
  [[nodiscard]] Result<void> CheckSeen() const;

  std::set<Inode> files_;
  std::set<Inode> folders_;
  std::map<std::string, std::set<Inode>> shards_;  // by the folder that they lie in
  std::set<Inode> shared_;                         // folders with several of them
  std::set<Inode> above_;                          // folders around shards
  std::optional<Error> unseen_;                    // why the first file that could not be looked at could not be
};

}  // namespace ofindex

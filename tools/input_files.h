#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "index/catalog.h"

namespace ofindex {

/// An index and its shards, which nothing may be written over: known by inode, whatever they are called.
class InputFiles {
 public:
  InputFiles(const std::string& index, const std::vector<ShardRow>& shards);

  /// True if `path` names one of them.
  [[nodiscard]] bool Hold(const std::string& path) const;

 private:
  void Add(const std::string& path);

  std::set<std::pair<uint64_t, uint64_t>> inodes_;
};

}  // namespace ofindex

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/catalog.h"
#include "index/shard_set_plan.h"

namespace ofindex {

/// What a verb reads, which nothing may be written over: known by inode, whatever they are called.
class InputFiles {
 public:
  explicit InputFiles(const std::vector<std::string>& paths);

  /// An index and its shards.
  InputFiles(const std::string& index, const std::vector<ShardRow>& shards);

  /// True if `path` names one of them.
  [[nodiscard]] bool Hold(const std::string& path) const;

  /// Errors: kUsage  a shard of `plan` would replace one of them.
  [[nodiscard]] Result<void> KeepFrom(const ShardSetPlan& plan) const;

 private:
  void Add(const std::string& path);

  std::set<std::pair<uint64_t, uint64_t>> inodes_;
};

}  // namespace ofindex

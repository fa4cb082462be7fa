#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "query/dataset.h"
#include "query/sampling/shard_history.h"

namespace ofindex {

/// Shards of SmallDataset, as they come and go: at first two of them are half there, then whole, then one is
/// gone, at last the index is pruned. It is updated each time. A file next to them is skipped. Made once for each
/// process, in a folder of its own.
class GrownDataset {
 public:
  static constexpr size_t kStages = 4;

  /// The dataset at one time.
  struct Stage {
    std::shared_ptr<ColumnStore> columns;
    std::vector<GenerationRow> generations;
    ShardHistory history;
  };

  /// Returns the dataset of this process.
  [[nodiscard]] static const GrownDataset& Get();

  [[nodiscard]] const Stage& stage(size_t number) const { return stages_[number]; }

  [[nodiscard]] std::string index() const { return folder_ + "/train.ofidx"; }

  ~GrownDataset();
  GrownDataset(const GrownDataset&) = delete;
  GrownDataset& operator=(const GrownDataset&) = delete;

 private:
  GrownDataset();
  void AddShard(const char* name) const;
  void WriteFile(const char* name, const std::string& bytes) const;
  [[nodiscard]] Stage Open(size_t number) const;

  std::string folder_;
  std::array<Stage, kStages> stages_;
};

}  // namespace ofindex

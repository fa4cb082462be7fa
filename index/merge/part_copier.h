#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/index_writer.h"
#include "index/merge/gathered_facts.h"
#include "index/merge/part_order.h"

namespace ofindex {

/// Copies parts one after another into one index. A shard of which several parts have ranges becomes one shard. Not
/// thread-safe.
class PartCopier {
 public:
  /// All three must outlive the copier.
  PartCopier(IndexWriter& writer, GatheredFacts& gathered, Progress& progress)
      : writer_(writer), gathered_(gathered), progress_(progress) {}

  /// Copies the next part, in the order of OrderParts; `source` reads it. Errors: kIndex, kIo, kInterrupted; kFormat if
  /// there are too many gaps in a shard.
  [[nodiscard]] Result<void> Copy(const PartInput& part, MergeSource source);

  /// Ends a shard that goes on in a part that is not merged. Errors: kIo.
  [[nodiscard]] Result<void> Finish() { return open_ ? EndShard() : Result<void>(); }

  /// Returns the number, in the new index, of the first shard of each part.
  [[nodiscard]] const std::vector<uint32_t>& first_shards() const { return first_shards_; }

 private:
  [[nodiscard]] Result<void> BeginShard(const ShardRow& shard, const Rebase& rebase);
  [[nodiscard]] Result<void> CopyShard(MergeSource& source, uint32_t shard);
  [[nodiscard]] Result<void> EndShard();

  IndexWriter& writer_;
  GatheredFacts& gathered_;
  Progress& progress_;
  ShardFindings findings_;  // of the open shard
  bool open_ = false;       // the last shard goes on in the next part that has any
  std::vector<uint32_t> first_shards_;
};

}  // namespace ofindex

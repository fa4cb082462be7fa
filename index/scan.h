#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "base/result.h"
#include "index/block_queue.h"
#include "index/shard_probe.h"

namespace ofindex {

/// Walks all shards of a dataset and turns them into blocks, on several threads.
///
/// A thread walks a shard, or looks at the bytes of a block that another one has walked: so one large shard is shared
/// out like many small ones. Where records are large, more shards are walked at once than there are processors, because
/// hopping from header to header is waiting for the disk; and if there are few shards, scouts run ahead in them.
class DatasetScan {
 public:
  /// All must outlive the scan. `threads` is how many may compute at once.
  DatasetScan(const std::vector<ProbedShard>& shards, bool check_payloads, unsigned threads, BlockQueue& queue,
              Progress& progress);

  /// Scans until everything is in the queue, or the queue was aborted. Errors go into the queue.
  void Run();

 private:
  // A block that was walked and whose payloads are to be looked at.
  struct Task {
    size_t shard;
    size_t number;
    std::shared_ptr<const File> file;
    BuiltBlock block;
    std::vector<uint64_t> points;
  };

  void Work();
  void WalkShard(size_t shard);
  [[nodiscard]] Result<void> WalkBlocks(size_t shard, const File& file);
  [[nodiscard]] Result<void> HandOver(size_t shard, size_t number, BuiltBlock block, std::vector<uint64_t>& points,
                                      const std::shared_ptr<const File>& check_file);
  [[nodiscard]] bool Offer(Task& task);
  void CheckPayloads(Task task);
  [[nodiscard]] unsigned ScoutsFor(const ProbedShard& shard) const;
  [[nodiscard]] size_t Walkers() const;

  const std::vector<ProbedShard>& shards_;
  const bool check_payloads_;
  const unsigned threads_;
  BlockQueue& queue_;
  Progress& progress_;
  size_t large_shards_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  size_t next_shard_ = 0;
  unsigned walking_ = 0;
  size_t idle_ = 0;  // threads that wait for something to do
};

}  // namespace ofindex
